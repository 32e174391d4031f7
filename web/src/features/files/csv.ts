// Reads delimited text as spreadsheets write it: quotes, doubled quotes, line breaks in quotes.
const kDelimiters = [",", "\t", ";", "|"] as const;

// The one that cuts the first lines into the most equal columns.
export function delimiterOf(text: string, name: string): string {
    if (/\.tsv$/i.test(name)) return "\t";
    const sample = text.slice(0, 16_000);
    let best = ",";
    let bestScore = 0;
    for (const one of kDelimiters) {
        const rows = parseCsv(sample, one).slice(0, 20);
        const width = rows[0]?.length ?? 0;
        const equal = rows.filter((row) => row.length === width).length / Math.max(rows.length, 1);
        const score = width > 1 ? equal * Math.min(width, 50) : 0;
        if (score > bestScore) {
            best = one;
            bestScore = score;
        }
    }
    return best;
}

export function parseCsv(text: string, delimiter: string): string[][] {
    const rows: string[][] = [];
    let row: string[] = [];
    let index = text.startsWith("\uFEFF") ? 1 : 0;
    while (index < text.length) {
        let value = "";
        if (text[index] === '"') {
            index += 1;
            for (;;) {
                const quote = text.indexOf('"', index);
                if (quote < 0) {
                    value += text.slice(index);
                    index = text.length;
                    break;
                }
                value += text.slice(index, quote);
                index = quote + 1;
                if (text[index] !== '"') break;
                value += '"';
                index += 1;
            }
        }
        let end = index;
        while (end < text.length && text[end] !== delimiter && text[end] !== "\n") end += 1;
        value += text.slice(index, end);
        if (text[end] !== delimiter && value.endsWith("\r")) value = value.slice(0, -1);
        row.push(value);
        index = end + 1;
        if (text[end] !== delimiter) {
            rows.push(row);
            row = [];
        } else if (index >= text.length) {
            row.push("");
        }
    }
    if (row.length > 0) rows.push(row);
    return rows;
}
