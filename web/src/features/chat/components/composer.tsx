import { ArrowUp, FileText, Paperclip, RotateCw, Square, X } from "lucide-react";
import {
    useEffect,
    useLayoutEffect,
    useRef,
    type ClipboardEvent,
    type KeyboardEvent,
    type ReactNode,
} from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/ui/button";
import { Tip } from "@/components/ui/tip";
import { toast } from "@/components/ui/toasts";
import { sentenceOfError } from "@/lib/describe-error";
import { formatBytes, formatPercent } from "@/lib/format";
import type { Attachment, useAttachments } from "../hooks/use-attachments";

interface ComposerProps {
    text: string;
    onText: (text: string) => void;
    onSend: () => void;
    // Of a turn that runs; null: there is none.
    onStop: (() => void) | null;
    // ↑ in an empty box.
    onRecall?: () => void;
    uploads: ReturnType<typeof useAttachments>;
    waiting?: boolean;
    autoFocus?: boolean;
    // Beside the button for files.
    children?: ReactNode;
}

// More than any model reads at once; the server takes a little more.
export const kTextMax = 200_000;

// Files pasted from the clipboard all carry the same name.
function named(file: File, index: number): File {
    if (file.name !== "image.png") return file;
    const time = new Date().toISOString().slice(0, 19).replace(/[:T]/g, "-");
    return new File([file], `pasted-${time}${index ? `-${index}` : ""}.png`, { type: file.type });
}

export function Composer(props: ComposerProps) {
    const { text, onText, onSend, onStop, onRecall, uploads, waiting = false } = props;
    const { autoFocus, children } = props;
    const { t } = useTranslation();
    const box = useRef<HTMLTextAreaElement>(null);
    const picker = useRef<HTMLInputElement>(null);
    const sending = uploads.attachments.some((one) => one.state === "sending");
    const broken = uploads.attachments.some((one) => one.state === "failed");
    const ready = text.trim() !== "" && !sending && !broken && !waiting && !onStop;

    useLayoutEffect(() => {
        const area = box.current;
        if (!area) return;
        area.style.height = "auto";
        area.style.height = `${Math.min(area.scrollHeight, 240)}px`;
    }, [text]);
    useEffect(() => {
        // A menu would close, and what is being typed elsewhere would go on here.
        const busy = document.activeElement?.closest("[role=menu], dialog, input, textarea");
        // On a touch screen focus would open the keyboard over the page.
        if (autoFocus && !busy && matchMedia("(hover: hover)").matches) box.current?.focus();
    }, [autoFocus]);

    const onKeyDown = (event: KeyboardEvent) => {
        // While an input method composes, Enter chooses a word.
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            if (ready) onSend();
        } else if (event.key === "Escape" && onStop) {
            onStop();
        } else if (event.key === "ArrowUp" && text === "" && onRecall) {
            event.preventDefault();
            onRecall();
        }
    };
    const onPaste = (event: ClipboardEvent) => {
        const files = [...event.clipboardData.files].map(named);
        const pasted = event.clipboardData.getData("text/plain");
        // Else the browser would cut it off without a word.
        if (files.length === 0 && text.length + pasted.length > kTextMax) {
            files.push(new File([pasted], "pasted.txt", { type: "text/plain" }));
            toast(t("composer.pastedAsFile"));
        }
        if (files.length === 0) return;
        event.preventDefault();
        uploads.add(files);
    };
    return (
        <div
            className="rounded-[14px] border border-line bg-panel px-3 pt-2.5 pb-2 shadow-low transition-colors
            focus-within:border-accent"
        >
            {uploads.attachments.length > 0 && (
                <ul className="mb-2 flex flex-wrap gap-1.5">
                    {uploads.attachments.map((one) => (
                        <Chip
                            key={one.key}
                            one={one}
                            onRemove={() => uploads.remove(one.key)}
                            onRetry={() => uploads.retry(one.key, one.file)}
                        />
                    ))}
                </ul>
            )}
            {uploads.attachments.map((one) => {
                if (one.state !== "failed") return null;
                return (
                    <p
                        key={one.key}
                        role="alert"
                        className="mb-1.5 px-1 text-13 [overflow-wrap:anywhere] text-bad"
                    >
                        <bdi>{one.file.name}</bdi>: {sentenceOfError(one.error, t)}
                    </p>
                );
            })}
            <textarea
                ref={box}
                value={text}
                rows={1}
                maxLength={kTextMax}
                aria-label={t("composer.label")}
                placeholder={t("composer.placeholder")}
                onChange={(event) => onText(event.target.value)}
                onKeyDown={onKeyDown}
                onPaste={onPaste}
                className="block w-full resize-none bg-transparent px-1 text-15 leading-6 placeholder:text-ink-3"
            />
            <div className="mt-1 flex items-center gap-1.5">
                <input
                    ref={picker}
                    type="file"
                    multiple
                    hidden
                    data-testid="file-picker"
                    onChange={(event) => {
                        uploads.add(event.target.files ?? []);
                        event.target.value = "";
                    }}
                />
                <IconButton label={t("composer.attach")} onClick={() => picker.current?.click()}>
                    <Paperclip size={16} />
                </IconButton>
                {children}
                <span className="flex-1" />
                <span className="hidden text-12 text-ink-3 sm:inline">
                    {onStop ? t("composer.escStops") : t("composer.enterSends")}
                </span>
                {onStop ? (
                    <IconButton kind="primary" label={t("composer.stop")} onClick={onStop}>
                        <Square size={13} fill="currentColor" />
                    </IconButton>
                ) : (
                    <IconButton
                        kind="primary"
                        label={t("composer.send")}
                        disabled={!ready}
                        onClick={onSend}
                    >
                        <ArrowUp size={17} />
                    </IconButton>
                )}
            </div>
        </div>
    );
}

