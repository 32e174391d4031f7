// An exception as the `error` event, and as text: with the lines that the user wrote.
//
// Frames of the kernel are not shown: the story starts at the cell. Formatting must not fail,
// whatever an exception does with its name, message or stack.

import { inspect, types } from "node:util";
import { sourceLine } from "./cell";

const KERNEL = import.meta.dir;
const FRAMES_MAX = 60;
const TEXT_CHARACTERS_MAX = 65536;

// Part of the name under which a cell runs: <folder>/[cell 3].
export const cellName = (count: number) => `[cell ${count}]`;
const CELL_FRAME = /(?:\/[^():]*)?\[cell (\d+)\]:(\d+):(\d+)/;

export type ErrorFields = {
    name: string;
    value: string;
    traceback: string[];
    traceback_text: string;
};

export function safeText(make: () => unknown): string {
    let text: string;
    try {
        text = String(make());
    } catch {
        text = "<its text cannot be made>";
    }
    if (text.length <= TEXT_CHARACTERS_MAX) return text;
    const more = text.length - TEXT_CHARACTERS_MAX;
    return `${text.slice(0, TEXT_CHARACTERS_MAX)}… [${more} more characters]`;
}

function frameLine(line: string): string | undefined {
    const match = CELL_FRAME.exec(line);
    if (match === null)
        return line.includes(KERNEL) || line.includes("(unknown)") ? undefined : line;
    const [where, count, at, column] = match;
    const name = where.slice(0, where.length - `:${at}:${column}`.length);
    const source = sourceLine(name, Number(at), Number(column));
    if (source === undefined) return undefined;
    return line.replace(where, `cell ${count}:${source}`);
}

// Stacks of bun: a text that may stand before the first frame, then "    at f (file:1:2)".
function frames(stack: string): string[] {
    const lines = stack.split("\n").filter(line => /^\s+at /.test(line));
    const shown: string[] = [];
    for (const line of lines) {
        const mapped = frameLine(line);
        if (mapped !== undefined) shown.push(mapped);
        if (shown.length === FRAMES_MAX) break;
    }
    return shown;
}

// What bun's transpiler and resolver throw is no Error of JavaScript.
function fromTranspiler(error: any): ErrorFields | undefined {
    const first =
        types.isNativeError(error) && Array.isArray((error as any).errors)
            ? (error as any).errors[0]
            : error;
    if (first?.constructor?.name !== "BuildMessage") return undefined;
    const { line, column, lineText } = first.position ?? { line: 0, column: 0, lineText: "" };
    const value = line > 0 ? `${first.message} (line ${line})` : String(first.message);
    const traceback =
        line > 0 ? [`    ${lineText}`, `    ${" ".repeat(Math.max(0, column - 1))}^`] : [];
    return withText("SyntaxError", value, traceback);
}

function withText(
    name: string,
    value: string,
    before: string[],
    after: string[] = [],
): ErrorFields {
    const head = value === "" ? name : `${name}: ${value}`;
    const traceback = [...before, head, ...after];
    return { name, value, traceback, traceback_text: traceback.join("\n") };
}

export function describeError(error: unknown): ErrorFields {
    try {
        const built = fromTranspiler(error);
        if (built) return built;
    } catch {}
    if (!types.isNativeError(error) && !(error instanceof Error)) {
        const isMessage = safeText(() => (error as any)?.constructor?.name) === "ResolveMessage";
        if (isMessage)
            return withText(
                "ResolveError",
                safeText(() => (error as any).message),
                [],
            );
        return withText(
            "Uncaught",
            safeText(() => inspect(error, { customInspect: false })),
            [],
        );
    }
    const name = safeText(() => error.name || "Error");
    const value = safeText(() => error.message);
    const stack = safeText(() => error.stack ?? "");
    const described = withText(name, value, [], frames(stack));
    const cause = safeText(() => (error.cause === undefined ? "" : describeCause(error.cause, 1)));
    if (cause !== "") {
        described.traceback.push(...cause.split("\n"));
        described.traceback_text = described.traceback.join("\n");
    }
    return described;
}

function describeCause(cause: unknown, depth: number): string {
    if (!(cause instanceof Error)) return `  cause: ${inspect(cause, { customInspect: false })}`;
    const lines = [`  cause: ${cause.name}: ${cause.message}`, ...frames(cause.stack ?? "")];
    if (depth < 5 && cause.cause !== undefined) lines.push(describeCause(cause.cause, depth + 1));
    return lines.join("\n");
}
