import { useQuery, useQueryClient } from "@tanstack/react-query";
import {
    Archive,
    ChevronDown,
    ChevronRight,
    Download,
    File as FileIcon,
    FilePlus,
    FileText,
    FolderPlus,
    Globe,
    Image as ImageIcon,
    MoreHorizontal,
    NotebookText,
    Pencil,
    RefreshCw,
    Table2,
    Trash2,
    Upload,
    type LucideIcon,
} from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { DropZone } from "@/components/drop-zone";
import { IconButton } from "@/components/ui/button";
import { AskText } from "@/components/ui/dialog";
import { Menu, MenuItem, MenuLine } from "@/components/ui/menu";
import { ErrorNotice } from "@/components/ui/notice";
import { toast } from "@/components/ui/toasts";
import { downloadFile, fileAddress, openable, startDownload } from "@/lib/addresses";
import { sentenceOfError } from "@/lib/describe-error";
import { formatBytes, formatPercent } from "@/lib/format";
import { upload } from "@/lib/upload";
import {
    folderQuery,
    makeFolder,
    moveFile,
    removeFile,
    saveFile,
    type FileView,
} from "../api/files";
import { kindOf, type Kind } from "../kinds";
import { Preview } from "./preview";

const kRoots = ["/data", "/session"];
const kUndoMs = 6000;
const kIcons: Record<Kind, LucideIcon> = {
    image: ImageIcon,
    table: Table2,
    notebook: NotebookText,
    html: Globe,
    pdf: FileText,
    markdown: FileText,
    text: FileIcon,
};
// The API's path of an entry is in percent; people and our addresses have it plain.
const plain = (entry: FileView) => `/${decodeURIComponent(entry.path)}`;
const parentOf = (path: string) => path.slice(0, path.lastIndexOf("/")) || "/";

interface Asked {
    kind: "file" | "folder" | "rename";
    path: string;
}

