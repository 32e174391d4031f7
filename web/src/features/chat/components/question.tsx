// What was asked: its text, a place to change it, and the versions that there are of it.
import { ChevronLeft, ChevronRight, Pencil } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/ui/button";
import { CopyButton } from "@/components/ui/copy-button";
import { formatNumber, formatTime } from "@/lib/format";
import type { Place } from "../versions";
import { kTextMax } from "./composer";

interface QuestionProps {
    text: string;
    askedAt: string;
    place: Place | undefined;
    busy: boolean;
    // Asks it anew at its place.
    onAsk: (text: string) => void;
    onVersion: (thread: string) => void;
}

export function Question({ text, askedAt, place, busy, onAsk, onVersion }: QuestionProps) {
    const { t } = useTranslation();
    const [editing, setEditing] = useState(false);
    if (editing)
        return <Editor text={text} busy={busy} onAsk={onAsk} onClose={() => setEditing(false)} />;
    return (
        <div className="flex flex-col items-end gap-0.5">
            <div
                dir="auto"
                className="max-w-[85%] rounded-[14px] rounded-br-[4px] bg-accent-soft px-3.5 py-2
                whitespace-pre-wrap [overflow-wrap:anywhere]"
            >
                {text}
            </div>
            <div className="flex items-center">
                <div
                    className="flex items-center opacity-0 transition-opacity group-focus-within/turn:opacity-100
                    group-hover/turn:opacity-100 [@media(hover:none)]:opacity-100"
                >
                    <span className="px-1 text-12 text-ink-3">{formatTime(askedAt)}</span>
                    <CopyButton text={text} label={t("chat.copyQuestion")} />
                    <IconButton small label={t("chat.edit")} onClick={() => setEditing(true)}>
                        <Pencil size={14} />
                    </IconButton>
                </div>
                {place && <Versions place={place} onVersion={onVersion} />}
            </div>
        </div>
    );
}

function Versions({ place, onVersion }: { place: Place; onVersion: (thread: string) => void }) {
    const { t } = useTranslation();
    const numbers = { at: formatNumber(place.at), of: formatNumber(place.of) };
    return (
        <div
            role="group"
            aria-label={t("versions.label", numbers)}
            className="flex items-center text-12 text-ink-2"
        >
            <IconButton
                small
                label={t("versions.previous")}
                disabled={!place.previous}
                onClick={() => onVersion(place.previous)}
            >
                <ChevronLeft size={15} />
            </IconButton>
            <span className="tabular" aria-hidden>
                {numbers.at} / {numbers.of}
            </span>
            <IconButton
                small
                label={t("versions.next")}
                disabled={!place.next}
                onClick={() => onVersion(place.next)}
            >
                <ChevronRight size={15} />
            </IconButton>
        </div>
    );
}

interface EditorProps {
    text: string;
    busy: boolean;
    onAsk: (text: string) => void;
    onClose: () => void;
}

function Editor({ text: before, busy, onAsk, onClose }: EditorProps) {
    const { t } = useTranslation();
    const [text, setText] = useState(before);
    const box = useRef<HTMLTextAreaElement>(null);
    const ready = !busy && text.trim() !== "";
    useEffect(() => {
        const element = box.current;
        element?.focus();
        element?.setSelectionRange(element.value.length, element.value.length);
    }, []);
    // As high as its text.
    useEffect(() => {
        const element = box.current;
        if (!element) return;
        element.style.height = "auto";
        element.style.height = `${Math.min(element.scrollHeight, 320)}px`;
    }, [text]);
    const onKeyDown = (event: KeyboardEvent) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Escape") onClose();
        if (event.key !== "Enter" || event.shiftKey) return;
        event.preventDefault();
        if (ready) onAsk(text);
    };
    return (
        <div className="rounded-[14px] border border-line bg-accent-soft px-3.5 pt-2.5 pb-2 focus-within:border-accent">
            <textarea
                ref={box}
                value={text}
                rows={1}
                dir="auto"
                maxLength={kTextMax}
                aria-label={t("versions.question")}
                onChange={(event) => setText(event.target.value)}
                onKeyDown={onKeyDown}
                className="block w-full resize-none bg-transparent outline-none"
            />
            <div className="mt-1.5 flex flex-wrap items-center gap-2">
                <p className="min-w-40 flex-1 text-12 text-ink-2">{t("versions.hint")}</p>
                <Button small kind="ghost" onClick={onClose}>
                    {t("common.cancel")}
                </Button>
                <Button small kind="primary" disabled={!ready} onClick={() => onAsk(text)}>
                    {t("versions.ask")}
                </Button>
            </div>
        </div>
    );
}
