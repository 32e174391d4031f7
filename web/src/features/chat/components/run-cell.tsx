// A cell: code that runs or has run, with what it prints and how it ended. It is there from the
// run's start to its end and keeps its shape: what it printed stays where it was.
import { Check, ChevronDown, ChevronRight, Square, X } from "lucide-react";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { FoldedText } from "@/components/code-view";
import { Button, IconButton } from "@/components/ui/button";
import { CopyButton } from "@/components/ui/copy-button";
import { formatBytes, formatDuration, formatNumber } from "@/lib/format";
import { useClock } from "@/lib/use-clock";
import {
    failureIn,
    lastLines,
    overprinted,
    withoutEndNotes,
    withoutShownNotes,
    withoutReports,
    type Ending,
} from "../run-output";
import type { Printed, RunPart } from "../turn";

// Code that is longer than this begins folded to its head line.
const kLongCode = 80;
// Lines of output that show before it folds; as many while it runs, from its end.
const kOutputLines = 10;

// Code often says at its top what it does.
export function titleOf(code: string): string {
    const first = code.trimStart().split("\n", 1)[0] ?? "";
    return /^#(?!!)\s*\S/.test(first) ? first.replace(/^#+\s*/, "").replace(/\.$/, "") : "";
}

function headOf({ state, language }: RunPart, t: TFunction): string {
    const shell = language === "shell";
    if (state === "running") return shell ? t("code.runningShell") : t("code.runningPython");
    if (state === "failed") return shell ? t("code.failedShell") : t("code.failedPython");
    return shell ? t("code.ranShell") : t("code.ranPython");
}

// Why it ended, unless by itself.
function whyOf(part: RunPart, ending: Ending, t: TFunction): string {
    if (part.state !== "failed") return "";
    switch (part.reason) {
        case "exited":
            return part.language === "shell" ? t("code.why.exited", { code: part.exitCode }) : "";
        case "timeout":
            return t("code.why.timeout", { time: formatDuration(part.ms) });
        case "memory":
            return ending.memoryMax > 0
                ? t("ended.memoryLimit", { limit: formatBytes(ending.memoryMax) })
                : t("ended.memory");
        case "disk":
        case "output":
        case "killed":
        case "signalled":
            return t(`code.why.${part.reason}`);
        default:
            return part.run > 0 ? t("code.why.lost") : "";
    }
}

interface RunCellProps {
    part: RunPart;
    // When its turn began, by this page's clock.
    turnStart: number;
    onStop: (() => void) | null;
}

