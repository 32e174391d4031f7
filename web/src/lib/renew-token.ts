// Renews the page's token when half of its time is over, until the server asks for the key again.
import { sendJson, type Schemas } from "@/lib/api";
import { tokenStore } from "@/lib/token";

const kTryAgainMs = 10_000;
let timer: ReturnType<typeof setTimeout> | undefined;
let renewing = false;

async function renew(): Promise<void> {
    if (renewing) return;
    renewing = true;
    try {
        tokenStore.set(await sendJson<Schemas["PageTokenView"]>("POST", "/v1/tokens/renew"));
    } catch {
        // After 401 there is none any more, and the page asks for the key. Else the network or the
        // server is away for a while.
        schedule(kTryAgainMs);
    } finally {
        renewing = false;
    }
}

function schedule(pause = 0): void {
    clearTimeout(timer);
    const at = tokenStore.renewAt();
    if (at !== null) timer = setTimeout(() => void renew(), Math.max(at - Date.now(), pause));
}

// Once, by the page.
export function keepTokenFresh(): void {
    tokenStore.subscribe(() => schedule());
    // Timers stand still while a computer sleeps.
    document.addEventListener("visibilitychange", () => schedule());
    addEventListener("online", () => schedule());
    schedule();
}
