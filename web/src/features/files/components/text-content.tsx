// Text, in pieces; Markdown as it is meant; or the editor.
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useCallback, useEffect, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { FoldedText } from "@/components/code-view";
import { Button } from "@/components/ui/button";
import { ErrorNotice } from "@/components/ui/notice";
import { formatBytes } from "@/lib/format";
import { load } from "@/lib/load";
import { contentQuery } from "../api/files";
import { kindOf, languageOf } from "../kinds";
import type { BodyProps } from "./preview";

const Editor = lazy(load(() => import("./editor")));
const Markdown = lazy(load(() => import("@/components/markdown/markdown")));

export function TextContent({ session, file, stat, editing, onEditing }: BodyProps) {
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
    const isEmpty = stat.size === 0;
    if (query.isPending && !isEmpty) return <div className="skeleton m-4 h-40" />;
    if (query.isError) {
        return (
            <div className="p-4">
                <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
            </div>
        );
    }
    if (query.data?.pages[0]?.binary)
        return <p className="p-4 text-13 text-ink-2">{t("files.binary")}</p>;
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
    if (text === "") return <p className="p-4 text-13 text-ink-2">{t("files.empty")}</p>;
    return (
        <div className="flex min-h-0 flex-1 flex-col overflow-auto" tabIndex={0}>
            {kindOf(name) === "markdown" ? (
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
            {!complete && (
                <Button
                    small
                    className="m-3 self-start"
                    disabled={query.isFetchingNextPage}
                    onClick={loadMore}
                >
                    {t("files.loadMore", {
                        size: formatBytes(stat.size - (query.data?.pages.at(-1)?.end ?? 0)),
                    })}
                </Button>
            )}
        </div>
    );
}
