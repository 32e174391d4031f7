// Tells the server which chat this page shows, so that the chat's session ends when it was left by
// all pages and not before. A name for each arrival: a reload is another arrival, within the
// server's grace; a tab that was duplicated, and words that overtake each other, confuse nothing.
import { ApiError, request } from "@/lib/api";

const kAgainMs = 60_000;
const kPausesMs = [1000, 2000, 5000, 10_000, 30_000];
const kLeavingTriesMax = 20;

type Heard = "yes" | "later" | "never";

async function say(method: "PUT" | "DELETE", path: string): Promise<Heard> {
    try {
        // Goes on when the page is gone, and carries the key, which sendBeacon cannot.
        await request(path, { method, keepalive: true });
        return "yes";
    } catch (failure) {
        const status = failure instanceof ApiError ? failure.status : 0;
        return [0, 401, 429, 502, 503, 504].includes(status) ? "later" : "never";
    }
}

class Arrival {
    private readonly path: string;
    private left = false;
    private said = false;
    private wake: () => void = () => undefined;

    constructor(thread: string) {
        const name = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
        this.path = `/v1/threads/${encodeURIComponent(thread)}/presence/${name}`;
        void this.run();
    }

    // Another page of the interface is shown.
    leave(): void {
        this.left = true;
        this.wake();
    }

    // The page itself goes: there is no time for anything but one word.
    leaveNow(): void {
        this.left = this.said = true;
        this.wake();
        void say("DELETE", this.path);
    }

    private async run(): Promise<void> {
        for (let tries = 0; !this.left;) {
            const heard = await say("PUT", this.path);
            if (heard === "never") return;
            tries = heard === "yes" ? 0 : tries + 1;
            await this.pause(heard === "yes" ? kAgainMs : this.pauseAfter(tries));
        }
        for (let tries = 1; !this.said && tries <= kLeavingTriesMax; tries += 1) {
            if ((await say("DELETE", this.path)) !== "later") return;
            await this.pause(this.pauseAfter(tries));
        }
    }

    private pauseAfter(tries: number): number {
        return kPausesMs[Math.min(tries, kPausesMs.length) - 1] ?? kAgainMs;
    }

    // Shorter when the network comes back, or somebody looks at a page that slept.
    private pause(ms: number): Promise<void> {
        return new Promise((resolve) => {
            const over = () => {
                clearTimeout(timer);
                removeEventListener("online", over);
                document.removeEventListener("visibilitychange", over);
                resolve();
            };
            const timer = setTimeout(over, ms);
            this.wake = over;
            addEventListener("online", over);
            document.addEventListener("visibilitychange", over);
        });
    }
}

function storeSession(session: string): void {
    try {
        sessionStorage.setItem("session_id", session);
    } catch {
        // Storage is off: nothing here needs it.
    }
}

// Until the function that it returns is called.
export function enterThread(thread: string, session: string): () => void {
    storeSession(session);
    let arrival: Arrival | null = new Arrival(thread);
    const go = () => {
        arrival?.leaveNow();
        arrival = null;
    };
    // Brought back as it was, by the browser's Back.
    const come = (event: PageTransitionEvent) => {
        if (event.persisted) arrival ??= new Arrival(thread);
    };
    addEventListener("pagehide", go);
    addEventListener("pageshow", come);
    return () => {
        removeEventListener("pagehide", go);
        removeEventListener("pageshow", come);
        arrival?.leave();
    };
}
