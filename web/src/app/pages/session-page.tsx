import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { GonePage } from "@/app/pages/not-found-page";
import { TopBar } from "@/app/top-bar";
import { usePresence } from "@/app/use-presence";
import { isGone } from "@/lib/api";
import { Workspace } from "@/app/workspace";
import { ErrorNotice } from "@/components/ui/notice";
import { StateChip } from "@/components/ui/state-dot";
import { sessionQuery } from "@/lib/session-query";
import { SessionActions } from "@/features/sessions/components/session-actions";

const route = getRouteApi("/ui/s/$sessionId");

// A session without its chat: the same tools, the whole width.
export function SessionPage() {
    const { t } = useTranslation();
    const { sessionId } = route.useParams();
    const search = route.useSearch();
    const navigate = useNavigate();
    const session = useQuery(sessionQuery(sessionId));
    const thread = session.data?.metadata.thread;
    usePresence(isGone(session.error) ? "" : (thread ?? ""), sessionId);
    const open = (id: string) =>
        void navigate({
            to: "/ui/s/$sessionId",
            params: { sessionId: id },
            search: { panel: "files" },
        });
    if (isGone(session.error)) return <GonePage title={t("gone.session")} text={t("gone.text")} />;
    return (
        <>
            <TopBar
                actions={
                    session.data && (
                        <SessionActions
                            session={session.data}
                            onForked={open}
                            onDeleted={() => void navigate({ to: "/ui/sessions" })}
                        />
                    )
                }
            >
                <Link to="/ui/sessions" className="text-14 text-ink-3 hover:text-ink max-sm:hidden">
                    {t("rail.sessions")}
                </Link>
                <span className="text-ink-3 max-sm:hidden" aria-hidden>
                    /
                </span>
                <h1 className="min-w-0 truncate text-15 font-semibold" dir="auto">
                    {thread ? t("sessions.ofChat") : session.data?.name || t("sessions.unnamed")}
                </h1>
                {session.data && <StateChip state={session.data.state} narrow />}
                {thread && (
                    <Link
                        to="/ui/t/$threadId"
                        params={{ threadId: thread }}
                        className="text-13 whitespace-nowrap text-accent hover:underline max-sm:hidden"
                    >
                        {t("sessions.openChat")}
                    </Link>
                )}
            </TopBar>
            {session.isError && !session.data ? (
                <div className="p-6">
                    <ErrorNotice error={session.error} onRetry={() => void session.refetch()} />
                </div>
            ) : (
                session.data && (
                    <div className="flex min-h-0 flex-1 flex-col bg-panel">
                        <Workspace
                            key={sessionId}
                            session={sessionId}
                            search={search}
                            onChange={(to) =>
                                void navigate({
                                    to: "/ui/s/$sessionId",
                                    params: { sessionId },
                                    search: to,
                                })
                            }
                        />
                    </div>
                )
            )}
        </>
    );
}