export function RunCell({ part, turnStart, onStop }: RunCellProps) {
    const { t } = useTranslation();
    const code = part.code.trimEnd();
    const lines = code.split("\n");
    // Null: nobody has decided; then its length does.
    const [chosen, setChosen] = useState<boolean | null>(null);
    const open = chosen ?? lines.length <= kLongCode;
    // Output is only hidden by whoever closes the cell.
    const shows = chosen ?? true;
    const running = part.state === "running";
    const failure = part.state === "failed" && part.output !== null ? failureIn(part.output) : null;
    const output = failure ? failure.before : (part.output ?? "");
    const ending = withoutEndNotes(part.output ?? "");
    const why = whyOf(part, ending, t);
    const shown = why ? withoutEndNotes(output).text : output;
    const printed = withoutReports(overprinted(withoutShownNotes(shown))).trimEnd();
    const head = headOf(part, t);
    return (
        <section
            aria-label={head}
            aria-busy={running}
            className="overflow-hidden rounded-[10px] border border-line bg-panel"
        >
            <header className="flex h-9 items-center gap-2 pr-1.5 pl-3 text-13 text-ink-2">
                <StateMark part={part} />
                <span className="flex-none">{head}</span>
                {running ? (
                    <Elapsed since={turnStart + part.atMs} />
                ) : (
                    <span className="tabular flex-none text-ink-3">{formatDuration(part.ms)}</span>
                )}
                <span className="min-w-0 flex-1 truncate text-ink-3">{!open && titleOf(code)}</span>
                {!open && (
                    <span className="hidden flex-none text-12 text-ink-3 sm:inline">
                        {t("code.lines", {
                            count: lines.length,
                            lines: formatNumber(lines.length),
                        })}
                    </span>
                )}
                {running && onStop && (
                    <Button small kind="ghost" onClick={onStop}>
                        <Square size={11} fill="currentColor" />
                        {t("code.stop")}
                    </Button>
                )}
                <CopyButton text={code} label={t("code.copy")} />
                <IconButton
                    small
                    label={open ? t("code.hide") : t("code.show")}
                    aria-expanded={open}
                    onClick={() => setChosen(!open)}
                >
                    {open ? <ChevronDown size={15} /> : <ChevronRight size={15} />}
                </IconButton>
            </header>
            {open && code && (
                <FoldedText
                    text={code}
                    lines={12}
                    language={part.language}
                    mark={failure?.line}
                    className="border-t border-soft bg-code"
                />
            )}
            {shows && part.output === null && part.live.length > 0 && (
                <LiveOutput live={part.live} truncated={part.truncated} />
            )}
            {shows && printed && (
                <FoldedText
                    text={printed}
                    lines={kOutputLines}
                    className="border-t border-soft text-ink-2"
                />
            )}
            {(why || failure) && (
                <div className="border-t border-soft px-3.5 py-2 text-13 text-bad">
                    {why && (
                        <p>
                            {why} {ending.variablesGone && t("ended.variablesGone")}
                        </p>
                    )}
                    {failure && (
                        <p className="font-mono text-[12.5px] [overflow-wrap:anywhere]">
                            {failure.last}
                        </p>
                    )}
                    {failure && failure.line > 0 && lines[failure.line - 1] && (
                        <p className="mt-0.5 flex gap-2 font-mono text-[12.5px] text-ink-2">
                            <span className="flex-none font-sans text-12 text-ink-3">
                                {t("code.line", { line: formatNumber(failure.line) })}
                            </span>
                            <span className="min-w-0 truncate">
                                {lines[failure.line - 1]?.trim()}
                            </span>
                        </p>
                    )}
                </div>
            )}
            {shows && failure && (
                <FoldedAway title={t("code.traceback")} text={failure.traceback} />
            )}
        </section>
    );
}

function StateMark({ part }: { part: RunPart }) {
    const { t } = useTranslation();
    if (part.state === "running") {
        return (
            <span className="grid size-[15px] flex-none place-items-center" aria-hidden>
                <span className="breathing size-2 rounded-full bg-accent" />
            </span>
        );
    }
    return part.state === "failed" ? (
        <X size={15} className="flex-none text-bad" aria-label={t("code.failed")} />
    ) : (
        <Check size={15} className="flex-none text-hot" aria-label={t("code.ok")} />
    );
}

function Elapsed({ since }: { since: number }) {
    const now = useClock(true);
    return (
        <span className="tabular flex-none text-ink-3" role="timer" aria-live="off">
            {formatDuration(Math.max(0, now - since))}
        </span>
    );
}

// As high as the folded output that takes its place, so that nothing moves when the run ends.
function LiveOutput({ live, truncated }: { live: readonly Printed[]; truncated: boolean }) {
    const { t } = useTranslation();
    const last = live.length - 1;
    const cleaned = live.map((piece, index) => {
        const text = withoutReports(overprinted(piece.text));
        return { ...piece, text: index === last ? text.replace(/\n$/, "") : text };
    });
    const folded = lastLines(cleaned, kOutputLines);
    const lines = folded.lines;
    const folds = lines > kOutputLines + 3;
    const pieces = folds ? folded.pieces : cleaned;
    return (
        <div className="border-t border-soft text-ink-2">
            <pre
                tabIndex={0}
                aria-label={t("code.output")}
                className="overflow-x-auto px-3.5 py-2.5 font-mono text-[12.5px] leading-relaxed"
            >
                {pieces.map((piece, index) => (
                    <span key={index} className={piece.stream === "stderr" ? "text-warm" : ""}>
                        {piece.text}
                    </span>
                ))}
            </pre>
            {(folds || truncated) && (
                <p className="px-3.5 py-1.5 text-12 text-ink-3">
                    {truncated
                        ? t("code.restLater")
                        : t("code.linesSoFar", { count: lines, lines: formatNumber(lines) })}
                </p>
            )}
        </div>
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
