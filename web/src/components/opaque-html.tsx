// HTML that somebody else wrote, in a frame of no origin. It inherits the page's policy and so runs
// nothing and loads nothing; a style sheet of ours makes it legible.
import style from "./opaque-html.css?url";

interface OpaqueHtmlProps {
    title: string;
    html: string;
    className?: string;
}

const kBlocks = /<(script|style|iframe|object|noscript)\b[\s\S]*?(<\/\1\s*>|$)/gi;
const kLoading = /^<\/?(link|meta|base|iframe|frame|object|embed|form|source|track|img)\b/i;
const kAttributes =
    /\s(on\w+|style|src|srcset|data|background|poster|action|formaction|xlink:href|ping)\s*=\s*("[^"]*"|'[^']*'|[^\s>]*)/gi;

// The frame's policy refuses all this; left in, each would be a complaint in the console. Nothing
// else hangs on it, so text is enough: a parser of the browser's would complain itself.
export function withoutRefused(html: string): string {
    return html
        .replace(kBlocks, "")
        .replace(/<\/?[a-z][^>]*>/gi, (tag) =>
            kLoading.test(tag) ? "" : tag.replace(kAttributes, ""),
        );
}

export function OpaqueHtml({ title, html, className = "" }: OpaqueHtmlProps) {
    const sheet = new URL(style, location.href).href;
    const page = `<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="${sheet}">${withoutRefused(html)}`;
    return (
        <iframe
            title={title}
            sandbox=""
            referrerPolicy="no-referrer"
            srcDoc={page}
            className={`border-0 bg-white ${className}`}
        />
    );
}
