// A notebook as it lies in its file, read without trusting it to be one.
import { textOf, type Bundle } from "@/lib/mime";

export interface Output {
    kind: "text" | "error" | "data";
    text: string;
    data: Bundle;
}
export interface Cell {
    kind: "code" | "markdown" | "raw";
    source: string;
    count: number | null;
    outputs: Output[];
}
export interface Notebook {
    language: string;
    cells: Cell[];
}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

function outputOf(raw: Json): Output {
    if (raw.output_type === "error") {
        const trace = Array.isArray(raw.traceback) ? raw.traceback.map(String).join("\n") : "";
        const text = trace || `${String(raw.ename ?? "")}: ${String(raw.evalue ?? "")}`;
        return { kind: "error", text, data: {} };
    }
    if (raw.output_type === "stream")
        return { kind: "text", text: textOf(raw.text ?? ""), data: {} };
    return { kind: "data", text: "", data: isObject(raw.data) ? raw.data : {} };
}

// null: the text is no notebook.
export function parseNotebook(text: string): Notebook | null {
    let raw: unknown;
    try {
        raw = JSON.parse(text);
    } catch {
        return null;
    }
    if (!isObject(raw) || !Array.isArray(raw.cells)) return null;
    const metadata = isObject(raw.metadata) ? raw.metadata : {};
    const spec = isObject(metadata.kernelspec) ? metadata.kernelspec : {};
    const cells = listOf(raw.cells).map((cell): Cell => {
        const kind = cell.cell_type;
        return {
            kind: kind === "code" || kind === "markdown" ? kind : "raw",
            source: textOf(cell.source ?? ""),
            count: typeof cell.execution_count === "number" ? cell.execution_count : null,
            outputs: listOf(cell.outputs).map(outputOf),
        };
    });
    return { language: typeof spec.language === "string" ? spec.language : "python", cells };
}
