import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { FileText, MoreHorizontal, NotebookText, Pencil, Search, Trash2, X } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { AskText } from "@/components/ui/dialog";
import { Menu, MenuItem, MenuLine } from "@/components/ui/menu";
import { ErrorLine } from "@/components/ui/notice";
import { StateDot } from "@/components/ui/state-dot";
import { toast } from "@/components/ui/toasts";
import { sentenceOfError } from "@/lib/describe-error";
import { startDownload } from "@/lib/addresses";
import {
    deleteThread,
    exportThread,
    threadListQuery,
    useRenameThread,
    type Thread,
} from "../api/threads";
import { groupByDay } from "../group-by-day";
import { liveTurns } from "../live-turns";
import { chatOf, onePerChat } from "../versions";

export function useExport(): (
    id: string,
    title: string,
    format: "markdown" | "ipynb",
) => Promise<void> {
    const { t } = useTranslation();
    return async (id, title, format) => {
        try {
            const address = URL.createObjectURL(await exportThread(id, format));
            const name = (title || id).replace(/[\\/:*?"<>|\s]+/g, "-").slice(0, 60);
            startDownload(address, `${name}.${format === "ipynb" ? "ipynb" : "md"}`);
            setTimeout(() => URL.revokeObjectURL(address), 60_000);
        } catch (error) {
            toast(sentenceOfError(error, t), { bad: true });
        }
    };
}

export function ThreadList() {
    const { t } = useTranslation();
    const [words, setWords] = useState("");
    const box = useRef<HTMLInputElement>(null);
    const client = useQueryClient();
    const query = useInfiniteQuery(threadListQuery);
    // A chat that another tab began.
    useEffect(
        () => liveTurns.onAsked(() => void client.invalidateQueries({ queryKey: ["threads"] })),
        [client],
    );
    // Versions of a chat are one entry: the one last spoken in.
    const threads = useMemo(
        () => onePerChat(query.data?.pages.flatMap((page) => page.threads) ?? []),
        [query.data],
    );
    const open = useParams({ strict: false }).threadId ?? "";
    const all = query.data?.pages.flatMap((page) => page.threads) ?? [];
    const openThread = all.find((one) => one.thread_id === open);
    const openChat = openThread ? chatOf(openThread) : open;
    // Deleted, with a moment left to undo it.
    const [hidden, setHidden] = useState<readonly string[]>([]);
    const hide = useCallback((id: string) => setHidden((all) => [...all, id]), []);
    const show = useCallback(
        (id: string) => setHidden((all) => all.filter((one) => one !== id)),
        [],
    );
    const wanted = words.trim().toLowerCase();
    const shown = threads.filter(
        (one) =>
            !one.temporary &&
            !hidden.includes(chatOf(one)) &&
            (wanted ? one.title.toLowerCase().includes(wanted) : one.turns > 0 || one.title !== ""),
    );
    return (
        <>
            <div className="relative my-2">
                <Search
                    size={14}
                    className="pointer-events-none absolute top-2.5 left-2.5 text-ink-3"
                />
                <input
                    ref={box}
                    type="search"
                    value={words}
                    id="search-threads"
                    aria-label={t("rail.search")}
                    placeholder={t("rail.search")}
                    onChange={(event) => setWords(event.target.value)}
                    onKeyDown={(event) => {
                        if (event.key === "Escape") setWords("");
                    }}
                    className="h-[34px] w-full rounded-lg border border-line bg-panel pr-8 pl-8 text-13
                        placeholder:text-ink-3 focus-visible:border-accent [&::-webkit-search-cancel-button]:hidden"
                />
                {words ? (
                    <button
                        type="button"
                        aria-label={t("rail.clearSearch")}
                        className="absolute top-2 right-2 p-0.5 text-ink-3"
                        onClick={() => {
                            setWords("");
                            box.current?.focus();
                        }}
                    >
                        <X size={14} />
                    </button>
                ) : (
                    <kbd
                        className="absolute top-2 right-2 hidden rounded border border-line bg-bg px-1.5 font-mono
                        text-[11px] leading-[18px] text-ink-3 sm:block"
                    >
                        {/Mac/.test(navigator.platform) ? "⌘K" : "Ctrl K"}
                    </kbd>
                )}
            </div>
            <nav aria-label={t("rail.chats")} className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1">
                {query.isPending &&
                    [0, 1, 2].map((key) => <div key={key} className="skeleton mx-2 my-2 h-5" />)}
                {query.isError && (
                    <ErrorLine error={query.error} onRetry={() => void query.refetch()} />
                )}
                {query.isSuccess && shown.length === 0 && (
                    <p className="px-2 pt-3 text-13 text-ink-3">
                        {wanted ? t("rail.nothingFound") : t("rail.noChats")}
                    </p>
                )}
                {groupByDay(shown, new Date()).map(([group, members]) => (
                    <section key={group}>
                        <h2 className="px-2 pt-3 pb-1 text-12 text-ink-3">{t(`rail.${group}`)}</h2>
                        <ul>
                            {members.map((one) => (
                                <Row
                                    key={chatOf(one)}
                                    thread={one}
                                    isOpen={chatOf(one) === openChat}
                                    onHide={hide}
                                    onShow={show}
                                />
                            ))}
                        </ul>
                    </section>
                ))}
                {query.hasNextPage && (
                    <button
                        type="button"
                        onClick={() => void query.fetchNextPage()}
                        className="w-full rounded-lg px-2 py-1.5 text-left text-13 text-accent hover:bg-soft"
                    >
                        {t("rail.more")}
                    </button>
                )}
            </nav>
        </>
    );
}

// Long enough to change one's mind; then the server is told.
const kUndoMs = 6000;

interface RowProps {
    thread: Thread;
    isOpen: boolean;
    onHide: (id: string) => void;
    onShow: (id: string) => void;
}

function Row({ thread, isOpen, onHide, onShow }: RowProps) {
    const { t } = useTranslation();
    const id = thread.thread_id;
    const navigate = useNavigate();
    const rename = useRenameThread();
    const client = useQueryClient();
    const exportAs = useExport();
    const [renaming, setRenaming] = useState(false);
    const title = thread.title || t("chat.untitled");

    const remove = () => {
        onHide(chatOf(thread));
        if (isOpen) void navigate({ to: "/ui" });
        const reallyDelete = async () => {
            liveTurns.drop(id);
            try {
                await deleteThread(id);
                await client.invalidateQueries({ queryKey: ["threads"] });
            } catch (error) {
                toast(sentenceOfError(error, t), { bad: true });
                onShow(chatOf(thread));
            }
        };
        const timer = setTimeout(() => void reallyDelete(), kUndoMs);
        const undo = () => {
            clearTimeout(timer);
            onShow(chatOf(thread));
        };
        toast(t("rail.deleted", { title }), {
            action: { label: t("common.undo"), onClick: undo },
        });
    };
    return (
        <li className="group relative">
            <Link
                to="/ui/t/$threadId"
                params={{ threadId: id }}
                title={title}
                className="flex h-8 items-center gap-2 rounded-lg pr-2 pl-2 text-14 text-ink-2 group-focus-within:pr-8 group-hover:pr-8 hover:bg-soft [@media(hover:none)]:pr-8
                    aria-[current]:bg-panel aria-[current]:text-ink aria-[current]:shadow-[inset_0_0_0_1px_var(--line)]"
                {...(isOpen ? { "aria-current": "page" as const } : {})}
            >
                <StateDot state={thread.state} />
                <span className="truncate" dir="auto">
                    {title}
                </span>
            </Link>
            <Menu
                trigger={
                    <button
                        type="button"
                        aria-label={t("rail.menu", { title })}
                        className="absolute top-1 right-1 grid size-6 place-items-center rounded-md text-ink-3 opacity-0
                        group-hover:opacity-100 hover:bg-line focus-visible:opacity-100 data-[state=open]:opacity-100
                        [@media(hover:none)]:opacity-100"
                    >
                        <MoreHorizontal size={15} />
                    </button>
                }
            >
                <MenuItem icon={<Pencil size={15} />} onSelect={() => setRenaming(true)}>
                    {t("common.rename")}
                </MenuItem>
                <MenuItem
                    icon={<FileText size={15} />}
                    onSelect={() => void exportAs(id, title, "markdown")}
                >
                    {t("chat.exportMarkdown")}
                </MenuItem>
                <MenuItem
                    icon={<NotebookText size={15} />}
                    onSelect={() => void exportAs(id, title, "ipynb")}
                >
                    {t("chat.exportNotebook")}
                </MenuItem>
                <MenuLine />
                <MenuItem icon={<Trash2 size={15} />} danger onSelect={remove}>
                    {t("common.delete")}
                </MenuItem>
            </Menu>
            {renaming && (
                <AskText
                    title={t("chat.rename")}
                    label={t("chat.title")}
                    value={thread.title}
                    action={t("common.rename")}
                    onSubmit={(value) => rename.mutate({ id, title: value })}
                    onClose={() => setRenaming(false)}
                />
            )}
        </li>
    );
}
