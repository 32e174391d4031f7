export type Kind = "image" | "table" | "markdown" | "pdf" | "notebook" | "html" | "text";

const kKinds: Record<Exclude<Kind, "text">, readonly string[]> = {
    image: ["png", "jpg", "jpeg", "gif", "webp", "avif"],
    table: ["csv", "tsv", "tab", "parquet", "pq", "jsonl", "ndjson", "xlsx", "xlsm"],
    markdown: ["md", "markdown"],
    pdf: ["pdf"],
    notebook: ["ipynb"],
    html: ["html", "htm"],
};

const extensionOf = (name: string) => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";

export function kindOf(name: string): Kind {
    const extension = extensionOf(name);
    for (const [kind, extensions] of Object.entries(kKinds)) {
        if (extensions.includes(extension)) return kind as Kind;
    }
    return "text";
}

// Whether an editor of text could save it again.
export function isText(name: string): boolean {
    return !["image", "pdf"].includes(kindOf(name)) && !/\.(parquet|pq|xls[xm]?)$/i.test(name);
}

export function languageOf(name: string): string {
    const extension = extensionOf(name);
    if (["py", "pyi"].includes(extension)) return "python";
    if (["js", "mjs", "cjs", "jsx"].includes(extension)) return "javascript";
    if (["ts", "tsx"].includes(extension)) return "typescript";
    if (["json", "ipynb"].includes(extension)) return "json";
    if (["md", "markdown"].includes(extension)) return "markdown";
    return "";
}
