// The tools of a session, in tabs. Heavy ones are loaded when they are opened.
import { lazy, Suspense, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { kTabs, type PanelSearch, type Tab } from "@/app/panel-search";
import { FilesTab } from "@/features/files/components/files-tab";
import { GalleryTab } from "@/features/files/components/gallery-tab";
import { UsageBar } from "@/features/sessions/components/usage-bar";
import { load } from "@/lib/load";

const TerminalTab = lazy(load(() => import("@/features/terminal/components/terminal-tab")));
const VariablesTab = lazy(load(() => import("@/features/variables/components/variables-tab")));
const ConsoleTab = lazy(load(() => import("@/features/console/components/console-tab")));
const PortsTab = lazy(load(() => import("@/features/ports/components/ports-tab")));
const ActivityTab = lazy(load(() => import("@/app/activity-tab")));

interface WorkspaceProps {
    session: string;
    search: PanelSearch;
    onChange: (to: PanelSearch) => void;
    end?: ReactNode;
}

export function Workspace({ session, search, onChange, end }: WorkspaceProps) {
    const { t } = useTranslation();
    const tab: Tab = search.panel ?? "files";
    // A shell goes on while another tab shows; it ends when the workspace is left.
    const [hasShell, setHasShell] = useState(false);
    if (tab === "terminal" && !hasShell) setHasShell(true);
    return (
        <>
            <div className="flex h-11 flex-none items-stretch border-b border-line pr-2 pl-2">
                <div
                    role="tablist"
                    aria-label={t("panel.label")}
                    className="flex min-w-0 flex-1 overflow-x-auto [scrollbar-width:none]"
                >
                    {kTabs.map((name) => (
                        <button
                            key={name}
                            type="button"
                            role="tab"
                            id={`tab-${name}`}
                            aria-selected={tab === name}
                            aria-controls="workspace"
                            onClick={() => onChange({ panel: name })}
                            className="flex-none border-b-2 border-transparent px-2 pt-1 text-13 whitespace-nowrap text-ink-2
                                hover:text-ink aria-selected:border-accent aria-selected:font-medium aria-selected:text-ink"
                        >
                            {t(`panel.${name}`)}
                        </button>
                    ))}
                </div>
                <div className="flex flex-none items-center">{end}</div>
            </div>
            <div
                role="tabpanel"
                id="workspace"
                aria-labelledby={`tab-${tab}`}
                className="flex min-h-0 flex-1 flex-col"
            >
                <Suspense fallback={<div className="skeleton m-4 h-24" />}>
                    {tab === "files" && (
                        <FilesTab
                            session={session}
                            file={search.file ?? ""}
                            onFile={(file) =>
                                onChange(file ? { panel: "files", file } : { panel: "files" })
                            }
                        />
                    )}
                    {tab === "gallery" && (
                        <GalleryTab
                            session={session}
                            onFile={(file) => onChange({ panel: "files", file })}
                        />
                    )}
                    {hasShell && (
                        <div
                            className={
                                tab === "terminal" ? "flex min-h-0 flex-1 flex-col" : "hidden"
                            }
                        >
                            <TerminalTab
                                key={session}
                                session={session}
                                visible={tab === "terminal"}
                            />
                        </div>
                    )}
                    {tab === "console" && <ConsoleTab key={session} session={session} />}
                    {tab === "variables" && (
                        <VariablesTab
                            session={session}
                            opened={search.variable ?? ""}
                            onOpen={(variable) =>
                                onChange({ panel: "variables", ...(variable ? { variable } : {}) })
                            }
                        />
                    )}
                    {tab === "ports" && <PortsTab session={session} />}
                    {tab === "activity" && <ActivityTab session={session} />}
                </Suspense>
            </div>
            <UsageBar session={session} />
        </>
    );
}
