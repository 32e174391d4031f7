// The API key, for servers that ask for one. It stays in this page's memory: it is written to no
// storage, so a reload asks again. Addresses that a browser opens by itself (a download, a
// WebSocket) carry a short-lived token of one session instead.
type Listener = () => void;

let key = "";
let needed = false;
const listeners = new Set<Listener>();

function tell(): void {
    for (const listener of listeners) listener();
}

export const keyStore = {
    get: (): string => key,
    isNeeded: (): boolean => needed,
    set(value: string): void {
        key = value;
        needed = false;
        tell();
    },
    // The server answered 401.
    refuse(): void {
        if (needed) return;
        needed = true;
        tell();
    },
    subscribe(listener: Listener): () => void {
        listeners.add(listener);
        return () => listeners.delete(listener);
    },
};
