import { useQuery } from "@tanstack/react-query";
import { Download, File as FileIcon, Images } from "lucide-react";
import { useTranslation } from "react-i18next";
import { SessionImage } from "@/components/session-image";
import { IconButton } from "@/components/ui/button";
import { Empty } from "@/components/ui/empty";
import { ErrorNotice } from "@/components/ui/notice";
import { downloadFile } from "@/lib/addresses";
import { formatBytes } from "@/lib/format";
import { artifactsQuery } from "../api/files";
import { kindOf } from "../kinds";

// What code left in /data/outputs and /session/artifacts.
export function GalleryTab({
    session,
    onFile,
}: {
    session: string;
    onFile: (file: string) => void;
}) {
    const { t } = useTranslation();
    const list = useQuery(artifactsQuery(session));
    if (list.isPending) {
        return (
            <div className="grid grid-cols-2 gap-3 p-4">
                {[0, 1, 2, 3].map((key) => (
                    <div key={key} className="skeleton h-36" />
                ))}
            </div>
        );
    }
    if (list.isError)
        return (
            <div className="p-4">
                <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
            </div>
        );
    if (list.data.artifacts.length === 0) {
        return (
            <Empty
                icon={<Images size={22} />}
                title={t("gallery.empty")}
                text={t("gallery.emptyText")}
                code={t("gallery.emptyCode")}
            />
        );
    }
    return (
        <div className="min-h-0 flex-1 overflow-y-auto p-4">
            <ul className="grid grid-cols-[repeat(auto-fill,minmax(170px,1fr))] gap-3">
                {list.data.artifacts.map((one) => {
                    const path = `/${decodeURIComponent(one.path)}`;
                    return (
                        <li
                            key={one.path}
                            className="overflow-hidden rounded-[10px] border border-line bg-panel"
                        >
                            <button
                                type="button"
                                className="block w-full"
                                onClick={() => onFile(path)}
                                aria-label={t("gallery.open", { name: one.name })}
                            >
                                {kindOf(one.name) === "image" ? (
                                    <SessionImage
                                        session={session}
                                        address={one.href}
                                        alt=""
                                        className="h-32 w-full bg-white object-contain"
                                    />
                                ) : (
                                    <span className="grid h-32 place-items-center bg-code text-ink-3">
                                        <FileIcon size={28} />
                                    </span>
                                )}
                            </button>
                            <div className="flex items-center gap-1 border-t border-line py-0.5 pr-1 pl-2.5">
                                <span className="min-w-0 flex-1">
                                    <span
                                        className="block truncate text-12"
                                        dir="auto"
                                        title={path}
                                    >
                                        {one.name}
                                    </span>
                                    <span className="tabular block text-12 text-ink-3">
                                        {formatBytes(one.size)}
                                    </span>
                                </span>
                                <IconButton
                                    small
                                    label={t("common.downloadNamed", { name: one.name })}
                                    onClick={() => void downloadFile(session, path)}
                                >
                                    <Download size={14} />
                                </IconButton>
                            </div>
                        </li>
                    );
                })}
            </ul>
            {!list.data.complete && <p className="pt-3 text-12 text-ink-3">{t("gallery.more")}</p>}
        </div>
    );
}
