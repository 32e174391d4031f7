import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Download, Pencil, X } from "lucide-react";
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { FoldedText } from "@/components/code-view";
import { SessionImage } from "@/components/session-image";
import { Button, IconButton } from "@/components/ui/button";
import { ErrorNotice } from "@/components/ui/notice";
import { downloadFile, fileAddress } from "@/lib/addresses";
import { formatBytes, formatTime } from "@/lib/format";
import { contentQuery, statQuery, type FileView } from "../api/files";
import { delimiterOf, parseCsv } from "../csv";
import { kindOf, languageOf } from "../kinds";
import { Grid } from "./grid";

const Editor = lazy(() => import("./editor"));
const Markdown = lazy(() => import("@/components/markdown/markdown"));
// Beyond this an editor in a page is no help.
const kEditBytesMax = 2_000_000;

export function Preview({
    session,
    file,
    onClose,
}: {
    session: string;
    file: string;
    onClose: () => void;
}) {
    const { t } = useTranslation();
    const stat = useQuery(statQuery(session, file));
    const [editing, setEditing] = useState(false);
    const name = file.split("/").pop() ?? file;
    const kind = kindOf(name);
    const canEdit = kind !== "image" && (stat.data?.size ?? Infinity) <= kEditBytesMax;
    return (
        <section aria-label={name} className="flex min-h-0 flex-1 flex-col">
            <div className="flex h-10 flex-none items-center gap-2 border-y border-line bg-rail pr-2 pl-4 text-13">
                <b className="min-w-0 truncate font-semibold" dir="auto" title={file}>
                    {name}
                </b>
                {stat.data && (
                    <span className="tabular flex-none truncate text-12 text-ink-3">
                        {formatBytes(stat.data.size)} · {formatTime(stat.data.modified_at)}
                    </span>
                )}
                <span className="flex-1" />
                {canEdit && !editing && (
                    <IconButton small label={t("files.edit")} onClick={() => setEditing(true)}>
                        <Pencil size={14} />
                    </IconButton>
                )}
                <IconButton
                    small
                    label={t("common.download")}
                    onClick={() => void downloadFile(session, file)}
                >
                    <Download size={14} />
                </IconButton>
                <IconButton small label={t("files.closePreview")} onClick={onClose}>
                    <X size={14} />
                </IconButton>
            </div>
            {stat.isError ? (
                <div className="p-4">
                    <ErrorNotice error={stat.error} onRetry={() => void stat.refetch()} />
                </div>
            ) : kind === "image" ? (
                <div className="grid min-h-0 flex-1 place-items-center overflow-auto bg-white p-4">
                    <SessionImage
                        key={stat.data?.etag ?? ""}
                        session={session}
                        address={fileAddress(session, file)}
                        alt={name}
                        className="max-w-full"
                    />
                </div>
            ) : (
                stat.data && (
                    <Content
                        key={`${file} ${stat.data.etag ?? ""}`}
                        session={session}
                        file={file}
                        stat={stat.data}
                        editing={editing}
                        onEditing={setEditing}
                    />
                )
            )}
        </section>
    );
}

interface ContentProps {
    session: string;
    file: string;
    stat: FileView;
    editing: boolean;
    onEditing: (editing: boolean) => void;
}

function Content({ session, file, stat, editing, onEditing }: ContentProps) {
    const { t } = useTranslation();
    const client = useQueryClient();
    const query = useInfiniteQuery({
        ...contentQuery(session, file),
        staleTime: Infinity,
        enabled: stat.size > 0,
    });
    const { fetchNextPage, isFetchingNextPage } = query;
    const loadMore = useCallback(() => {
        if (!isFetchingNextPage) void fetchNextPage();
    }, [fetchNextPage, isFetchingNextPage]);
    const wantsAll = editing && query.hasNextPage;
    useEffect(() => {
        if (wantsAll) loadMore();
    }, [wantsAll, loadMore]);
    const text = useMemo(
        () => query.data?.pages.map((page) => page.text).join("") ?? "",
        [query.data],
    );
    const name = file.split("/").pop() ?? file;
    const kind = kindOf(name);
    const binary = query.data?.pages[0]?.binary ?? false;
    const rows = useMemo(
        () => (kind === "csv" && !binary ? parseCsv(text, delimiterOf(text, name)) : []),
        [kind, binary, text, name],
    );
    const isEmpty = stat.size === 0;
    if (query.isPending && !isEmpty) return <div className="skeleton m-4 h-40" />;
    if (query.isError) {
        return (
            <div className="p-4">
                <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
            </div>
        );
    }
    if (binary) return <p className="p-4 text-13 text-ink-2">{t("files.binary")}</p>;
    const complete = !query.hasNextPage;
    if (editing && complete) {
        return (
            <Suspense fallback={<div className="skeleton m-4 h-40" />}>
                <Editor
                    session={session}
                    file={file}
                    text={text}
                    etag={stat.etag ?? ""}
                    language={languageOf(name)}
                    onClose={(saved) => {
                        onEditing(false);
                        if (saved)
                            void client.invalidateQueries({ queryKey: ["session", session] });
                    }}
                />
            </Suspense>
        );
    }
    const more = !complete && (
        <Button
            small
            className="m-3 self-start"
            disabled={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
        >
            {t("files.loadMore", {
                size: formatBytes(stat.size - (query.data?.pages.at(-1)?.end ?? 0)),
            })}
        </Button>
    );
    if (kind === "csv" && rows.length > 0)
        return <Grid rows={rows} complete={complete} onEnd={loadMore} />;
    if (text === "") return <p className="p-4 text-13 text-ink-2">{t("files.empty")}</p>;
    return (
        <div className="flex min-h-0 flex-1 flex-col overflow-auto" tabIndex={0}>
            {kind === "markdown" ? (
                <div className="p-4">
                    <Suspense fallback={null}>
                        <Markdown text={text} />
                    </Suspense>
                </div>
            ) : (
                <FoldedText
                    text={text}
                    lines={5000}
                    language={languageOf(name)}
                    className="[&_pre]:max-h-none"
                />
            )}
            {more}
        </div>
    );
}
