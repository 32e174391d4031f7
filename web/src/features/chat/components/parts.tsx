// The parts of an answer: text, cells of code that ran, charts, images, tables, tools.
import { ChevronRight, Download, Maximize2, Wrench } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { FoldedText } from "@/components/code-view";
import { ResultTable } from "@/components/result-table";
import { SessionImage } from "@/components/session-image";
import { IconButton } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { downloadFile } from "@/lib/addresses";
import { formatDuration } from "@/lib/format";
import { load } from "@/lib/load";
import type { Bundle } from "@/lib/mime";
import { visibleText, type ImageLink, type Part } from "../turn";
import { RunCell } from "./run-cell";

const Markdown = lazy(load(() => import("@/components/markdown/markdown")));
const MimeOutput = lazy(load(() => import("@/components/mime-output")));

interface PartProps {
    part: Part;
    session: string;
    // When its turn began, by this page's clock, and how to stop it; of a turn that streams.
    turnStart: number;
    onStop: (() => void) | null;
}

export function PartView({ part, session, turnStart, onStop }: PartProps) {
    switch (part.kind) {
        case "text":
            return <TextPart text={part.text} />;
        case "reasoning":
            return <Reasoning text={part.text} />;
        case "run":
            return <RunCell part={part} turnStart={turnStart} onStop={onStop} />;
        case "tool":
            return <ToolCell part={part} />;
        case "result":
            return <ResultPart data={part.data} />;
        case "image":
            return <ImagePart image={part.image} session={session} />;
        case "table":
            return <ResultTable table={part.table} />;
    }
}

function TextPart({ text: raw }: { text: string }) {
    const { thinking, text } = visibleText(raw);
    return (
        <>
            {thinking && <Reasoning text={thinking} />}
            {text && (
                <Suspense fallback={<div className="prose whitespace-pre-wrap">{text}</div>}>
                    <Markdown text={text} />
                </Suspense>
            )}
        </>
    );
}

function Reasoning({ text }: { text: string }) {
    const { t } = useTranslation();
    return (
        <details className="group text-13 text-ink-2">
            <summary className="flex list-none items-center gap-1.5 select-none">
                <ChevronRight size={14} className="transition-transform group-open:rotate-90" />
                {t("chat.reasoning")}
            </summary>
            <div className="mt-1 ml-1.5 border-l-2 border-line pl-4 whitespace-pre-wrap">
                {text}
            </div>
        </details>
    );
}

function ToolCell({ part }: { part: Extract<Part, { kind: "tool" }> }) {
    const { t } = useTranslation();
    return (
        <details className="rounded-[10px] border border-line bg-panel text-13 text-ink-2">
            <summary className="flex h-9 list-none items-center gap-2 px-3 select-none">
                <Wrench size={14} className={part.failed ? "text-bad" : "text-ink-3"} />
                <span>
                    {part.failed
                        ? t("code.toolFailed", { tool: part.tool })
                        : t("code.toolUsed", { tool: part.tool })}
                </span>
                {part.ms > 0 && (
                    <span className="tabular text-ink-3">{formatDuration(part.ms)}</span>
                )}
            </summary>
            {part.input && (
                <FoldedText
                    text={part.input}
                    lines={12}
                    language="json"
                    className="border-t border-soft bg-code"
                />
            )}
            {part.output && (
                <FoldedText text={part.output} lines={12} className="border-t border-soft" />
            )}
        </details>
    );
}

function ResultPart({ data }: { data: Bundle }) {
    const { t } = useTranslation();
    return (
        <Suspense fallback={<div className="skeleton h-72" />}>
            <MimeOutput data={data} label={t("code.result")} />
        </Suspense>
    );
}

function ImagePart({ image, session }: { image: ImageLink; session: string }) {
    const { t } = useTranslation();
    const [large, setLarge] = useState(false);
    const name = image.path.split("/").pop() ?? image.path;
    return (
        <figure className="group relative overflow-hidden rounded-[10px] border border-line bg-white">
            <button
                type="button"
                onClick={() => setLarge(true)}
                className="block w-full"
                aria-label={t("image.enlarge", { name })}
            >
                <SessionImage
                    session={session}
                    address={image.href}
                    alt={name}
                    className="mx-auto block max-h-[480px] min-h-40 w-full object-contain"
                />
            </button>
            <figcaption className="flex items-center gap-1 border-t border-line bg-panel py-0.5 pr-1.5 pl-3 text-12 text-ink-3">
                <span className="min-w-0 flex-1 truncate">{name}</span>
                <IconButton
                    small
                    label={t("image.enlarge", { name })}
                    onClick={() => setLarge(true)}
                >
                    <Maximize2 size={14} />
                </IconButton>
                <IconButton
                    small
                    label={t("common.downloadNamed", { name })}
                    onClick={() => void downloadFile(session, image.path)}
                >
                    <Download size={14} />
                </IconButton>
            </figcaption>
            {large && (
                <Dialog title={name} wide onClose={() => setLarge(false)}>
                    <SessionImage
                        session={session}
                        address={image.href}
                        alt={name}
                        className="mx-auto block max-h-[75vh] max-w-full rounded-lg bg-white"
                    />
                </Dialog>
            )}
        </figure>
    );
}
