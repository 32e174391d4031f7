// A notebook to read: its texts, its code, and what the code showed when it last ran.
import { useInfiniteQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { FoldedText } from "@/components/code-view";
import MimeOutput from "@/components/mime-output";
import { ErrorNotice, Notice } from "@/components/ui/notice";
import { withoutColours } from "@/lib/kernel";
import { load } from "@/lib/load";
import { contentQuery } from "../api/files";
import { parseNotebook, type Cell, type Output } from "../notebook";

const Markdown = lazy(load(() => import("@/components/markdown/markdown")));
// A larger one would freeze the page: it is JSON in one piece.
const kBytesMax = 40_000_000;

export default function NotebookView({ session, file }: { session: string; file: string }) {
    const { t } = useTranslation();
    const query = useInfiniteQuery({ ...contentQuery(session, file), staleTime: Infinity });
    const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
    const size = query.data?.pages[0]?.total ?? 0;
    const fits = size <= kBytesMax;
    useEffect(() => {
        if (hasNextPage && !isFetchingNextPage && fits) void fetchNextPage();
    }, [hasNextPage, isFetchingNextPage, fits, fetchNextPage]);
    const pages = query.data?.pages;
    const notebook = useMemo(
        () => (hasNextPage ? null : parseNotebook(pages?.map((page) => page.text).join("") ?? "")),
        [pages, hasNextPage],
    );
    if (query.isError)
        return (
            <div className="p-4">
                <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
            </div>
        );
    if (query.isPending || (hasNextPage && fits)) return <div className="skeleton m-4 h-40" />;
    if (!notebook)
        return (
            <div className="p-4">
                <Notice title={fits ? t("files.noNotebook") : t("files.notebookLarge")} />
            </div>
        );
    return (
        <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-auto p-4" tabIndex={0}>
            {notebook.cells.map((cell, at) => (
                <CellView key={at} cell={cell} language={notebook.language} />
            ))}
        </div>
    );
}

function CellView({ cell, language }: { cell: Cell; language: string }) {
    if (cell.kind === "markdown")
        return (
            <Suspense fallback={null}>
                <Markdown text={cell.source} />
            </Suspense>
        );
    return (
        <div className="flex-none overflow-hidden rounded-[10px] border border-line bg-panel">
            <div className="flex bg-code">
                <span className="tabular w-10 flex-none pt-2.5 text-right font-mono text-12 text-ink-3">
                    {cell.kind === "code" && `[${cell.count ?? " "}]`}
                </span>
                <FoldedText
                    text={cell.source.trimEnd()}
                    lines={30}
                    language={cell.kind === "code" ? language : ""}
                    className="min-w-0 flex-1"
                />
            </div>
            {cell.outputs.map((output, at) => (
                <OutputView key={at} output={output} />
            ))}
        </div>
    );
}

function OutputView({ output }: { output: Output }) {
    const { t } = useTranslation();
    if (output.kind === "data")
        return (
            <div className="border-t border-soft p-2">
                <MimeOutput data={output.data} label={t("code.result")} />
            </div>
        );
    return (
        <FoldedText
            text={withoutColours(output.text).trimEnd()}
            lines={20}
            className={`border-t border-soft ${output.kind === "error" ? "text-bad" : "text-ink-2"}`}
        />
    );
}
