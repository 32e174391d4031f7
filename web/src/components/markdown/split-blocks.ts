// Cuts Markdown into blocks that render on their own, so that a growing answer renders its last one
// again and not all that came before. Blocks end at blank lines and around fences; maths and lists
// stay whole. What is longer than kLengthMax is cut once more, at places where a reader does not
// see it. A block never changes once another follows it.
export interface Block {
    text: string;
    // A fence's language and code; rendered without a parser.
    fence?: { language: string; code: string };
    // Goes on in the line where the block before ends, after this.
    glue?: string;
}

// Rendering takes some milliseconds per thousand characters.
export const kLengthMax = 4_000;

const kFence = /^( {0,3})(`{3,}|~{3,})(.*)$/;
const kListItem = /^\s*([-*+]|\d{1,9}[.)])\s/;
const kTableRule = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

export function splitBlocks(text: string): Block[] {
    const blocks: Block[] = [];
    let lines: string[] = [];
    let fence = "";
    let maths = "";
    let length = 0;
    let inList = false;
    let blank = false;
    const close = () => {
        if (lines.length > 0) blocks.push(...blockOf(lines));
        lines = [];
        inList = false;
    };
    for (const line of text.split("\n")) {
        const mark = kFence.exec(line);
        if (fence !== "") {
            lines.push(line);
            if (!mark || mark[3]?.trim() || !mark[2]?.startsWith(fence)) continue;
            fence = "";
            if (!inList) close();
            continue;
        }
        if (maths !== "") {
            lines.push(line);
            length += line.length + 1;
            // One that is never closed was none.
            if (line.includes(maths) || length > kLengthMax) maths = "";
            continue;
        }
        if (line.trim() === "") {
            blank = true;
            lines.push(line);
            continue;
        }
        const isItem = kListItem.test(line);
        const goesOn = inList && (isItem || /^\s/.test(line));
        if ((blank || mark) && !goesOn) close();
        blank = false;
        if (isItem) inList = true;
        if (mark) {
            // A fence of backticks has none after it: that is code in a line.
            if (mark[2]?.startsWith("~") || !mark[3]?.includes("`")) fence = mark[2] ?? "";
        } else {
            maths = opensMaths(line.trim());
            length = 0;
        }
        lines.push(line);
    }
    close();
    return blocks;
}

// What ends the formula that a line begins and does not end.
function opensMaths(line: string): string {
    if (line.startsWith("$$")) return line.length > 2 && line.endsWith("$$") ? "" : "$$";
    if (line.startsWith("\\[")) return line.includes("\\]") ? "" : "\\]";
    return "";
}

