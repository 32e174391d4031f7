// Which line of a cell a line of the generated code comes from.
//
// bun prints the code anew and gives no source map for it. But it keeps the order of what it
// prints, so names, numbers and the words of strings stand in both texts in the same order: the
// source has types and comments besides, the generated code the wrapper. The longest common
// subsequence of the words (Myers' algorithm) says which belong together. Made only when an error
// is shown.

type Word = { text: string; line: number; column: number };

// Of words that stand in one text only. Time and memory grow with its square.
const DIFFERENCES_MAX = 3000;
const WRAPPER = ["(() => {", "(async () => {"];

export class LineTable {
    constructor(
        private words: Word[],
        private lines: Int32Array, // of the source, for each word; 0 if it has none
        private last: number,
    ) {}

    at(line: number, column: number): number | undefined {
        // The wrapper calls the cell in its last line: that frame is not the user's.
        if (line >= this.last) return undefined;
        let before = 0;
        for (let i = 0; i < this.words.length; ++i) {
            const word = this.words[i]!;
            const from = this.lines[i]!;
            if (from === 0) continue;
            const isAfter = word.line > line || (word.line === line && word.column >= column);
            if (!isAfter) before = from;
            // On the same line the next word is as good as none before.
            else if (before === 0 || (word.line === line && !this.hasBefore(i, line))) return from;
            else break;
        }
        return before || undefined;
    }

    private hasBefore(index: number, line: number): boolean {
        for (let i = index - 1; i >= 0 && this.words[i]!.line === line; --i) {
            if (this.lines[i] !== 0) return true;
        }
        return false;
    }
}

function wordsOf(text: string, firstLine = 1): Word[] {
    const words: Word[] = [];
    text.split("\n").forEach((content, i) => {
        for (const match of content.matchAll(/[\p{L}\p{N}_$]+/gu)) {
            words.push({ text: match[0], line: firstLine + i, column: match.index + 1 });
        }
    });
    return words;
}

export function lineTable(source: string, generated: string): LineTable | undefined {
    const lines = generated.trimEnd().split("\n");
    const begin = lines.findIndex(line => WRAPPER.includes(line)); // before it: declarations
    const from = wordsOf(source);
    const to = wordsOf(lines.slice(begin + 1).join("\n"), begin + 2);
    const pairs = align(from, to);
    if (pairs === undefined) return undefined;
    const table = new Int32Array(to.length);
    for (const [x, y] of pairs) table[y] = from[x]!.line;
    return new LineTable(to, table, lines.length);
}

// Myers, "An O(ND) difference algorithm": the furthest point on each diagonal, for a growing number
// of differences, and back along the way that was found.
function align(a: Word[], b: Word[]): [number, number][] | undefined {
    const most = Math.min(a.length + b.length, DIFFERENCES_MAX);
    const trail: Int32Array[] = [];
    let furthest = new Int32Array(2 * most + 3);
    const zero = most + 1;
    for (let d = 0; d <= most; ++d) {
        trail.push(furthest.slice(zero - d - 1, zero + d + 2));
        for (let k = -d; k <= d; k += 2) {
            const down = k === -d || (k !== d && furthest[zero + k - 1]! < furthest[zero + k + 1]!);
            let x = down ? furthest[zero + k + 1]! : furthest[zero + k - 1]! + 1;
            while (x < a.length && x - k < b.length && a[x]!.text === b[x - k]!.text) ++x;
            furthest[zero + k] = x;
            if (x >= a.length && x - k >= b.length) return walkBack(trail, a.length, b.length);
        }
    }
    return undefined;
}

function walkBack(trail: Int32Array[], x: number, y: number): [number, number][] {
    const pairs: [number, number][] = [];
    for (let d = trail.length - 1; d >= 0; --d) {
        const furthest = trail[d]!;
        const zero = d + 1;
        const k = x - y;
        const down = k === -d || (k !== d && furthest[zero + k - 1]! < furthest[zero + k + 1]!);
        const before = down ? k + 1 : k - 1;
        const fromX = d === 0 ? 0 : furthest[zero + before]!;
        const fromY = d === 0 ? 0 : fromX - before;
        while (x > fromX && y > fromY) pairs.push([--x, --y]);
        x = fromX;
        y = fromY;
    }
    return pairs;
}