export function FilesTab({
    session,
    file,
    onFile,
}: {
    session: string;
    file: string;
    onFile: (file: string) => void;
}) {
    const { t } = useTranslation();
    const client = useQueryClient();
    const picker = useRef<HTMLInputElement>(null);
    const [folder, setFolder] = useState("/data");
    const [asked, setAsked] = useState<Asked | null>(null);
    const [sending, setSending] = useState<Record<string, number>>({});
    const [hidden, setHidden] = useState<readonly string[]>([]);

    const refresh = () => void client.invalidateQueries({ queryKey: ["session", session] });
    const attempt = async (work: () => Promise<unknown>) => {
        try {
            await work();
        } catch (error) {
            toast(sentenceOfError(error, t), { bad: true });
        }
        refresh();
    };
    const send = (files: Iterable<File>) => {
        for (const one of files) {
            const progress = (fraction: number) =>
                setSending((all) => ({ ...all, [one.name]: fraction }));
            progress(0);
            const path = `${fileAddress(session, `${folder}/${one.name}`)}?parents=true`;
            upload({ method: "PUT", path, body: one, onProgress: progress })
                .catch((error: unknown) => {
                    const text = t("files.uploadFailed", { name: one.name });
                    const action = { label: t("common.retry"), onClick: () => send([one]) };
                    toast(`${text} ${sentenceOfError(error, t)}`, { bad: true, action });
                })
                .finally(() => {
                    setSending(({ [one.name]: _, ...rest }) => rest);
                    refresh();
                });
        }
    };
    const remove = (path: string) => {
        setHidden((all) => [...all, path]);
        if (file === path || file.startsWith(`${path}/`)) onFile("");
        const show = () => setHidden((all) => all.filter((one) => one !== path));
        const timer = setTimeout(
            () => void attempt(() => removeFile(session, path)).then(show),
            kUndoMs,
        );
        const undo = () => {
            clearTimeout(timer);
            show();
        };
        toast(t("files.deleted", { name: path.split("/").pop() ?? path }), {
            action: { label: t("common.undo"), onClick: undo },
        });
    };
    const answer = (name: string) => {
        if (!asked) return;
        const path = name.startsWith("/")
            ? name
            : `${asked.kind === "rename" ? parentOf(asked.path) : asked.path}/${name}`;
        if (asked.kind === "folder") void attempt(() => makeFolder(session, path));
        if (asked.kind === "rename")
            void attempt(() => moveFile(session, asked.path, path)).then(() => {
                if (file === asked.path) onFile(path);
            });
        if (asked.kind === "file")
            void attempt(() => saveFile(session, path, "", "")).then(() => onFile(path));
    };
    return (
        <DropZone
            label={t("files.dropInto", { folder })}
            onFiles={send}
            className="@container flex min-h-0 flex-1 flex-col"
        >
            <div className="flex h-10 flex-none items-center gap-0.5 pr-2 pl-4 text-12 text-ink-3">
                <span className="min-w-0 flex-1 truncate font-mono" dir="auto">
                    {folder}
                </span>
                <input
                    ref={picker}
                    type="file"
                    multiple
                    hidden
                    onChange={(event) => {
                        send(event.target.files ?? []);
                        event.target.value = "";
                    }}
                />
                <IconButton small label={t("files.upload")} onClick={() => picker.current?.click()}>
                    <Upload size={14} />
                </IconButton>
                <IconButton
                    small
                    label={t("files.newFile")}
                    onClick={() => setAsked({ kind: "file", path: folder })}
                >
                    <FilePlus size={14} />
                </IconButton>
                <IconButton
                    small
                    label={t("files.newFolder")}
                    onClick={() => setAsked({ kind: "folder", path: folder })}
                >
                    <FolderPlus size={14} />
                </IconButton>
                <IconButton small label={t("common.refresh")} onClick={refresh}>
                    <RefreshCw size={14} />
                </IconButton>
            </div>
            <div className="flex min-h-0 flex-1 flex-col @3xl:flex-row">
                <div
                    role="tree"
                    aria-label={t("panel.files")}
                    className={`overflow-y-auto px-2 pb-2 text-13 ${file ? "max-h-[36%] flex-none @3xl:max-h-none @3xl:w-72 @3xl:border-r @3xl:border-line" : "min-h-0 flex-1"}`}
                >
                    {Object.entries(sending).map(([name, fraction]) => (
                        <div key={name} className="flex h-7 items-center gap-2 px-2 text-ink-2">
                            <Upload size={14} />
                            <span className="min-w-0 flex-1 truncate" dir="auto">
                                {name}
                            </span>
                            <span className="tabular text-12">{formatPercent(fraction)}</span>
                        </div>
                    ))}
                    {kRoots.map((root) => (
                        <Folder
                            key={root}
                            session={session}
                            path={root}
                            depth={0}
                            open={root === "/data"}
                            selected={file}
                            folder={folder}
                            hidden={hidden}
                            onFolder={setFolder}
                            onFile={onFile}
                            onRename={(path) => setAsked({ kind: "rename", path })}
                            onRemove={remove}
                        />
                    ))}
                </div>
                {file && (
                    <Preview key={file} session={session} file={file} onClose={() => onFile("")} />
                )}
            </div>
            {asked && (
                <AskText
                    title={t(
                        `files.${asked.kind === "file" ? "newFile" : asked.kind === "folder" ? "newFolder" : "rename"}`,
                    )}
                    label={
                        asked.kind === "rename"
                            ? t("files.newName")
                            : t("files.nameIn", { folder: asked.path })
                    }
                    value={asked.kind === "rename" ? (asked.path.split("/").pop() ?? "") : ""}
                    action={asked.kind === "rename" ? t("common.rename") : t("files.create")}
                    onSubmit={answer}
                    onClose={() => setAsked(null)}
                />
            )}
        </DropZone>
    );
}

interface FolderProps {
    session: string;
    path: string;
    depth: number;
    open: boolean;
    selected: string;
    folder: string;
    hidden: readonly string[];
    onFolder: (path: string) => void;
    onFile: (path: string) => void;
    onRename: (path: string) => void;
    onRemove: (path: string) => void;
}

const indent = (depth: number) => ({ paddingLeft: 8 + depth * 16 });

