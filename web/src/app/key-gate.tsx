// Asks for the key when the server answered 401.
import { useQueryClient } from "@tanstack/react-query";
import { useState, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { ApiError, errorFrom, type Schemas } from "@/lib/api";
import { describeError } from "@/lib/describe-error";
import { tokenStore } from "@/lib/token";

// The only request that carries the key.
async function exchange(key: string): Promise<Schemas["PageTokenView"]> {
    const headers = { Authorization: `Bearer ${key}` };
    let response: Response;
    let body: string;
    try {
        response = await fetch("/v1/tokens", { method: "POST", headers });
        body = await response.text();
    } catch {
        throw new ApiError(0, "");
    }
    if (response.status !== 201) {
        throw errorFrom(response.status, body, response.headers.get("Retry-After"), key);
    }
    return JSON.parse(body) as Schemas["PageTokenView"];
}

export function KeyGate() {
    const { t } = useTranslation();
    const client = useQueryClient();
    const needed = useSyncExternalStore(tokenStore.subscribe, tokenStore.isNeeded);
    const [closed, setClosed] = useState(false);
    const [error, setError] = useState<unknown>(null);
    const [busy, setBusy] = useState(false);
    if (!needed) return null;
    if (closed) {
        return (
            <Button
                kind="primary"
                className="fixed right-5 bottom-5 z-40 shadow-high"
                onClick={() => setClosed(false)}
            >
                {t("key.enter")}
            </Button>
        );
    }
    const submit = async (key: string) => {
        setBusy(true);
        try {
            tokenStore.set(await exchange(key));
            setError(null);
            await client.resetQueries();
        } catch (failure) {
            setError(failure);
        } finally {
            setBusy(false);
        }
    };
    return (
        <Dialog title={t("key.title")} onClose={() => setClosed(true)}>
            <form
                onSubmit={(event) => {
                    event.preventDefault();
                    const key = String(new FormData(event.currentTarget).get("key") ?? "").trim();
                    if (key) void submit(key);
                }}
            >
                <p className="text-14 text-ink-2">{t("key.text")}</p>
                <label htmlFor="api-key" className="mt-4 block text-13 text-ink-2">
                    {t("key.label")}
                </label>
                <input
                    id="api-key"
                    name="key"
                    type="password"
                    autoComplete="off"
                    autoFocus
                    spellCheck={false}
                    className="mt-1 h-9 w-full rounded-lg border border-line bg-bg px-3 font-mono text-13 focus-visible:border-accent"
                />
                {error != null && (
                    <p role="alert" className="mt-2 text-13 text-bad">
                        {error instanceof ApiError && error.status === 401
                            ? t("key.wrong")
                            : describeError(error, t).title}
                    </p>
                )}
                <div className="mt-5 flex justify-end">
                    <Button kind="primary" type="submit" disabled={busy}>
                        {t("key.use")}
                    </Button>
                </div>
            </form>
        </Dialog>
    );
}
