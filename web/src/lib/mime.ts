// A result in several types, as Jupyter has it.
export type Bundle = Record<string, unknown>;

// Notebooks have texts as lists of lines.
export function textOf(value: unknown): string {
    if (Array.isArray(value)) return value.map(String).join("");
    return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
