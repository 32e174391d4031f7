// A turn of a conversation as the page shows it: a question, and the parts of its answer in the
// order in which they came. Built from history or, while it streams, from events. Pure functions.
import type { Schemas } from "@/lib/api";

export type ImageLink = Schemas["ImageLink"];
export type TableData = Schemas["TableData"];
export type Timings = Schemas["TurnTimings"];
type HistoryMessage = Schemas["HistoryMessage"];

export type Part =
    | { kind: "text"; text: string }
    | { kind: "reasoning"; text: string }
    | { kind: "run"; code: string; output: string; ms: number }
    | { kind: "tool"; tool: string; input: string; output: string; ms: number; failed: boolean }
    | { kind: "image"; image: ImageLink }
    | { kind: "table"; table: TableData };

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
        if (message.role === "assistant" && message.content) {
            parts.push({ kind: "text", text: message.content });
        }
        if (message.role === "tool") parts.push(...partsOfTool(message));
        turn.parts = parts;
        if (message.timings_ms) turn.timings = message.timings_ms;
        if (message.model) turn.model = message.model;
        if (message.stopped) turn.stopped = message.stopped;
    }
    return turns;
}

function partsOfTool(message: HistoryMessage): Part[] {
    const parts: Part[] = [];
    for (const run of message.code_runs ?? []) {
        parts.push({ kind: "run", code: run.code, output: run.output, ms: run.exec_ms });
    }
    if (!message.code_runs?.length && message.tool) {
        const output = message.content;
        parts.push({ kind: "tool", tool: message.tool, input: "", output, ms: 0, failed: false });
    }
    for (const image of message.images ?? []) parts.push({ kind: "image", image });
    for (const table of message.tables ?? []) parts.push({ kind: "table", table });
    return parts;
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
        case "code_run": {
            const run = value as Schemas["CodeRun"];
            const part: Part = { kind: "run", code: run.code, output: run.output, ms: run.exec_ms };
            return { ...turn, status: "", parts: [...turn.parts, part] };
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
                number: value.turn ?? turn.number,
                stopped: value.stopped ?? "",
                model: value.model ?? "",
                timings: value.timings_ms ?? null,
            };
        case "error":
            return { ...turn, state: "failed", status: "", error: value.message ?? "" };
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
// tool call that was written as text is hidden. Both may still be open while the text streams.
export function visibleText(raw: string): { thinking: string; text: string } {
    let thinking = "";
    const text = raw
        .replace(/<think>([\s\S]*?)(<\/think>|$)/g, (_, inner: string) => {
            thinking += inner;
            return "";
        })
        .replace(/<tool_call>[\s\S]*?(<\/tool_call>|$)/g, "");
    return { thinking: thinking.trim(), text: text.replace(/^\s+/, "") };
}

// A run failed if what it printed ends in a traceback.
export function failureOf(output: string): string {
    const start = output.lastIndexOf("Traceback (most recent call last)");
    if (start < 0) return "";
    const lines = output.slice(start).trimEnd().split("\n");
    const last = lines.findLast((line) =>
        /^[A-Za-z_][\w.]*(Error|Exception|Interrupt|Exit|Warning)?(:|$)/.test(line),
    );
    return last ?? "";
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
