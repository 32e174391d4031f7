// Maths in answers is written in several ways: $$…$$, \(…\), \[…\], $…$. The renderer knows the
// first. A single dollar is more often a price, so it counts only around what looks like a formula.
const kCode = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/;
const kMark = "$$";

export function normaliseMaths(text: string): string {
    if (!/[$\\]/.test(text)) return text;
    const pieces = text.split(kCode);
    return pieces.map((piece, index) => (index % 2 === 1 ? piece : inProse(piece))).join("");
}

function inProse(text: string): string {
    return text
        .replace(
            /\\\[([\s\S]+?)\\\]/g,
            (_, inner: string) => `\n${kMark}\n${inner.trim()}\n${kMark}\n`,
        )
        .replace(/\\\((.+?)\\\)/g, (_, inner: string) => kMark + inner + kMark)
        .replace(
            /(?<![$\\\w])\$(?!\s|\$)([^$\n]*[\\^_={}][^$\n]*)(?<!\s)\$(?![\d$])/g,
            (_, inner: string) => kMark + inner + kMark,
        );
}

export function hasMaths(text: string): boolean {
    return text.includes(kMark);
}
