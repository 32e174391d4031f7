import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Boxes, MessageSquare, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { infoQuery } from "@/app/info";
import { TopBar } from "@/app/top-bar";
import { PageBody, TableFrame } from "@/components/page";
import { Button } from "@/components/ui/button";
import { Confirm } from "@/components/ui/dialog";
import { Empty } from "@/components/ui/empty";
import { ErrorNotice } from "@/components/ui/notice";
import { StateChip, useStateWord } from "@/components/ui/state-dot";
import { toast } from "@/components/ui/toasts";
import { threadListQuery } from "@/features/chat/api/threads";
import {
    createSession,
    deleteSession,
    kStates,
    sessionListQuery,
} from "@/features/sessions/api/sessions";
import { NewSession } from "@/features/sessions/components/new-session";
import { SessionActions } from "@/features/sessions/components/session-actions";
import { describeError, sentenceOfError } from "@/lib/describe-error";
import { formatBytes, formatTime } from "@/lib/format";

export function SessionsPage() {
    const { t } = useTranslation();
    const word = useStateWord();
    const navigate = useNavigate();
    const client = useQueryClient();
    const [state, setState] = useState("");
    const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
    const [asking, setAsking] = useState<"new" | "delete" | null>(null);
    const list = useInfiniteQuery(sessionListQuery(state));
    const info = useQuery(infoQuery);
    const threads = useInfiniteQuery(threadListQuery);
    const titles = new Map(
        threads.data?.pages
            .flatMap((page) => page.threads)
            .map((one) => [one.thread_id, one.title]),
    );
    const sessions = list.data?.pages.flatMap((page) => page.sessions) ?? [];
    const open = (id: string) =>
        void navigate({
            to: "/ui/s/$sessionId",
            params: { sessionId: id },
            search: { panel: "files" },
        });
    const create = useMutation({
        mutationFn: createSession,
        onSuccess: (made) => open(made.id),
        onError: (error) => {
            toast(sentenceOfError(error, t), { bad: true });
        },
    });
    const removeAll = async () => {
        const ids = sessions.filter((one) => chosen.has(one.id)).map((one) => one.id);
        setChosen(new Set());
        const ends = await Promise.allSettled(ids.map(deleteSession));
        const failed = ends.filter((one) => one.status === "rejected");
        if (failed[0])
            toast(
                t("sessions.someFailed", {
                    count: failed.length,
                    why: describeError(failed[0].reason, t).title,
                }),
                { bad: true },
            );
        void client.invalidateQueries({ queryKey: ["sessions"] });
        void client.invalidateQueries({ queryKey: ["threads"] });
    };
    const toggle = (id: string) => {
        const next = new Set(chosen);
        if (!next.delete(id)) next.add(id);
        setChosen(next);
    };
    return (
        <>
            <TopBar>
                <h1 className="px-1 text-15 font-semibold">{t("rail.sessions")}</h1>
            </TopBar>
            <PageBody>
                <div className="flex flex-wrap items-center gap-2">
                    <div
                        role="group"
                        aria-label={t("sessions.filter")}
                        className="flex flex-wrap gap-1"
                    >
                        {["", ...kStates].map((one) => (
                            <button
                                key={one}
                                type="button"
                                aria-pressed={state === one}
                                onClick={() => setState(one)}
                                className="h-7 rounded-full border border-line bg-panel px-3 text-12 text-ink-2 aria-pressed:border-accent
                                        aria-pressed:bg-accent-soft aria-pressed:text-accent"
                            >
                                {one ? word(one) : t("sessions.all")}
                            </button>
                        ))}
                    </div>
                    <span className="flex-1" />
                    {chosen.size > 0 && (
                        <Button small kind="danger" onClick={() => setAsking("delete")}>
                            <Trash2 size={14} />
                            {t("sessions.deleteChosen", { count: chosen.size })}
                        </Button>
                    )}
                    <Button
                        small
                        kind="primary"
                        disabled={create.isPending}
                        onClick={() => setAsking("new")}
                    >
                        <Plus size={14} />
                        {t("sessions.new")}
                    </Button>
                </div>
                {list.isError && (
                    <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
                )}
                {list.isPending &&
                    [0, 1, 2].map((key) => <div key={key} className="skeleton h-12" />)}
                {list.isSuccess && sessions.length === 0 && (
                    <Empty
                        icon={<Boxes size={22} />}
                        title={t("sessions.empty")}
                        text={t("sessions.emptyText")}
                    />
                )}
                {sessions.length > 0 && (
                    <div className="overflow-hidden rounded-xl border border-line bg-panel">
                        <TableFrame
                            head={[
                                { label: t("sessions.choose"), hidden: true },
                                { label: t("sessions.name") },
                                { label: t("sessions.state") },
                                { label: t("sessions.memory"), className: "number max-sm:hidden" },
                                { label: t("sessions.used"), className: "max-md:hidden" },
                                { label: t("sessions.made"), className: "max-md:hidden" },
                                { label: t("sessions.actions"), hidden: true },
                            ]}
                        >
                            {sessions.map((one) => {
                                const thread = one.metadata.thread;
                                const name = thread
                                    ? titles.get(thread) || t("sessions.ofChat")
                                    : one.name || t("sessions.unnamed");
                                return (
                                    <tr key={one.id} className="hover:bg-soft/60">
                                        <td className="w-8">
                                            <input
                                                type="checkbox"
                                                className="accent-accent"
                                                checked={chosen.has(one.id)}
                                                aria-label={t("sessions.chooseOne", {
                                                    name: one.id,
                                                })}
                                                onChange={() => toggle(one.id)}
                                            />
                                        </td>
                                        <td className="max-w-0 w-full sm:min-w-44">
                                            <Link
                                                to="/ui/s/$sessionId"
                                                params={{ sessionId: one.id }}
                                                search={{ panel: "files" }}
                                                className="block truncate font-medium hover:text-accent"
                                                dir="auto"
                                            >
                                                {name}
                                            </Link>
                                            <span className="block truncate font-mono text-12 text-ink-3">
                                                {one.id}
                                            </span>
                                        </td>
                                        <td>
                                            <StateChip state={one.state} />
                                        </td>
                                        <td className="number whitespace-nowrap max-sm:hidden">
                                            {one.usage ? formatBytes(one.usage.memory_bytes) : "–"}
                                        </td>
                                        <td className="whitespace-nowrap text-ink-2 max-md:hidden">
                                            {formatTime(one.last_used_at)}
                                        </td>
                                        <td className="whitespace-nowrap text-ink-2 max-md:hidden">
                                            {formatTime(one.created_at)}
                                        </td>
                                        <td className="whitespace-nowrap">
                                            <span className="flex items-center justify-end">
                                                {thread && (
                                                    <Link
                                                        to="/ui/t/$threadId"
                                                        params={{ threadId: thread }}
                                                        title={t("sessions.openChat")}
                                                        aria-label={t("sessions.openChat")}
                                                        className="grid size-7 place-items-center rounded-lg text-ink-2 hover:bg-soft"
                                                    >
                                                        <MessageSquare size={15} />
                                                    </Link>
                                                )}
                                                <SessionActions
                                                    session={one}
                                                    onForked={open}
                                                    onDeleted={() => undefined}
                                                />
                                            </span>
                                        </td>
                                    </tr>
                                );
                            })}
                        </TableFrame>
                    </div>
                )}
                {list.hasNextPage && (
                    <Button small className="self-start" onClick={() => void list.fetchNextPage()}>
                        {t("rail.more")}
                    </Button>
                )}
            </PageBody>
            {asking === "new" && (
                <NewSession
                    info={info.data}
                    onSubmit={(wish) => create.mutate(wish)}
                    onClose={() => setAsking(null)}
                />
            )}
            {asking === "delete" && (
                <Confirm
                    title={t("sessions.deleteChosen", { count: chosen.size })}
                    text={t("sessions.deleteManyText")}
                    action={t("common.delete")}
                    onConfirm={() => void removeAll()}
                    onClose={() => setAsking(null)}
                />
            )}
        </>
    );
}
