// Makes a key and shows it, once.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/ui/button";
import { CopyButton } from "@/components/ui/copy-button";
import { Dialog } from "@/components/ui/dialog";
import { ErrorNotice } from "@/components/ui/notice";
import { createKey, kScopes } from "../api";

const kDays = ["", "1", "30", "365"] as const;
const kBox =
    "mt-1 h-9 w-full rounded-lg border border-line bg-bg px-3 text-14 focus-visible:border-accent";

export function NewKey({ onClose }: { onClose: () => void }) {
    const { t } = useTranslation();
    const client = useQueryClient();
    const [scopes, setScopes] = useState<ReadonlySet<string>>(new Set(kScopes.slice(0, 6)));
    const make = useMutation({
        mutationFn: createKey,
        onSuccess: () => client.invalidateQueries({ queryKey: ["keys"] }),
    });
    const submit = (event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const text = (name: string) => String(form.get(name) ?? "").trim();
        const days = Number(text("days"));
        make.mutate({
            name: text("name"),
            ...(text("owner") ? { owner: text("owner") } : {}),
            scopes: [...scopes],
            ...(days ? { lifetime: `${days * 24}h` } : {}),
        });
    };
    const toggle = (scope: string) => {
        const next = new Set(scopes);
        if (!next.delete(scope)) next.add(scope);
        setScopes(next);
    };
    if (make.data?.key) {
        return (
            <Dialog title={t("keys.made")} onClose={onClose}>
                <p className="text-14 text-ink-2">{t("keys.madeText")}</p>
                <div className="mt-3 flex items-center rounded-lg border border-line bg-code pr-1 pl-3">
                    <code
                        data-testid="new-key"
                        className="min-w-0 flex-1 py-2 font-mono text-13 break-all"
                    >
                        {make.data.key}
                    </code>
                    <CopyButton text={make.data.key} />
                </div>
                <div className="mt-5 flex justify-end">
                    <Button kind="primary" onClick={onClose}>
                        {t("keys.kept")}
                    </Button>
                </div>
            </Dialog>
        );
    }
    return (
        <Dialog title={t("keys.new")} onClose={onClose}>
            <form onSubmit={submit} className="flex flex-col gap-3 text-13 text-ink-2">
                <label>
                    {t("keys.name")}
                    <input
                        name="name"
                        autoFocus
                        maxLength={200}
                        autoComplete="off"
                        className={kBox}
                    />
                </label>
                <label>
                    {t("keys.owner")}
                    <input
                        name="owner"
                        maxLength={64}
                        autoComplete="off"
                        placeholder={t("keys.ownerDefault")}
                        className={kBox}
                    />
                </label>
                <fieldset>
                    <legend>{t("keys.scopes")}</legend>
                    <div className="mt-1 grid grid-cols-2 gap-1">
                        {kScopes.map((scope) => (
                            <label
                                key={scope}
                                className="flex items-center gap-2 font-mono text-12"
                            >
                                <input
                                    type="checkbox"
                                    checked={scopes.has(scope)}
                                    onChange={() => toggle(scope)}
                                    className="accent-accent"
                                />
                                {scope}
                            </label>
                        ))}
                    </div>
                </fieldset>
                <label>
                    {t("keys.ends")}
                    <select name="days" className={kBox}>
                        {kDays.map((days) => (
                            <option key={days} value={days}>
                                {days ? t("keys.days", { count: Number(days) }) : t("keys.never")}
                            </option>
                        ))}
                    </select>
                </label>
                {make.isError && <ErrorNotice error={make.error} />}
                <div className="mt-2 flex justify-end gap-2">
                    <Button onClick={onClose}>{t("common.cancel")}</Button>
                    <Button
                        kind="primary"
                        type="submit"
                        disabled={make.isPending || scopes.size === 0}
                    >
                        {t("keys.make")}
                    </Button>
                </div>
            </form>
        </Dialog>
    );
}
