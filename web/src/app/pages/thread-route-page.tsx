import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import {
    Copy,
    Download,
    FileText,
    MessageCircleDashed,
    NotebookText,
    PanelRight,
} from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { infoQuery, isOffline } from "@/app/info";
import { OfflineBanner } from "@/app/offline-banner";
import type { PanelSearch } from "@/app/panel-search";
import { GonePage } from "@/app/pages/not-found-page";
import { TopBar } from "@/app/top-bar";
import { usePresence } from "@/app/use-presence";
import { WorkspacePanel } from "@/app/workspace-panel";
import { IconButton } from "@/components/ui/button";
import { AskText } from "@/components/ui/dialog";
import { Menu, MenuItem, MenuLine } from "@/components/ui/menu";
import { ErrorNotice } from "@/components/ui/notice";
import { StateChip } from "@/components/ui/state-dot";
import {
    isTemporary,
    threadQuery,
    useForkThread,
    useRenameThread,
} from "@/features/chat/api/threads";
import { useExport } from "@/features/chat/components/thread-list";
import { ThreadPage } from "@/features/chat/components/thread-page";
import { useLiveTurn } from "@/features/chat/live-turns";
import { sessionQuery } from "@/lib/session-query";
import { isGone } from "@/lib/api";

const route = getRouteApi("/ui/t/$threadId");

export function ThreadRoutePage() {
    const { t } = useTranslation();
    const { threadId } = route.useParams();
    const search = route.useSearch();
    const navigate = useNavigate();
    const thread = useQuery(threadQuery(threadId));
    const info = useQuery(infoQuery);
    const session = thread.data?.session_id ?? "";
    // Asked more often than the thread: opening a tool wakes the session.
    const sandbox = useQuery({ ...sessionQuery(session), enabled: session !== "" });
    const state = sandbox.data?.state ?? thread.data?.state;
    const rename = useRenameThread();
    const exportAs = useExport();
    const temporary = isTemporary(threadId);
    usePresence(isGone(thread.error) ? "" : threadId, session);
    const [renaming, setRenaming] = useState(false);
    const fork = useForkThread(thread.data);
    // A new chat is called after its first question, which the server has not told yet.
    const asked = useLiveTurn(threadId)?.question;
    const title = thread.data?.title || asked || t("chat.untitled");
    useEffect(() => {
        document.title = `${title} · ${t("app.name")}`;
        return () => {
            document.title = t("app.name");
        };
    }, [title, t]);
    const open = (to: PanelSearch) =>
        void navigate({ to: "/ui/t/$threadId", params: { threadId }, search: to });

    if (isGone(thread.error)) {
        const text = temporary ? t("temporary.gone") : t("gone.text");
        return <GonePage title={t("gone.chat")} text={text} />;
    }
    if (thread.isError && !thread.data) {
        return (
            <>
                <TopBar />
                <div className="mx-auto w-full max-w-[760px] p-6">
                    <ErrorNotice error={thread.error} onRetry={() => void thread.refetch()} />
                </div>
            </>
        );
    }
    const actions = (
        <>
            <Menu
                trigger={
                    <IconButton label={t("chat.export")} className="max-sm:hidden">
                        <Download size={16} />
                    </IconButton>
                }
            >
                <MenuItem
                    icon={<FileText size={15} />}
                    onSelect={() => void exportAs(threadId, title, "markdown")}
                >
                    {t("chat.exportMarkdown")}
                </MenuItem>
                <MenuItem
                    icon={<NotebookText size={15} />}
                    onSelect={() => void exportAs(threadId, title, "ipynb")}
                >
                    {t("chat.exportNotebook")}
                </MenuItem>
                <MenuLine />
                <MenuItem
                    icon={<Copy size={15} />}
                    disabled={!session || fork.isPending}
                    onSelect={() => fork.mutate(null)}
                >
                    {t("chat.fork")}
                </MenuItem>
            </Menu>
            <IconButton
                label={search.panel ? t("panel.close") : t("panel.open")}
                aria-pressed={!!search.panel}
                className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
                onClick={() => open(search.panel ? {} : { panel: "files" })}
            >
                <PanelRight size={16} />
            </IconButton>
        </>
    );
    return (
        <>
            <TopBar actions={actions}>
                <h1 className="min-w-0">
                    <button
                        type="button"
                        className="block max-w-full truncate rounded px-1 text-15 font-semibold hover:bg-soft"
                        title={t("chat.rename")}
                        onClick={() => setRenaming(true)}
                        dir="auto"
                    >
                        {title}
                    </button>
                </h1>
                {temporary && (
                    <span
                        title={t("temporary.text")}
                        className="inline-flex h-6 flex-none items-center gap-1.5 rounded-full border border-dashed
                            border-ink-3/60 px-2.5 text-12 whitespace-nowrap text-ink-2"
                    >
                        <MessageCircleDashed size={13} />
                        <span className="max-sm:sr-only">{t("temporary.switch")}</span>
                    </span>
                )}
                {state && <StateChip state={state} narrow />}
                {isOffline(info.data) && (
                    <span
                        className="hidden h-6 items-center rounded-full border border-line bg-panel px-2.5 text-12
                        whitespace-nowrap text-ink-2 md:inline-flex"
                    >
                        {t("offline.chip")}
                    </span>
                )}
            </TopBar>
            <div className="relative flex min-h-0 flex-1">
                {thread.data && (
                    <ThreadPage
                        key={threadId}
                        thread={thread.data}
                        banner={<OfflineBanner />}
                        onFile={(path) => open({ panel: "files", file: path })}
                    />
                )}
                {search.panel && thread.data && (
                    <WorkspacePanel
                        session={thread.data.session_id}
                        search={search}
                        onChange={open}
                        onClose={() => open({})}
                    />
                )}
            </div>
            {renaming && thread.data && (
                <AskText
                    title={t("chat.rename")}
                    label={t("chat.title")}
                    value={thread.data.title}
                    action={t("common.rename")}
                    onSubmit={(value) => rename.mutate({ id: threadId, title: value })}
                    onClose={() => setRenaming(false)}
                />
            )}
        </>
    );
}
