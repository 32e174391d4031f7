// A file, shown by what it is. What needs much code is loaded when such a file is opened.
import { useQuery } from "@tanstack/react-query";
import { Download, Pencil, X } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { SessionImage } from "@/components/session-image";
import { IconButton } from "@/components/ui/button";
import { ErrorNotice } from "@/components/ui/notice";
import { downloadFile, fileAddress } from "@/lib/addresses";
import { formatBytes, formatTime } from "@/lib/format";
import { load } from "@/lib/load";
import { statQuery, type FileView } from "../api/files";
import { isText, kindOf } from "../kinds";
import { TextContent } from "./text-content";

const DataGrid = lazy(load(() => import("@/components/data-grid/data-grid")));
const PdfView = lazy(load(() => import("./pdf-view")));
const NotebookView = lazy(load(() => import("./notebook-view")));
const HtmlView = lazy(load(() => import("./html-view")));
// Beyond this an editor in a page is no help.
const kEditBytesMax = 2_000_000;

interface PreviewProps {
    session: string;
    file: string;
    onClose: () => void;
}

export function Preview({ session, file, onClose }: PreviewProps) {
    const { t } = useTranslation();
    const stat = useQuery(statQuery(session, file));
    const [editing, setEditing] = useState(false);
    const name = file.split("/").pop() ?? file;
    const canEdit = isText(name) && (stat.data?.size ?? Infinity) <= kEditBytesMax;
    return (
        <section aria-label={name} className="flex min-h-0 flex-1 flex-col">
            <div className="flex h-10 flex-none items-center gap-2 border-y border-line bg-rail pr-2 pl-4 text-13">
                <b className="min-w-0 truncate font-semibold" dir="auto" title={file}>
                    {name}
                </b>
                {stat.data && (
                    <span className="tabular flex-none truncate text-12 text-ink-3">
                        {formatBytes(stat.data.size)}
                        <span className="@max-md:hidden">
                            {" · "}
                            {formatTime(stat.data.modified_at)}
                        </span>
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
            {stat.isError && (
                <div className="p-4">
                    <ErrorNotice error={stat.error} onRetry={() => void stat.refetch()} />
                </div>
            )}
            {stat.data && !stat.isError && (
                <Suspense fallback={<div className="skeleton m-4 h-40" />}>
                    <Body
                        key={`${file} ${stat.data.etag ?? ""}`}
                        session={session}
                        file={file}
                        stat={stat.data}
                        editing={editing}
                        onEditing={setEditing}
                    />
                </Suspense>
            )}
        </section>
    );
}

export interface BodyProps {
    session: string;
    file: string;
    stat: FileView;
    editing: boolean;
    onEditing: (editing: boolean) => void;
}

function Body(props: BodyProps) {
    const { session, file, stat, editing } = props;
    const { t } = useTranslation();
    const [sheet, setSheet] = useState("");
    const [asText, setAsText] = useState(false);
    const name = file.split("/").pop() ?? file;
    const text = <TextContent {...props} />;
    if (editing || asText || stat.size === 0) return text;
    switch (kindOf(name)) {
        case "image":
            return (
                <div className="grid min-h-0 flex-1 place-items-center overflow-auto bg-white p-4">
                    <SessionImage
                        session={session}
                        address={fileAddress(session, file)}
                        alt={name}
                        className="max-w-full"
                    />
                </div>
            );
        case "table":
            return (
                <DataGrid
                    session={session}
                    source={{ file, sheet }}
                    version={stat.etag ?? ""}
                    onSheet={setSheet}
                    instead={
                        isText(name) && (
                            <button
                                type="button"
                                className="self-start px-4 text-13 text-accent hover:underline"
                                onClick={() => setAsText(true)}
                            >
                                {t("files.asText")}
                            </button>
                        )
                    }
                />
            );
        case "pdf":
            return <PdfView session={session} file={file} />;
        case "notebook":
            return <NotebookView session={session} file={file} />;
        case "html":
            return <HtmlView session={session} file={file} />;
        default:
            return text;
    }
}
