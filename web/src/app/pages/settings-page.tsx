// What a person chooses for this browser, and what the server was started with.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ChevronRight, ExternalLink } from "lucide-react";
import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { infoQuery, isOffline } from "@/app/info";
import { Shortcuts } from "@/app/shortcuts";
import { TopBar } from "@/app/top-bar";
import { Card, Details, PageBody } from "@/components/page";
import { Button } from "@/components/ui/button";
import { CopyButton } from "@/components/ui/copy-button";
import { ErrorNotice } from "@/components/ui/notice";
import { modelSettingsQuery } from "@/features/models/api";
import { ModelForms } from "@/features/models/components/model-settings";
import { templatesQuery } from "@/features/sessions/api/sessions";
import { ApiError } from "@/lib/api";
import { setLanguage, type Language } from "@/lib/i18n";
import { tokenStore } from "@/lib/token";
import { toggleTheme, useTheme } from "@/lib/theme";

// How the server is started with a model; addresses are those that these programs listen at.
const kProviders = [
    ["OpenAI", "OPENAI_API_KEY=sk-… ./scripts/run"],
    ["Ollama", "OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=qwen3 ./scripts/run"],
    ["LM Studio", "OPENAI_BASE_URL=http://127.0.0.1:1234/v1 OPENAI_MODEL=… ./scripts/run"],
    ["llama.cpp", "OPENAI_BASE_URL=http://127.0.0.1:8080/v1 OPENAI_MODEL=… ./scripts/run"],
    ["vLLM", "OPENAI_BASE_URL=http://127.0.0.1:8001/v1 OPENAI_MODEL=… ./scripts/run"],
] as const;

export function SettingsPage() {
    const { t } = useTranslation();
    return (
        <>
            <TopBar>
                <h1 className="px-1 text-15 font-semibold">{t("rail.settings")}</h1>
            </TopBar>
            <PageBody narrow>
                <Model />
                <Look />
                <Access />
                <Offers />
                <Card title={t("settings.shortcuts")}>
                    <Shortcuts />
                </Card>
            </PageBody>
        </>
    );
}

function Model() {
    const { t } = useTranslation();
    const info = useQuery(infoQuery);
    const settings = useQuery(modelSettingsQuery);
    const refused = settings.error instanceof ApiError && settings.error.status === 403;
    return (
        <Card title={t("settings.model")}>
            {info.isError && (
                <div className="p-4">
                    <ErrorNotice error={info.error} onRetry={() => void info.refetch()} />
                </div>
            )}
            {info.isPending && <div className="skeleton m-4 h-6" />}
            {info.data && (
                <Details
                    rows={[
                        [
                            t("settings.answers"),
                            <b key="model">
                                {isOffline(info.data)
                                    ? t("offline.chip")
                                    : settings.data?.model || info.data.model}
                            </b>,
                        ],
                        ...(settings.data?.base_url
                            ? ([[t("settings.at"), settings.data.base_url]] as const)
                            : []),
                    ]}
                />
            )}
            {settings.data && <ModelForms settings={settings.data} />}
            {refused && (
                <p className="border-t border-soft px-4 py-3 text-13 text-ink-3">
                    {t("models.onlyAdmin")}
                </p>
            )}
            {settings.isError && !refused && (
                <div className="border-t border-soft p-4">
                    <ErrorNotice error={settings.error} onRetry={() => void settings.refetch()} />
                </div>
            )}
            <details className="group border-t border-soft px-4 py-2.5 text-13">
                <summary className="flex list-none items-center gap-1.5 text-ink-2 select-none">
                    <ChevronRight size={14} className="transition-transform group-open:rotate-90" />
                    {t("settings.atStart")}
                </summary>
                <ul className="mt-2 flex flex-col gap-1.5">
                    {kProviders.map(([name, command]) => (
                        <li key={name} className="flex items-center gap-3 max-sm:flex-wrap">
                            <span className="w-20 flex-none text-ink-2">{name}</span>
                            <span className="flex min-w-0 flex-1 items-center rounded-lg border border-line bg-code pl-2.5">
                                <code
                                    tabIndex={0}
                                    className="min-w-0 flex-1 overflow-x-auto py-1 font-mono text-12 whitespace-nowrap"
                                >
                                    {command}
                                </code>
                                <CopyButton
                                    text={command}
                                    label={t("settings.copyFor", { name })}
                                />
                            </span>
                        </li>
                    ))}
                </ul>
            </details>
        </Card>
    );
}

