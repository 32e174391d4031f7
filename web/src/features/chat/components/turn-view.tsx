import { ChevronDown, CircleSlash, GitBranch, RotateCcw } from "lucide-react";
import type { TFunction } from "i18next";
import { memo, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/ui/button";
import { CopyButton } from "@/components/ui/copy-button";
import { ErrorNotice, Notice } from "@/components/ui/notice";
import { formatDuration } from "@/lib/format";
import { useClock } from "@/lib/use-clock";
import type { LiveTurn } from "../live-turns";
import { answerText, repeatsTable, type Timings, type Turn } from "../turn";
import type { Place } from "../versions";
import { PartView } from "./parts";
import { Question } from "./question";

interface TurnProps {
    turn: Turn | LiveTurn;
    session: string;
    busy: boolean;
    place: Place | undefined;
    // Once more, at the end: of a question whose answer failed.
    onAgain: (question: string) => void;
    // At its place, in a version of the chat.
    onAskAt: (turn: number, question: string) => void;
    onVersion: (thread: string, turn: number) => void;
    onBranch: (turn: number) => void;
    onStop: () => void;
}

export const TurnView = memo(function TurnView({
    turn,
    session,
    busy,
    place,
    onAgain,
    onAskAt,
    onVersion,
    onBranch,
    onStop,
}: TurnProps) {
    const { t } = useTranslation();
    const live = "startedAt" in turn ? turn : null;
    const running = turn.state === "running";
    const answer = answerText(turn);
    const askAt = (question: string) =>
        turn.number > 0 ? onAskAt(turn.number, question) : onAgain(question);
    // A cell that runs says so itself.
    const last = turn.parts.at(-1);
    const runs = live && !live.reconnecting && last?.kind === "run" && last.state === "running";
    return (
        <article className="group/turn flex flex-col gap-3.5" data-turn={turn.number}>
            {turn.question && (
                <Question
                    text={turn.question}
                    askedAt={turn.askedAt}
                    place={place}
                    busy={busy}
                    onAsk={askAt}
                    onVersion={(thread) => onVersion(thread, turn.number)}
                />
            )}
            {turn.parts.map((part, index) =>
                part.kind === "table" && repeatsTable(answer, part.table) ? null : (
                    <PartView
                        // A cell stays the same when history takes the place of the stream.
                        key={part.kind === "run" && part.run > 0 ? `run-${part.run}` : index}
                        part={part}
                        session={session}
                        turnStart={live?.startedAt ?? 0}
                        onStop={running ? onStop : null}
                    />
                ),
            )}
            {running && live && !runs && <Working turn={live} />}
            {turn.stopped && (
                <p className="flex items-center gap-2 text-13 text-ink-2">
                    <CircleSlash size={14} className="text-warm" />
                    {t(`stopped.${turn.stopped}` as "stopped.cancelled", {
                        defaultValue: t("stopped.other", { why: turn.stopped }),
                    })}
                </p>
            )}
            {turn.note && !turn.stopped && <Notice title={t("chat.noAnswer")}>{turn.note}</Notice>}
            {turn.error && (
                <Notice
                    title={t("chat.failed")}
                    action={{ label: t("common.retry"), onClick: () => onAgain(turn.question) }}
                >
                    {turn.error}
                </Notice>
            )}
            {live?.failure != null && (
                <ErrorNotice error={live.failure} onRetry={() => onAgain(turn.question)} />
            )}
            {!running && (
                <div className="-mt-1 flex items-center gap-0.5 text-12 text-ink-3">
                    {answer && <CopyButton text={answer} label={t("chat.copyAnswer")} />}
                    <IconButton
                        small
                        label={t("chat.again")}
                        disabled={busy || !turn.question}
                        onClick={() => askAt(turn.question)}
                    >
                        <RotateCcw size={14} />
                    </IconButton>
                    {turn.number > 0 && (
                        <IconButton
                            small
                            label={t("chat.branch")}
                            disabled={busy}
                            onClick={() => onBranch(turn.number)}
                        >
                            <GitBranch size={14} />
                        </IconButton>
                    )}
                    {turn.timings && <TimingsView timings={turn.timings} model={turn.model} />}
                </div>
            )}
        </article>
    );
});

// The server's status is English; what it usually says has words in the page's language.
function statusWords(status: string, t: TFunction): string {
    if (status === "thinking") return t("chat.thinking");
    const tool = /^running (\w+)$/.exec(status)?.[1];
    if (tool === "run_python") return t("chat.runningPython");
    return tool ? t("chat.runningTool", { tool }) : status;
}

function Working({ turn }: { turn: LiveTurn }) {
    const { t } = useTranslation();
    const now = useClock(true);
    const text = turn.reconnecting
        ? t("chat.reconnecting")
        : statusWords(turn.status, t) ||
          (turn.parts.length > 0 ? t("chat.writing") : t("chat.thinking"));
    return (
        <p role="status" className="flex items-center gap-2.5 text-13 text-ink-2">
            <span
                className={`breathing size-2 rounded-full ${turn.reconnecting ? "bg-warm" : "bg-accent"}`}
            />
            <span className="min-w-0 truncate">{text}</span>
            <span className="tabular text-ink-3" aria-hidden>
                {formatDuration(Math.max(0, now - turn.startedAt))}
            </span>
        </p>
    );
}

function TimingsView({ timings, model }: { timings: Timings; model: string }) {
    const { t } = useTranslation();
    const [open, setOpen] = useState(false);
    const rows = [
        ["queue", timings.queue],
        ["sandbox", timings.sandbox],
        ["model", timings.model],
        ["code", timings.code],
    ] as const;
    return (
        <>
            <button
                type="button"
                aria-expanded={open}
                onClick={() => setOpen(!open)}
                className="tabular flex h-7 items-center gap-1 rounded-lg px-1.5 hover:bg-soft hover:text-ink"
            >
                {formatDuration(timings.total)}
                <ChevronDown size={13} className={open ? "rotate-180" : ""} />
            </button>
            {open && (
                <span className="tabular flex flex-wrap gap-x-3">
                    {rows.map(([name, ms]) => (
                        <span key={name}>
                            {t(`timings.${name}`)} {formatDuration(ms)}
                        </span>
                    ))}
                    {model && <span>{model}</span>}
                </span>
            )}
        </>
    );
}
