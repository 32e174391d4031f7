// Answers in Markdown. HTML in them stays text, addresses other than http(s) and mailto are
// dropped, and images of other hosts become links: nothing is fetched because a model wrote it.
import { memo, useEffect, useState, type ComponentProps, type ReactNode } from "react";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import remarkGfm from "remark-gfm";
import { FoldedText } from "@/components/code-view";
import { CopyButton } from "@/components/ui/copy-button";
import { hasMaths, normaliseMaths } from "./maths";
import { splitBlocks } from "./split-blocks";

type Plugins = NonNullable<Options["rehypePlugins"]>;
interface Maths {
    remark: Plugins;
    rehype: Plugins;
}

let maths: Promise<Maths> | null = null;
function loadMaths(): Promise<Maths> {
    maths ??= Promise.all([
        import("remark-math"),
        import("rehype-katex"),
        import("katex/dist/katex.min.css"),
    ]).then(([remark, rehype]) => ({
        remark: [[remark.default, { singleDollarTextMath: false }]],
        rehype: [[rehype.default, { errorColor: "var(--bad)", strict: false, trust: false }]],
    }));
    return maths;
}

function useMaths(wanted: boolean): Maths | null {
    const [loaded, setLoaded] = useState<Maths | null>(null);
    useEffect(() => {
        if (wanted) void loadMaths().then(setLoaded);
    }, [wanted]);
    return wanted ? loaded : null;
}

function textOf(node: ReactNode): string {
    if (typeof node === "string" || typeof node === "number") return String(node);
    if (Array.isArray(node)) return node.map(textOf).join("");
    return "";
}

function CodeBlock({ children }: ComponentProps<"pre">) {
    const code = children as { props?: { className?: string; children?: ReactNode } } | undefined;
    const language = /language-(\w+)/.exec(code?.props?.className ?? "")?.[1] ?? "";
    const text = textOf(code?.props?.children).replace(/\n$/, "");
    return (
        <div className="overflow-hidden rounded-[10px] border border-line bg-code">
            <div className="flex items-center border-b border-soft py-0.5 pr-1 pl-3.5 text-12 text-ink-3">
                <span className="flex-1">{language}</span>
                <CopyButton text={text} />
            </div>
            <FoldedText text={text} lines={30} language={language} />
        </div>
    );
}

const kComponents: Components = {
    pre: CodeBlock,
    a: ({ href, children }) => (
        <a href={href} target="_blank" rel="noopener noreferrer nofollow">
            {children}
        </a>
    ),
    img: ({ src, alt }) => (
        <a
            href={typeof src === "string" ? src : undefined}
            target="_blank"
            rel="noopener noreferrer nofollow"
        >
            {alt || (typeof src === "string" ? src : "")}
        </a>
    ),
    table: ({ children }) => (
        <div className="overflow-x-auto" tabIndex={0}>
            <table className="data-table">{children}</table>
        </div>
    ),
    th: ({ children, style }) => (
        <th className={style?.textAlign === "right" ? "number" : ""}>{children}</th>
    ),
    td: ({ children, style }) => {
        const isNumber =
            style?.textAlign === "right" || /^[-+]?[\d.,\s]+%?$/.test(textOf(children));
        return <td className={isNumber ? "number" : ""}>{children}</td>;
    },
};

const Block = memo(function Block({ text, maths: loaded }: { text: string; maths: Maths | null }) {
    return (
        <ReactMarkdown
            components={kComponents}
            skipHtml={false}
            remarkPlugins={[remarkGfm, ...(loaded?.remark ?? [])]}
            rehypePlugins={loaded?.rehype ?? []}
        >
            {text}
        </ReactMarkdown>
    );
});

export default function Markdown({ text }: { text: string }) {
    const normal = normaliseMaths(text);
    const loaded = useMaths(hasMaths(normal));
    const blocks = splitBlocks(normal);
    return (
        <div className="prose">
            {blocks.map((block, index) => (
                <Block key={index} text={block} maths={hasMaths(block) ? loaded : null} />
            ))}
        </div>
    );
}