function Chip(props: { one: Attachment; onRemove: () => void; onRetry: () => void }) {
    const { one, onRemove, onRetry } = props;
    const { t } = useTranslation();
    const failed = one.state === "failed";
    return (
        <li
            className={`relative flex h-8 max-w-full items-center gap-2 overflow-hidden rounded-lg border pr-1 pl-2.5
            text-13 ${failed ? "border-bad/50 bg-bad-soft" : "border-line bg-bg"}`}
        >
            <FileText size={14} className="flex-none text-ink-3" />
            <span className="min-w-0 truncate" dir="auto">
                {one.file.name}
            </span>
            <span className="tabular flex-none text-12 text-ink-3">
                {one.state === "sending" && one.fraction < 1
                    ? formatPercent(one.fraction)
                    : failed
                      ? t("composer.uploadFailed")
                      : formatBytes(one.file.size)}
            </span>
            {failed && (
                <Tip text={t("common.retry")}>
                    <button
                        type="button"
                        aria-label={t("common.retry")}
                        onClick={onRetry}
                        className="grid size-6 place-items-center rounded hover:bg-soft"
                    >
                        <RotateCw size={13} />
                    </button>
                </Tip>
            )}
            <button
                type="button"
                aria-label={t("composer.removeFile", { name: one.file.name })}
                onClick={onRemove}
                className="grid size-6 flex-none place-items-center rounded text-ink-3 hover:bg-soft hover:text-ink"
            >
                <X size={13} />
            </button>
            {one.state === "sending" && (
                <progress
                    value={one.fraction}
                    max={1}
                    aria-label={t("composer.uploading", { name: one.file.name })}
                    className="absolute inset-x-0 bottom-0 h-[3px] w-full appearance-none bg-soft
                        [&::-webkit-progress-bar]:bg-soft [&::-webkit-progress-value]:bg-accent
                        [&::-moz-progress-bar]:bg-accent"
                />
            )}
        </li>
    );
}
