// What code printed, as people read it. Pure functions.
import type { Printed } from "./turn";

// The offline analyst's code reports to it in lines of JSON; the answer's table has what they say.
export function withoutReports(output: string): string {
    return output
        .split("\n")
        .filter((line) => !line.startsWith('{"atoll_'))
        .join("\n");
}

// What a run showed, in the words for the model. People see it below the cell.
export function withoutShownNotes(output: string): string {
    return output.replace(/(?:(?:^|\n)\[(?:image saved|shown): [^\n]*\])+\s*$/, "");
}

const kUnits = ["B", "KiB", "MiB", "GiB", "TiB"];

// "1.5 GiB", as the server writes sizes.
function bytesOf(size: string): number {
    const [value = "", unit = ""] = size.split(" ");
    return Number(value) * 1024 ** Math.max(0, kUnits.indexOf(unit)) || 0;
}

export interface Ending {
    // Without the notes.
    text: string;
    // The limit that was reached, in bytes; 0: not memory.
    memoryMax: number;
    variablesGone: boolean;
}

const kNotes = [
    "stopped.*",
    "ended by signal \\d+",
    "ran out of its (.+?) of memory and was ended(?:; its variables are gone)?",
    "the kernel was replaced: variables .*",
];
const kNote = new RegExp(`(?:^|\\n)\\[(?:${kNotes.join("|")})\\]\\s*$`);

// The server ends the output of a run that did not end by itself with notes for the model; people
// are told in their own language.
export function withoutEndNotes(output: string): Ending {
    const ending: Ending = { text: output, memoryMax: 0, variablesGone: false };
    for (;;) {
        const note = kNote.exec(ending.text);
        if (!note) return ending;
        ending.text = ending.text.slice(0, note.index);
        if (note[1]) ending.memoryMax = bytesOf(note[1]);
        ending.variablesGone ||= note[0].includes("variables");
    }
}

// A carriage return begins its line anew, as in a terminal: of a progress bar the last state stays.
export function overprinted(text: string): string {
    if (!text.includes("\r")) return text;
    return text
        .replaceAll("\r\n", "\n")
        .split("\n")
        .map((line) => {
            const states = line.split("\r");
            return states.findLast((state) => state !== "") ?? "";
        })
        .join("\n");
}

// The last lines of what a run has printed so far, piece by piece, and how many lines there are.
export function lastLines(
    live: readonly Printed[],
    most: number,
): { pieces: readonly Printed[]; lines: number } {
    const text = live.map((piece) => piece.text).join("");
    const ended = text.replace(/\n$/, "");
    const lines = text === "" ? [] : ended.split("\n");
    if (lines.length <= most) return { pieces: live, lines: lines.length };
    let from = ended.length - lines.slice(-most).join("\n").length;
    const pieces: Printed[] = [];
    for (const piece of live) {
        if (from < piece.text.length) pieces.push({ ...piece, text: piece.text.slice(from) });
        from = Math.max(0, from - piece.text.length);
    }
    return { pieces, lines: lines.length };
}

export interface Failure {
    // What was printed before it failed.
    before: string;
    // The last line of the traceback: what went wrong.
    last: string;
    traceback: string;
    // The line of this code that failed, from 1; 0: not known.
    line: number;
}

// Where Python's account of an error begins: with its rule and head, or with the place of a mistake
// in the syntax, which has no head.
const kHeads = [
    /^(-{40,}\n\S+ +)?Traceback \(most recent call last\)/m,
    /^ {2}(Cell In\[\d+\]|File .+), line \d+\n(.*\n){1,2}? *\^+\n\w*Error\b/m,
];
const kLast = /^[A-Za-z_][\w.]*(Error|Exception|Interrupt|Exit|Warning)?(:|$)/;

export function failureIn(output: string): Failure | null {
    const starts = kHeads.map((head) => output.search(head)).filter((at) => at >= 0);
    if (starts.length === 0) return null;
    const start = Math.min(...starts);
    const traceback = output.slice(start).trimEnd();
    const last = traceback.split("\n").findLast((line) => kLast.test(line)) ?? "";
    // An error that was raised while another was handled comes after it. The first frame in a cell
    // is that of this code; a function of it that it calls is a later frame of the same cell.
    const error = traceback.slice(traceback.lastIndexOf("Traceback (most recent call last)") + 1);
    const frames = [...error.matchAll(/^ *Cell In\[(\d+)\], line (\d+)/gm)];
    const cell = frames[0]?.[1];
    const line = Number(frames.findLast((frame) => frame[1] === cell)?.[2] ?? 0);
    return { before: output.slice(0, start).trimEnd(), last, traceback, line };
}