function blockOf(lines: string[]): Block[] {
    const text = lines.join("\n");
    const mark = kFence.exec(lines[0] ?? "");
    if (mark && mark[1] === "" && !mark[3]?.includes("`")) {
        const end = lines.findIndex((line, at) => at > 0 && isEnd(line, mark[2] ?? ""));
        const code = lines.slice(1, end < 0 ? undefined : end).join("\n");
        const language = /^\s*([\w+#-]*)/.exec(mark[3] ?? "")?.[1] ?? "";
        return [{ text, fence: { language, code } }];
    }
    return text.length <= kLengthMax ? [{ text }] : cut(lines);
}

function isEnd(line: string, fence: string): boolean {
    const mark = kFence.exec(line);
    return !!mark && !mark[3]?.trim() && !!mark[2]?.startsWith(fence);
}

// A block that is too long.
function cut(lines: string[]): Block[] {
    const head = lines[0] ?? "";
    const rule = lines.findIndex(
        (line, at) => at > 0 && kTableRule.test(line) && lines[at - 1]?.includes("|"),
    );
    if (rule > 1) return [...blockOf(lines.slice(0, rule - 1)), ...blockOf(lines.slice(rule - 1))];
    if (rule === 1) {
        // Each part has the head again.
        const names = lines.slice(0, 2).join("\n");
        return gathered(lines.slice(2), () => true).map((text) => ({ text: `${names}\n${text}` }));
    }
    const item = lines.findIndex((line) => kListItem.test(line));
    if (item > 0 && /^\S/.test(head))
        return [...blockOf(lines.slice(0, item)), ...blockOf(lines.slice(item))];
    if (item === 0) {
        const indent = head.search(/\S/);
        const isTop = (line: string) => kListItem.test(line) && line.search(/\S/) <= indent;
        return gathered(lines, isTop).flatMap((text) =>
            text.length > 2 * kLengthMax && !/^\s*[`~]{3}/m.test(text) ? runOn(text) : [{ text }],
        );
    }
    if (/^ {0,3}>/.test(head))
        return gathered(lines, (line) => line.startsWith(">")).map((text) => ({ text }));
    if (/^ {4}/.test(head))
        return gathered(lines, (line) => line.startsWith("    ")).map((text) => ({ text }));
    if (head.startsWith("$$") || head.startsWith("\\[")) return [{ text: lines.join("\n") }];
    return runOn(lines.join("\n"));
}

// Lines in parts of about the allowed length, each of which begins where it may.
function gathered(lines: string[], mayBegin: (line: string) => boolean): string[] {
    const parts: string[] = [];
    let part: string[] = [];
    let length = 0;
    for (const line of lines) {
        if (length > kLengthMax && mayBegin(line)) {
            parts.push(part.join("\n"));
            part = [];
            length = 0;
        }
        part.push(line);
        length += line.length + 1;
    }
    parts.push(part.join("\n"));
    return parts;
}

// A growing paragraph is cut again with each of its pieces, at the same places.
const places = new Map<string, number>();

function knownPlaceIn(text: string): number {
    const known = places.get(text);
    if (known !== undefined) return known;
    if (places.size > 100) places.clear();
    const place = placeIn(text);
    places.set(text, place);
    return place;
}

function runOn(text: string): Block[] {
    const blocks: Block[] = [];
    let rest = text;
    let glue: string | undefined;
    const push = (part: string) =>
        blocks.push(glue === undefined ? { text: part } : { text: part, glue });
    while (rest.length > kLengthMax) {
        const at = knownPlaceIn(rest.slice(0, kLengthMax));
        push(rest.slice(0, at));
        glue = /\s/.test(rest[at - 1] ?? "") ? " " : "";
        rest = rest.slice(at);
    }
    push(rest);
    return blocks;
}

// What would begin a block of another kind, were it the first in its line.
const kBlockMark = /^([-*+>#|=~`]|\d{1,9}[.)])/;
const kLookAhead = 12;

const beginsBlock = (text: string, at: number) =>
    text[at - 1] !== "\n" && kBlockMark.test(text.slice(at, at + kLookAhead));

// Where a paragraph may be cut: behind a sentence, or else a word, in which no mark is open; or
// else behind any word.
function placeIn(text: string): number {
    let sentence = 0;
    let word = 0;
    let space = 0;
    const open: string[] = [];
    let inCode = "";
    for (let at = 0; at < text.length - kLookAhead;) {
        const letter = text[at] ?? "";
        const run = /[`*_~]/.test(letter) ? runAt(text, at) : letter;
        const end = at + run.length;
        const isSpace = /\s/.test(letter);
        if (letter === "`") inCode = inCode === "" ? run : inCode === run ? "" : inCode;
        else if (inCode === "") {
            const before = text[at - 1] ?? " ";
            const after = text[end] ?? " ";
            if (letter === "\\") {
                if (after === "(") open.push("\\(");
                else if (after === ")" && open.at(-1) === "\\(") open.pop();
                at = end + 1;
                continue;
            }
            if (/[*_~]/.test(letter)) {
                const inWord = letter === "_" && /\w/.test(before) && /\w/.test(after);
                const alone = /\s/.test(before) && /\s/.test(after);
                if (!inWord && !alone) toggle(open, run);
            } else if (letter === "$" && after === "$") {
                toggle(open, "$$");
                at = end + 1;
                continue;
            } else if (letter === "[") open.push("[");
            else if (letter === "]" && open.at(-1) === "[") {
                open.pop();
                if (after === "(") open.push("(");
            } else if (letter === ")" && open.at(-1) === "(") open.pop();
        }
        const isWide = /[。！？；]/.test(letter);
        if ((isSpace || isWide) && end > kLengthMax / 8 && !beginsBlock(text, end)) {
            if (isSpace) space = end;
            if (open.length === 0 && inCode === "") {
                if (isSpace) word = end;
                if (isWide || /[.!?]["')]?$/.test(text.slice(Math.max(0, at - 2), at)))
                    sentence = end;
            }
        }
        at = end;
    }
    const found = sentence || word || space;
    if (found > 0) return found;
    // Not between the halves of a letter.
    return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
}

function runAt(text: string, at: number): string {
    let end = at;
    while (text[end] === text[at]) end += 1;
    return text.slice(at, end);
}

function toggle(open: string[], mark: string): void {
    if (open.at(-1) === mark) open.pop();
    else open.push(mark);
}
