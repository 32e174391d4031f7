// What the server gave this page in place of the API key, on servers that ask for one: a token of
// minutes, renewed while the page is open. It survives a reload, and closing the tab ends it. The
// key itself is written nowhere and forgotten as soon as it was exchanged.
import type { components } from "@/types/api";

type View = components["schemas"]["PageTokenView"];
type Listener = () => void;

interface Kept {
    token: string;
    // By this page's clock.
    until: number;
    renewAt: number;
}

const kName = "atoll.token";
let kept: Kept | null = read();
let needed = false;
const listeners = new Set<Listener>();

function read(): Kept | null {
    try {
        const found = JSON.parse(sessionStorage.getItem(kName) ?? "null") as Partial<Kept> | null;
        if (typeof found?.token !== "string" || !found.until || !found.renewAt) return null;
        return found.until > Date.now() ? (found as Kept) : null;
    } catch {
        return null;
    }
}

function keep(value: Kept | null): void {
    kept = value;
    try {
        if (value) sessionStorage.setItem(kName, JSON.stringify(value));
        else sessionStorage.removeItem(kName);
    } catch {
        // Storage is off: a reload asks for the key again.
    }
    for (const listener of listeners) listener();
}

export const tokenStore = {
    // Empty: none is in use.
    get: (): string => kept?.token ?? "",
    renewAt: (): number | null => kept?.renewAt ?? null,
    isNeeded: (): boolean => needed,
    set({ token, seconds }: View): void {
        needed = false;
        const now = Date.now();
        keep({ token, until: now + seconds * 1000, renewAt: now + seconds * 500 });
    },
    forget: (): void => keep(null),
    // The server answered 401 to a request with this token.
    refuse(token: string): void {
        if (token !== tokenStore.get()) return; // it has another one by now
        if (needed && !kept) return;
        needed = true;
        keep(null);
    },
    subscribe(listener: Listener): () => void {
        listeners.add(listener);
        return () => listeners.delete(listener);
    },
};
