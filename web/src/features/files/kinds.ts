export type Kind = "image" | "csv" | "markdown" | "text";

export function kindOf(name: string): Kind {
    const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
    if (["png", "jpg", "jpeg", "gif", "webp", "avif"].includes(extension)) return "image";
    if (["csv", "tsv"].includes(extension)) return "csv";
    if (["md", "markdown"].includes(extension)) return "markdown";
    return "text";
}

export function languageOf(name: string): string {
    const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
    if (["py", "pyi"].includes(extension)) return "python";
    if (["js", "mjs", "cjs", "jsx"].includes(extension)) return "javascript";
    if (["ts", "tsx"].includes(extension)) return "typescript";
    if (["json", "ipynb"].includes(extension)) return "json";
    if (["md", "markdown"].includes(extension)) return "markdown";
    return "";
}
