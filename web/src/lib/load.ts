// Parts of the page that are fetched when they are needed. A network that is gone for a moment must
// not cost the page: the part is asked for again, at once when the network is back, and only if it
// does not come for a minute the error is shown.
const kPausesMs = [300, 1000, 3000, 5000, 10_000, 20_000, 20_000];

function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
        const over = () => {
            clearTimeout(timer);
            removeEventListener("online", over);
            resolve();
        };
        const timer = setTimeout(over, ms);
        addEventListener("online", over);
    });
}

// For lazy() and its like: `lazy(load(() => import("…")))`.
export function load<T>(get: () => Promise<T>): () => Promise<T> {
    return async () => {
        for (const ms of kPausesMs) {
            try {
                return await get();
            } catch {
                await pause(ms);
            }
        }
        return get();
    };
}