function Look() {
    const { t, i18n } = useTranslation();
    const theme = useTheme();
    return (
        <Card title={t("settings.look")}>
            <Details
                rows={[
                    [
                        t("language.label"),
                        <Choice
                            key="language"
                            label={t("language.label")}
                            value={i18n.language}
                            options={[
                                ["en", t("settings.english")],
                                ["zh", t("settings.chinese")],
                            ]}
                            onChange={(value) => setLanguage(value as Language)}
                        />,
                    ],
                    [
                        t("settings.theme"),
                        <Choice
                            key="theme"
                            label={t("settings.theme")}
                            value={theme}
                            options={[
                                ["light", t("settings.light")],
                                ["dark", t("settings.dark")],
                            ]}
                            onChange={(value) => {
                                if (value !== theme) toggleTheme();
                            }}
                        />,
                    ],
                ]}
            />
        </Card>
    );
}

interface ChoiceProps {
    label: string;
    value: string;
    options: readonly (readonly [value: string, label: string])[];
    onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
    return (
        <span role="group" aria-label={label} className="flex gap-1">
            {options.map(([one, text]) => (
                <button
                    key={one}
                    type="button"
                    aria-pressed={value === one}
                    onClick={() => onChange(one)}
                    className="h-7 rounded-lg border border-line px-2.5 text-12 text-ink-2 hover:bg-soft aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
                >
                    {text}
                </button>
            ))}
        </span>
    );
}

function Access() {
    const { t } = useTranslation();
    const client = useQueryClient();
    const key = useSyncExternalStore(tokenStore.subscribe, tokenStore.get);
    return (
        <Card title={t("settings.access")}>
            <div className="flex items-center gap-3 px-4 py-3 text-13">
                <p className="min-w-0 flex-1 text-ink-2">
                    {key ? t("settings.hasKey") : t("settings.noKey")}
                </p>
                {key && (
                    <Button
                        small
                        onClick={() => {
                            tokenStore.forget();
                            void client.resetQueries();
                        }}
                    >
                        {t("settings.forgetKey")}
                    </Button>
                )}
            </div>
        </Card>
    );
}

// What new sessions can start from, and where the API is described.
function Offers() {
    const { t } = useTranslation();
    const info = useQuery(infoQuery);
    const templates = useQuery(templatesQuery);
    if (!info.data) return null;
    const { datasets, networks, runtimes, version } = info.data;
    return (
        <Card title={t("settings.offers")}>
            <Details
                rows={[
                    [
                        t("server.datasets"),
                        datasets.length > 0
                            ? datasets.map((name) => `/data/${name}`).join(", ")
                            : t("settings.noDatasets"),
                    ],
                    [
                        t("settings.templates"),
                        templates.data?.templates
                            .map((one) =>
                                one.ready ? one.name : t("settings.brokenTemplate", { ...one }),
                            )
                            .join(", "),
                    ],
                    [t("server.networks"), networks.join(", ")],
                    [t("server.runtimes"), runtimes.join(", ")],
                    [t("server.version"), version],
                    [
                        t("settings.api"),
                        <a
                            key="docs"
                            href="/docs/"
                            className="inline-flex items-center gap-1.5 text-accent hover:underline"
                        >
                            {t("settings.docs")}
                            <ExternalLink size={13} />
                        </a>,
                    ],
                ]}
            />
        </Card>
    );
}
