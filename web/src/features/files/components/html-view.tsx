// An HTML file in an opaque frame: it runs no script, loads nothing, and belongs to no origin. To
// see it alive, a web server in the sandbox shows it in a page of its own.
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { useTranslation } from "react-i18next";
import { OpaqueHtml } from "@/components/opaque-html";
import { Button } from "@/components/ui/button";
import { ErrorNotice } from "@/components/ui/notice";
import { filePath } from "@/lib/addresses";
import { openPort, serveFolder } from "@/lib/ports";
import { contentQuery } from "../api/files";

export default function HtmlView({ session, file }: { session: string; file: string }) {
    const { t } = useTranslation();
    const query = useInfiniteQuery({ ...contentQuery(session, file), staleTime: Infinity });
    const alive = useMutation({
        mutationFn: async () => {
            const folder = file.slice(0, file.lastIndexOf("/")) || "/";
            const port = await serveFolder(session, folder);
            await openPort(session, port, filePath(file.slice(folder.length)));
        },
    });
    if (query.isPending) return <div className="skeleton m-4 h-40" />;
    if (query.isError)
        return (
            <div className="p-4">
                <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
            </div>
        );
    const html = query.data.pages.map((page) => page.text).join("");
    const name = file.split("/").pop() ?? file;
    return (
        <>
            <div className="flex flex-none items-center gap-3 border-b border-soft px-4 py-2 text-12 text-ink-2">
                <p className="min-w-0 flex-1">{t("files.htmlInert")}</p>
                <Button small disabled={alive.isPending} onClick={() => alive.mutate()}>
                    <ExternalLink size={13} />
                    {t("files.htmlOpen")}
                </Button>
            </div>
            {alive.isError && (
                <div className="px-4 py-2">
                    <ErrorNotice error={alive.error} />
                </div>
            )}
            <OpaqueHtml title={name} html={html} className="min-h-0 w-full flex-1" />
        </>
    );
}