function Folder(props: FolderProps) {
    const { session, path, depth, selected, folder, hidden } = props;
    const { t } = useTranslation();
    const [open, setOpen] = useState(props.open || selected.startsWith(`${path}/`));
    const address = path.slice(1).split("/").map(encodeURIComponent).join("/");
    const list = useQuery({ ...folderQuery(session, address), enabled: open });
    const entries = (list.data?.entries ?? []).filter((entry) => !hidden.includes(plain(entry)));
    const Arrow = open ? ChevronDown : ChevronRight;
    return (
        <div role="group">
            <div
                role="treeitem"
                aria-expanded={open}
                aria-selected={folder === path}
                className={`group flex h-7 items-center rounded-md pr-1 hover:bg-soft ${folder === path ? "text-ink" : "text-ink-2"}`}
            >
                <button
                    type="button"
                    style={indent(depth)}
                    onClick={() => {
                        setOpen(!open);
                        props.onFolder(path);
                    }}
                    className="flex h-full min-w-0 flex-1 items-center gap-1.5 text-left"
                >
                    <Arrow size={14} className="flex-none text-ink-3" />
                    <span className="truncate font-medium" dir="auto">
                        {depth === 0 ? path : path.split("/").pop()}
                    </span>
                </button>
                <EntryMenu
                    session={session}
                    path={path}
                    isFolder
                    fixed={depth === 0}
                    onRename={props.onRename}
                    onRemove={props.onRemove}
                />
            </div>
            {open && list.isPending && <div className="skeleton mx-3 my-1.5 h-4" />}
            {open && list.isError && (
                <div className="p-2">
                    <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
                </div>
            )}
            {open && list.isSuccess && entries.length === 0 && (
                <p style={indent(depth + 1)} className="py-1 text-12 text-ink-3">
                    {t("files.emptyFolder")}
                </p>
            )}
            {open &&
                entries.map((entry) =>
                    entry.type === "directory" ? (
                        <Folder
                            key={entry.path}
                            {...props}
                            path={plain(entry)}
                            depth={depth + 1}
                            open={depth === 0 && entry.name === "outputs"}
                        />
                    ) : (
                        <FileRow key={entry.path} {...props} entry={entry} />
                    ),
                )}
            {open && list.data?.next_after && (
                <p style={indent(depth + 1)} className="py-1 text-12 text-ink-3">
                    {t("files.moreInFolder")}
                </p>
            )}
        </div>
    );
}

function FileRow(props: FolderProps & { entry: FileView }) {
    const { session, entry, depth, selected } = props;
    const path = plain(entry);
    const Icon = kIcons[kindOf(entry.name)];
    const isOpen = selected === path;
    return (
        <div
            role="treeitem"
            aria-selected={isOpen}
            className={`group flex h-7 items-center rounded-md pr-1 ${isOpen ? "bg-accent-soft" : "hover:bg-soft"}`}
        >
            <button
                type="button"
                style={indent(depth + 1)}
                onClick={() => props.onFile(path)}
                className="flex h-full min-w-0 flex-1 items-center gap-2 text-left"
            >
                <Icon size={14} className="flex-none text-ink-3" />
                <span className="min-w-0 flex-1 truncate" dir="auto">
                    {entry.name}
                </span>
                <span className="tabular flex-none text-12 text-ink-3">
                    {formatBytes(entry.size)}
                </span>
            </button>
            <EntryMenu
                session={session}
                path={path}
                isFolder={false}
                fixed={false}
                onRename={props.onRename}
                onRemove={props.onRemove}
            />
        </div>
    );
}

interface EntryMenuProps {
    session: string;
    path: string;
    isFolder: boolean;
    // /data and /session are the sandbox's own.
    fixed: boolean;
    onRename: (path: string) => void;
    onRemove: (path: string) => void;
}

function EntryMenu({ session, path, isFolder, fixed, onRename, onRemove }: EntryMenuProps) {
    const { t } = useTranslation();
    const name = path.split("/").pop() ?? path;
    const archive = async () => {
        const address = await openable(
            session,
            `${fileAddress(session, path)}?archive=zip`,
            "files",
        );
        startDownload(address, `${name}.zip`);
    };
    return (
        <Menu
            trigger={
                <button
                    type="button"
                    aria-label={t("files.menu", { name })}
                    className="grid size-6 flex-none place-items-center rounded text-ink-3
                opacity-0 group-hover:opacity-100 hover:bg-line focus-visible:opacity-100 data-[state=open]:opacity-100
                [@media(hover:none)]:opacity-100"
                >
                    <MoreHorizontal size={14} />
                </button>
            }
        >
            {isFolder ? (
                <MenuItem icon={<Archive size={15} />} onSelect={() => void archive()}>
                    {t("files.downloadZip")}
                </MenuItem>
            ) : (
                <MenuItem
                    icon={<Download size={15} />}
                    onSelect={() => void downloadFile(session, path)}
                >
                    {t("common.download")}
                </MenuItem>
            )}
            {!fixed && (
                <>
                    <MenuItem icon={<Pencil size={15} />} onSelect={() => onRename(path)}>
                        {t("files.rename")}
                    </MenuItem>
                    <MenuLine />
                    <MenuItem icon={<Trash2 size={15} />} danger onSelect={() => onRemove(path)}>
                        {t("common.delete")}
                    </MenuItem>
                </>
            )}
        </Menu>
    );
}
