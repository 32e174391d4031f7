// A turn of a conversation as the page shows it: a question, and the parts of its answer in the
// order in which they came. Built from history or, while it streams, from events. Pure functions.
import type { Schemas } from "@/lib/api";
import type { Bundle } from "@/lib/mime";
import { failureIn } from "./run-output";

export type ImageLink = Schemas["ImageLink"];
export type TableData = Schemas["TableData"];
export type Timings = Schemas["TurnTimings"];
type HistoryMessage = Schemas["HistoryMessage"];

export type Part =
    | { kind: "text"; text: string }
    | { kind: "reasoning"; text: string }
    | RunPart
    | { kind: "tool"; tool: string; input: string; output: string; ms: number; failed: boolean }
    | { kind: "result"; data: Bundle }
    | { kind: "image"; image: ImageLink }
    | { kind: "table"; table: TableData };

export interface Printed {
    stream: "stdout" | "stderr";
    text: string;
}

// Code that runs or has run.
export interface RunPart {
    kind: "run";
    // Which run of the turn, from 1; 0: not known.
    run: number;
    language: string;
    code: string;
    // When it began, since the question was taken. Of a run that streams.
    atMs: number;
    state: "running" | "ok" | "failed";
    // What it has printed so far, and whether the rest comes with its end.
    live: readonly Printed[];
    truncated: boolean;
    // All of it, as the model saw it; null until it has ended.
    output: string | null;
    ms: number;
    exitCode: number;
    // Why it ended, as the API says it: exited, timeout, memory, …; empty: not known.
    reason: string;
}

export interface Turn {
    // 0 until the server has told it.
    number: number;
    question: string;
    askedAt: string;
    parts: readonly Part[];
    state: "running" | "done" | "failed";
    // What is being done now, in the server's words.
    status: string;
    // The server's word about a turn that has no answer.
    note: string;
    error: string;
    stopped: string;
    model: string;
    timings: Timings | null;
}

export function newTurn(question: string, askedAt: string): Turn {
    return {
        number: 0,
        question,
        askedAt,
        parts: [],
        state: "running",
        status: "",
        note: "",
        error: "",
        stopped: "",
        model: "",
        timings: null,
    };
}

export function turnsFromHistory(messages: readonly HistoryMessage[]): Turn[] {
    const turns: Turn[] = [];
    for (const message of messages) {
        let turn = turns.at(-1);
        if (message.role === "user" || !turn || turn.number !== message.turn) {
            const question = message.role === "user" ? message.content : "";
            turn = { ...newTurn(question, message.at), number: message.turn, state: "done" };
            turns.push(turn);
        }
        const parts = [...turn.parts];
        if (message.role === "note") turn.note = message.content;
        if (message.reasoning) parts.push({ kind: "reasoning", text: message.reasoning });
        if (message.role === "assistant" && message.content) {
            parts.push({ kind: "text", text: message.content });
        }
        if (message.role === "tool") parts.push(...partsOfTool(message));
        turn.parts = parts;
        if (message.timings_ms) turn.timings = message.timings_ms;
        if (message.model && message.role !== "user") turn.model = message.model;
        if (message.stopped) turn.stopped = message.stopped;
    }
    return turns;
}

function partsOfTool(message: HistoryMessage): Part[] {
    const parts: Part[] = [];
    for (const run of message.code_runs ?? []) {
        parts.push(ended(message.run ? withEnd(newRun(message.run.run), message.run) : null, run));
    }
    if (!message.code_runs?.length && message.tool) {
        const output = message.content;
        parts.push({ kind: "tool", tool: message.tool, input: "", output, ms: 0, failed: false });
    }
    for (const { data } of message.results ?? []) parts.push({ kind: "result", data });
    for (const image of message.images ?? []) parts.push({ kind: "image", image });
    for (const table of message.tables ?? []) parts.push({ kind: "table", table });
    return parts;
}

