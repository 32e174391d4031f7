import { ChevronRight } from "lucide-react";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { FoldedText } from "@/components/code-view";
import MimeOutput from "@/components/mime-output";
import { ErrorNotice, Notice } from "@/components/ui/notice";
import { formatBytes, formatDuration } from "@/lib/format";
import { load } from "@/lib/load";
import { useClock } from "@/lib/use-clock";
import { failureOf, isRunning, type Entry, type Output } from "../store";

const Highlighted = lazy(load(() => import("@/components/highlighted")));

interface EntryProps {
    entry: Entry;
    // Of the session; 0: not known.
    memoryMax: number;
    onRestart: () => void;
}

export function EntryView({ entry, memoryMax, onRestart }: EntryProps) {
    const { t } = useTranslation();
    const running = isRunning(entry);
    const now = useClock(running);
    const ms = entry.answer?.timings_ms.run ?? Math.max(0, now - entry.startedAt);
    const error = failureOf(entry);
    return (
        <section aria-label={t("console.entry")} className="border-b border-soft pb-1.5">
            <div className="flex items-start gap-2 bg-code py-1 pr-3 pl-4">
                <span
                    aria-hidden
                    className={`mt-1 font-mono text-12 ${running ? "breathing text-warm" : "text-accent"}`}
                >
                    {">>>"}
                </span>
                <pre className="min-w-0 flex-1 overflow-x-auto py-0.5 font-mono text-[12.5px] leading-relaxed">
                    <Suspense fallback={entry.code}>
                        <Highlighted code={entry.code} language="python" />
                    </Suspense>
                </pre>
                <span className="tabular mt-1 flex-none text-12 text-ink-3">
                    {formatDuration(ms)}
                </span>
            </div>
            {entry.outputs.map((output, at) => (
                <OutputView key={at} output={output} />
            ))}
            {error && (
                <>
                    <p className="px-4 pt-2 font-mono text-[12.5px] [overflow-wrap:anywhere] text-bad">
                        {error.text}
                    </p>
                    {error.trace && (
                        <details className="group px-4 text-12 text-ink-2">
                            <summary className="flex list-none items-center gap-1 py-1 select-none">
                                <ChevronRight size={13} className="group-open:rotate-90" />
                                {t("code.traceback")}
                            </summary>
                            <pre className="overflow-x-auto font-mono text-12">{error.trace}</pre>
                        </details>
                    )}
                </>
            )}
            {entry.answer && (
                <HowItEnded answer={entry.answer} memoryMax={memoryMax} onRestart={onRestart} />
            )}
            {entry.failure != null && (
                <div className="px-4 pt-2">
                    <ErrorNotice error={entry.failure} />
                </div>
            )}
        </section>
    );
}

function OutputView({ output }: { output: Output }) {
    const { t } = useTranslation();
    if (output.kind === "data")
        return (
            <div className="px-2 pt-1.5">
                <MimeOutput data={output.data} label={t("code.result")} />
            </div>
        );
    return (
        <FoldedText
            text={output.text.trimEnd()}
            lines={30}
            from="end"
            className={output.kind === "stderr" ? "bg-bad-soft" : ""}
        />
    );
}

// Why it ended, if not by itself, and what became of the variables.
function HowItEnded(props: {
    answer: NonNullable<Entry["answer"]>;
    memoryMax: number;
    onRestart: () => void;
}) {
    const { answer, memoryMax, onRestart } = props;
    const { t } = useTranslation();
    const lost = answer.lost ?? [];
    const titles: Record<string, string> = {
        memory:
            memoryMax > 0
                ? t("ended.memoryLimit", { limit: formatBytes(memoryMax) })
                : t("ended.memory"),
        timeout: t("ended.timeout"),
        disk: t("ended.disk"),
        output: t("ended.output"),
        signalled: t("ended.died"),
        killed: t("ended.killed"),
    };
    const title = titles[answer.reason] ?? (answer.state_lost ? t("ended.died") : "");
    if (!title && lost.length === 0 && !answer.output_truncated) return null;
    const peak = answer.memory_peak_bytes;
    return (
        <div className="flex flex-col gap-2 px-4 pt-2">
            {title && (
                <Notice
                    title={title}
                    action={
                        answer.state_lost
                            ? { label: t("variables.restart"), onClick: onRestart }
                            : undefined
                    }
                >
                    {answer.state_lost && t("ended.variablesGone")}
                    {answer.reason === "memory" && peak > 0 && (
                        <> {t("ended.peak", { size: formatBytes(peak) })}</>
                    )}
                </Notice>
            )}
            {lost.length > 0 && (
                <Notice kind="info" title={t("ended.lost")}>
                    {lost.map((one) => `${one.name || one.context} (${one.reason})`).join(", ")}
                </Notice>
            )}
            {answer.output_truncated && <p className="text-12 text-ink-2">{t("ended.cut")}</p>}
        </div>
    );
}
