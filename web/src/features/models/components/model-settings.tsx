// Which model answers: programs on the server's machine with one click, any other provider by its
// address, and the model from what it lists. A key goes to the server and never comes back.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Cpu, RotateCw } from "lucide-react";
import { useState, type FormEvent, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/ui/button";
import { ErrorNotice, Notice } from "@/components/ui/notice";
import { toast } from "@/components/ui/toasts";
import { formatNumber } from "@/lib/format";
import {
    availableQuery,
    changeModel,
    forgetModel,
    localServersQuery,
    type LocalServer,
    type ModelChange,
    type ModelSettings,
} from "../api";

const kOpenAi = "https://api.openai.com/v1";
const kBox =
    "mt-1 h-9 w-full rounded-lg border border-line bg-bg px-3 text-14 text-ink focus-visible:border-accent";

function useChange() {
    const { t } = useTranslation();
    const client = useQueryClient();
    return useMutation({
        mutationFn: (change: ModelChange | null) => (change ? changeModel(change) : forgetModel()),
        onSuccess: (now) => {
            client.setQueryData(["model-settings"], now);
            for (const key of [["models", "available"], ["info"]]) {
                void client.invalidateQueries({ queryKey: key });
            }
            toast(
                now.provider === "offline"
                    ? t("models.nowOffline")
                    : t("models.nowAnswers", { model: now.model }),
            );
        },
    });
}

export function ModelForms({ settings }: { settings: ModelSettings }) {
    const change = useChange();
    const { t } = useTranslation();
    const fixed = settings.address_from !== "";
    return (
        <>
            {fixed && (
                <Section>
                    <Notice kind="info" title={t("models.fixed")}>
                        {t("models.fixedText", { source: settings.address_from })}
                    </Notice>
                </Section>
            )}
            {change.isError && (
                <Section>
                    <ErrorNotice error={change.error} />
                </Section>
            )}
            {settings.provider !== "offline" && (
                <ChooseModel
                    key={settings.base_url}
                    settings={settings}
                    busy={change.isPending}
                    onChange={change.mutate}
                />
            )}
            {!fixed && (
                <>
                    <OnThisMachine
                        inUse={settings.base_url}
                        busy={change.isPending}
                        onUse={(server) =>
                            change.mutate({
                                base_url: server.base_url,
                                ...(server.models[0] ? { model: server.models[0] } : {}),
                            })
                        }
                    />
                    <OtherProvider
                        key={`${settings.base_url} ${settings.has_key}`}
                        settings={settings}
                        busy={change.isPending}
                        onChange={change.mutate}
                    />
                </>
            )}
        </>
    );
}

function Section({
    title,
    end,
    children,
}: {
    title?: string;
    end?: ReactNode;
    children: ReactNode;
}) {
    return (
        <section className="border-t border-soft px-4 py-3 text-13">
            {title && (
                <div className="mb-2 flex min-h-7 items-center gap-2">
                    <h3 className="flex-1 font-medium">{title}</h3>
                    {end}
                </div>
            )}
            {children}
        </section>
    );
}

interface FormProps {
    settings: ModelSettings;
    busy: boolean;
    onChange: (change: ModelChange | null) => void;
}

function ChooseModel({ settings, busy, onChange }: FormProps) {
    const { t } = useTranslation();
    const listed = useQuery(availableQuery);
    const pinned = settings.model_from !== "";
    const names = listed.data?.models ?? [];
    // One that the endpoint does not list, or not yet.
    const all = names.includes(settings.model) ? names : [settings.model, ...names];
    return (
        <Section>
            <label className="block text-ink-2">
                {t("models.model")}
                {listed.isPending ? (
                    <span className="skeleton mt-1 block h-9" />
                ) : (
                    <select
                        className={kBox}
                        value={settings.model}
                        disabled={busy || pinned}
                        onChange={(event) => onChange({ model: event.target.value })}
                    >
                        {all.map((name) => (
                            <option key={name} value={name}>
                                {name}
                            </option>
                        ))}
                    </select>
                )}
            </label>
            {pinned && (
                <p className="mt-1.5 text-12 text-ink-3">
                    {t("models.pinned", { source: settings.model_from })}
                </p>
            )}
            {listed.isError && (
                <div className="mt-2">
                    <ErrorNotice error={listed.error} onRetry={() => void listed.refetch()} />
                </div>
            )}
            {listed.isSuccess && !names.includes(settings.model) && (
                <p className="mt-1.5 text-12 text-bad">
                    {names.length > 0
                        ? t("models.notListed", { model: settings.model })
                        : t("models.listsNone")}
                </p>
            )}
            <label className="mt-3 flex items-center gap-2 text-ink-2">
                <input
                    type="checkbox"
                    className="accent-accent"
                    checked={settings.questions_may_choose}
                    disabled={busy}
                    onChange={(event) => onChange({ questions_may_choose: event.target.checked })}
                />
                {t("models.mayChoose")}
            </label>
        </Section>
    );
}

interface OnThisMachineProps {
    inUse: string;
    busy: boolean;
    onUse: (server: LocalServer) => void;
}

function OnThisMachine({ inUse, busy, onUse }: OnThisMachineProps) {
    const { t } = useTranslation();
    const local = useQuery(localServersQuery);
    const again = (
        <IconButton
            small
            label={t("models.lookAgain")}
            disabled={local.isFetching}
            onClick={() => void local.refetch()}
        >
            <RotateCw size={14} className={local.isFetching ? "animate-spin" : ""} />
        </IconButton>
    );
    return (
        <Section title={t("models.local")} end={again}>
            {local.isPending && <div className="skeleton h-12" />}
            {local.isError && (
                <ErrorNotice error={local.error} onRetry={() => void local.refetch()} />
            )}
            {local.data?.length === 0 && <p className="text-ink-3">{t("models.noneFound")}</p>}
            <ul className="flex flex-col gap-2">
                {local.data?.map((server) => (
                    <li
                        key={server.base_url}
                        className="flex items-center gap-3 rounded-lg border border-line px-3 py-2"
                    >
                        <Cpu size={16} className="flex-none text-accent" />
                        <div className="min-w-0 flex-1">
                            <div className="font-medium text-ink">
                                {server.name || server.base_url}
                            </div>
                            <div className="truncate text-12 text-ink-3">
                                {server.base_url} ·{" "}
                                {t("models.count", {
                                    count: server.models.length,
                                    models: formatNumber(server.models.length),
                                })}
                            </div>
                        </div>
                        {server.base_url === inUse ? (
                            <span className="flex-none text-12 text-hot">{t("models.inUse")}</span>
                        ) : (
                            <Button
                                small
                                disabled={busy || server.models.length === 0}
                                aria-label={t("models.useNamed", {
                                    name: server.name || server.base_url,
                                })}
                                onClick={() => onUse(server)}
                            >
                                {t("models.use")}
                            </Button>
                        )}
                    </li>
                ))}
            </ul>
        </Section>
    );
}

function OtherProvider({ settings, busy, onChange }: FormProps) {
    const { t } = useTranslation();
    const [address, setAddress] = useState(settings.base_url || kOpenAi);
    const [key, setKey] = useState("");
    const same = address.trim() === settings.base_url;
    const submit = (event: FormEvent) => {
        event.preventDefault();
        onChange({ base_url: address.trim(), ...(key || !same ? { key: key.trim() } : {}) });
    };
    return (
        <Section title={t("models.other")}>
            <form onSubmit={submit} className="grid gap-3 text-ink-2 sm:grid-cols-2">
                <label>
                    {t("models.address")}
                    <input
                        type="url"
                        required
                        maxLength={2048}
                        autoComplete="off"
                        spellCheck={false}
                        value={address}
                        onChange={(event) => setAddress(event.target.value)}
                        className={kBox}
                    />
                </label>
                <label>
                    {t("models.key")}
                    <input
                        type="password"
                        maxLength={4096}
                        autoComplete="off"
                        spellCheck={false}
                        value={key}
                        placeholder={same && settings.has_key ? t("models.keyKept") : ""}
                        onChange={(event) => setKey(event.target.value)}
                        className={kBox}
                    />
                </label>
                <p className="text-12 text-ink-3 sm:col-span-2">{t("models.keyText")}</p>
                <div className="flex flex-wrap justify-end gap-2 sm:col-span-2">
                    {settings.provider !== "offline" && (
                        <Button small kind="danger" disabled={busy} onClick={() => onChange(null)}>
                            {t("models.forget")}
                        </Button>
                    )}
                    <Button
                        small
                        kind="primary"
                        type="submit"
                        disabled={busy || address.trim() === "" || (same && key === "")}
                    >
                        {t("models.save")}
                    </Button>
                </div>
            </form>
        </Section>
    );
}