function newRun(run: number): RunPart {
    return {
        kind: "run",
        run,
        language: "python",
        code: "",
        atMs: 0,
        state: "running",
        live: [],
        truncated: false,
        output: null,
        ms: 0,
        exitCode: 0,
        reason: "",
    };
}

function withEnd(part: RunPart, end: Schemas["CodeEnd"]): RunPart {
    const { language, failed, exec_ms, exit_code = 0, reason = "" } = end;
    const state = failed ? "failed" : "ok";
    return { ...part, language, ms: exec_ms, exitCode: exit_code, reason, state };
}

// `before` is what is known of it from its start and its end; an older server tells neither.
function ended(before: RunPart | null, { code, output, exec_ms }: Schemas["CodeRun"]): RunPart {
    const part = before ?? newRun(0);
    const state = part.state !== "running" ? part.state : failureIn(output) ? "failed" : "ok";
    return { ...part, code, output, ms: exec_ms, state, live: [], truncated: false };
}

const kOpen = (part: Part): part is RunPart => part.kind === "run" && part.output === null;

// Changes the run that is under way; its start may have been missed.
function withRun(
    parts: readonly Part[],
    run: number,
    change: (part: RunPart) => RunPart,
): readonly Part[] {
    const at = parts.findLastIndex((part) => kOpen(part) && part.run === run);
    const found = parts[at];
    if (!found || !kOpen(found)) return [...parts, change(newRun(run))];
    return parts.with(at, change(found));
}

function printed(part: RunPart, { stream, text, truncated }: Schemas["CodeOutput"]): RunPart {
    const last = part.live.at(-1);
    const piece: Printed = { stream: stream === "stderr" ? "stderr" : "stdout", text };
    const live =
        last?.stream === piece.stream
            ? [...part.live.slice(0, -1), { ...last, text: last.text + text }]
            : [...part.live, piece];
    return { ...part, live, truncated: part.truncated || truncated };
}

// A turn that is over has no code that runs, whether its end was heard or not.
function withoutOpenRuns(parts: readonly Part[]): readonly Part[] {
    if (!parts.some(kOpen)) return parts;
    return parts.map((part) => {
        if (!kOpen(part)) return part;
        const output = part.live.map((piece) => piece.text).join("");
        return { ...part, output, live: [], state: part.state === "ok" ? "ok" : "failed" };
    });
}

function withText(parts: readonly Part[], kind: "text" | "reasoning", text: string): Part[] {
    const last = parts.at(-1);
    if (last?.kind === kind) return [...parts.slice(0, -1), { kind, text: last.text + text }];
    return [...parts, { kind, text }];
}

// The whole answer again, for a reader that fell behind. What code showed stays before it.
function withWholeAnswer(parts: readonly Part[], text: string): Part[] {
    return [...parts.filter((part) => part.kind !== "text"), { kind: "text", text }];
}

interface EventData {
    text?: string;
    message?: string;
    answer?: string;
    stopped?: string;
    model?: string;
    turn?: number;
    timings_ms?: Timings;
}

