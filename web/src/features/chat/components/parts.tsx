// The parts of an answer: text, cells of code that ran, images, tables, tools.
import { Check, ChevronDown, ChevronRight, Download, Maximize2, Wrench, X } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { FoldedText } from "@/components/code-view";
import { ResultTable } from "@/components/result-table";
import { SessionImage } from "@/components/session-image";
import { IconButton } from "@/components/ui/button";
import { CopyButton } from "@/components/ui/copy-button";
import { Dialog } from "@/components/ui/dialog";
import { downloadFile } from "@/lib/addresses";
import { formatDuration, formatNumber } from "@/lib/format";
import { failureOf, visibleText, type ImageLink, type Part } from "../turn";

const Markdown = lazy(() => import("@/components/markdown/markdown"));

export function PartView({ part, session }: { part: Part; session: string }) {
    switch (part.kind) {
        case "text":
            return <TextPart text={part.text} />;
        case "reasoning":
            return <Reasoning text={part.text} />;
        case "run":
            return <RunCell code={part.code} output={part.output} ms={part.ms} />;
        case "tool":
            return <ToolCell part={part} />;
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

// Code that is longer than this begins folded to its head line.
const kLongCode = 80;

// Code often says at its top what it does.
export function titleOf(code: string): string {
    const first = code.trimStart().split("\n", 1)[0] ?? "";
    return /^#(?!!)\s*\S/.test(first) ? first.replace(/^#+\s*/, "").replace(/\.$/, "") : "";
}

// The offline analyst's code reports to it in lines of JSON; the answer's table has what they say.
function forPeople(output: string): string {
    return output
        .split("\n")
        .filter((line) => !line.startsWith('{"atoll_'))
        .join("\n")
        .trimEnd();
}

export function RunCell({ code, output, ms }: { code: string; output: string; ms: number }) {
    const { t } = useTranslation();
    const lines = code.trimEnd().split("\n");
    const [open, setOpen] = useState(lines.length <= kLongCode);
    const failure = failureOf(output);
    const printed = forPeople(output);
    const title = titleOf(code);
    return (
        <section
            aria-label={t("code.ranPython")}
            className="overflow-hidden rounded-[10px] border border-line bg-panel"
        >
            <header className="flex h-9 items-center gap-2 pr-1.5 pl-3 text-13 text-ink-2">
                {failure ? (
                    <X size={15} className="flex-none text-bad" aria-label={t("code.failed")} />
                ) : (
                    <Check size={15} className="flex-none text-hot" aria-label={t("code.ok")} />
                )}
                <span className="flex-none">
                    {failure ? t("code.failedPython") : t("code.ranPython")}
                </span>
                <span className="tabular flex-none text-ink-3">{formatDuration(ms)}</span>
                <span className="min-w-0 flex-1 truncate text-ink-3">{!open && title}</span>
                {!open && (
                    <span className="hidden flex-none text-12 text-ink-3 sm:inline">
                        {t("code.lines", {
                            count: lines.length,
                            lines: formatNumber(lines.length),
                        })}
                    </span>
                )}
                <CopyButton text={code} label={t("code.copy")} />
                <IconButton
                    small
                    label={open ? t("code.hide") : t("code.show")}
                    aria-expanded={open}
                    onClick={() => setOpen(!open)}
                >
                    {open ? <ChevronDown size={15} /> : <ChevronRight size={15} />}
                </IconButton>
            </header>
            {open && (
                <FoldedText
                    text={code.trimEnd()}
                    lines={12}
                    language="python"
                    className="border-t border-soft bg-code"
                />
            )}
            {failure && (
                <div className="border-t border-soft px-3.5 py-2 font-mono text-[12.5px] text-bad">
                    {failure}
                </div>
            )}
            {printed &&
                open &&
                (failure ? (
                    <FoldedAway title={t("code.traceback")} text={printed} />
                ) : (
                    <FoldedText
                        text={printed}
                        lines={10}
                        className="border-t border-soft text-ink-2"
                    />
                ))}
        </section>
    );
}

function FoldedAway({ title, text }: { title: string; text: string }) {
    return (
        <details className="group border-t border-soft text-13 text-ink-2">
            <summary className="flex list-none items-center gap-1.5 px-3 py-1.5 select-none">
                <ChevronRight size={14} className="transition-transform group-open:rotate-90" />
                {title}
            </summary>
            <FoldedText
                text={text}
                lines={40}
                className="[&_pre]:whitespace-pre-wrap [&_pre]:[overflow-wrap:anywhere]"
            />
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