// An event that is not known (of a newer server) changes nothing.
export function applyEvent(turn: Turn, name: string, data: string): Turn {
    const value = JSON.parse(data) as EventData;
    const text = value.text ?? "";
    switch (name) {
        case "status":
            return { ...turn, status: text };
        case "token":
            return { ...turn, status: "", parts: withText(turn.parts, "text", text) };
        case "reasoning":
            return { ...turn, parts: withText(turn.parts, "reasoning", text) };
        case "answer":
            return { ...turn, parts: withWholeAnswer(turn.parts, text) };
        case "code_start": {
            const { run, code, language, at_ms } = value as Schemas["CodeStart"];
            const part: Part = { ...newRun(run), code, language, atMs: at_ms };
            return { ...turn, status: "", parts: [...turn.parts, part] };
        }
        case "code_output": {
            const piece = value as Schemas["CodeOutput"];
            const parts = withRun(turn.parts, piece.run, (part) => printed(part, piece));
            return { ...turn, parts };
        }
        case "code_end": {
            const end = value as Schemas["CodeEnd"];
            const parts = withRun(turn.parts, end.run, (part) => withEnd(part, end));
            return { ...turn, parts };
        }
        case "code_run": {
            const run = value as Schemas["CodeRun"];
            const at = turn.parts.findLastIndex(kOpen);
            const found = turn.parts[at];
            const parts =
                found && kOpen(found)
                    ? turn.parts.with(at, ended(found, run))
                    : [...turn.parts, ended(null, run)];
            return { ...turn, status: "", parts };
        }
        case "tool": {
            const {
                tool,
                arguments: input,
                output,
                exec_ms,
                failed,
            } = value as Schemas["ToolEvent"];
            const part: Part = { kind: "tool", tool, input, output, ms: exec_ms, failed };
            return { ...turn, status: "", parts: [...turn.parts, part] };
        }
        case "result": {
            const { data } = value as Schemas["TurnResult"];
            return { ...turn, parts: [...turn.parts, { kind: "result", data }] };
        }
        case "image": {
            const part: Part = { kind: "image", image: value as Schemas["ImageLink"] };
            return { ...turn, parts: [...turn.parts, part] };
        }
        case "table": {
            const part: Part = { kind: "table", table: value as Schemas["TableData"] };
            return { ...turn, parts: [...turn.parts, part] };
        }
        case "done":
            return {
                ...turn,
                state: "done",
                status: "",
                parts: withoutOpenRuns(turn.parts),
                number: value.turn ?? turn.number,
                stopped: value.stopped ?? "",
                model: value.model ?? "",
                timings: value.timings_ms ?? null,
            };
        case "error":
            return {
                ...turn,
                state: "failed",
                status: "",
                parts: withoutOpenRuns(turn.parts),
                error: value.message ?? "",
            };
        default:
            return turn;
    }
}

// "3-17" is event 17 of turn 3.
export function turnOfEventId(id: string): number {
    const number = Number(id.split("-")[0]);
    return Number.isSafeInteger(number) && number > 0 ? number : 0;
}

export function answerText(turn: Turn): string {
    const texts = turn.parts.flatMap((part) =>
        part.kind === "text" ? [visibleText(part.text).text] : [],
    );
    return texts.join("\n\n");
}

// What local models put into their text besides the answer: <think>…</think> folds away, and a
// tool call that was written as text is hidden. Both may still be open while the text streams. The
// server takes most of it out; what is left is what older servers stored, and thoughts whose
// beginning the model's own template has swallowed.
export function visibleText(raw: string): { thinking: string; text: string } {
    let thinking = "";
    const end = raw.indexOf("</think>");
    if (end >= 0 && !raw.slice(0, end).includes("<think>")) {
        thinking = raw.slice(0, end);
        raw = raw.slice(end + "</think>".length);
    }
    const text = raw
        .replace(/<think>([\s\S]*?)(<\/think>|$)/g, (_, inner: string) => {
            thinking += inner;
            return "";
        })
        .replace(/<tool_call>[\s\S]*?(<\/tool_call>|$)/g, "");
    return { thinking: thinking.trim(), text: text.replace(/^\s+/, "") };
}

// Whether the answer's own text has this table already, whole.
export function repeatsTable(text: string, table: TableData): boolean {
    const cells = (line: string) =>
        line
            .split("|")
            .slice(1, -1)
            .map((cell) => cell.trim());
    const lines = text.split("\n");
    const head = lines.findIndex(
        (line) => line.startsWith("|") && cells(line).join("\0") === table.columns.join("\0"),
    );
    if (head < 0) return false;
    const rows = lines.slice(head + 2);
    const end = rows.findIndex((line) => !line.startsWith("|"));
    return (end < 0 ? rows.length : end) >= table.total_rows;
}
