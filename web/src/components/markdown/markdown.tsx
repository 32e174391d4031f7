// Answers in Markdown. HTML in them stays text, addresses other than http(s) and mailto are
// dropped, and images of other hosts become links: nothing is fetched because a model wrote it.
import { Fragment, memo, useEffect, useState, type ComponentProps, type ReactNode } from "react";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import remarkGfm from "remark-gfm";
import { FoldedText } from "@/components/code-view";
import { CopyButton } from "@/components/ui/copy-button";
import { load } from "@/lib/load";
import { hasMaths, normaliseMaths } from "./maths";
import { splitBlocks, type Block } from "./split-blocks";

type Plugins = NonNullable<Options["rehypePlugins"]>;
interface Maths {
    remark: Plugins;
    rehype: Plugins;
}

let maths: Maths | null = null;
let loading: Promise<void> | null = null;
function loadMaths(): Promise<void> {
    loading ??= Promise.all([
        load(() => import("remark-math"))(),
        load(() => import("rehype-katex"))(),
        load(() => import("katex/dist/katex.min.css"))(),
    ]).then(([remark, rehype]) => {
        maths = {
            remark: [[remark.default, { singleDollarTextMath: false }]],
            rehype: [[rehype.default, { errorColor: "var(--bad)", strict: false, trust: false }]],
        };
    });
    return loading;
}

function useMaths(wanted: boolean): Maths | null {
    const [, setLoaded] = useState(maths !== null);
    useEffect(() => {
        if (wanted && !maths) void loadMaths().then(() => setLoaded(true));
    }, [wanted]);
    return wanted ? maths : null;
}

function textOf(node: ReactNode): string {
    if (typeof node === "string" || typeof node === "number") return String(node);
    if (Array.isArray(node)) return node.map(textOf).join("");
    return "";
}

const CodeBlock = memo(function CodeBlock(props: { language: string; code: string }) {
    const { language } = props;
    const text = props.code.replace(/\n$/, "");
    return (
        <div className="overflow-hidden rounded-[10px] border border-line bg-code">
            <div className="flex items-center border-b border-soft py-0.5 pr-1 pl-3.5 text-12 text-ink-3">
                <span className="flex-1">{language}</span>
                <CopyButton text={text} />
            </div>
            <FoldedText text={text} lines={30} language={language} />
        </div>
    );
});

function ParsedCode({ children }: ComponentProps<"pre">) {
    const code = children as { props?: { className?: string; children?: ReactNode } } | undefined;
    const language = /language-([\w+#-]+)/.exec(code?.props?.className ?? "")?.[1] ?? "";
    return <CodeBlock language={language} code={textOf(code?.props?.children)} />;
}

const kComponents: Components = {
    pre: ParsedCode,
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

const MarkdownBlock = memo(function MarkdownBlock({ text: raw }: { text: string }) {
    const text = normaliseMaths(raw);
    const loaded = useMaths(hasMaths(text));
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

function BlockView({ block }: { block: Block }) {
    if (block.fence) return <CodeBlock {...block.fence} />;
    return (
        <>
            {block.glue}
            <MarkdownBlock text={block.text} />
        </>
    );
}

// Text that comes all at once is shown in steps of this, one a frame: a task stays short.
const kLengthAtOnce = 3_000;
// A block of any length is some work.
const kLengthOfBlock = 300;

// How many of the blocks show: more with each frame, until all do.
function useGradually(blocks: readonly Block[]): number {
    const [shown, setShown] = useState(0);
    let end = Math.min(shown, blocks.length);
    let length = 0;
    // The last that shows may have grown: it does not count.
    while (end < blocks.length && length < kLengthAtOnce)
        length += kLengthOfBlock + (blocks[end++]?.text.length ?? 0);
    const isBehind = end < blocks.length;
    useEffect(() => {
        if (!isBehind) return;
        if (document.visibilityState !== "visible") {
            const timer = setTimeout(() => setShown(end), 100);
            return () => clearTimeout(timer);
        }
        const frame = requestAnimationFrame(() => setShown(end));
        return () => cancelAnimationFrame(frame);
    }, [end, isBehind]);
    return end;
}

export default function Markdown({ text }: { text: string }) {
    const blocks = splitBlocks(text);
    const shown = useGradually(blocks);
    const groups: Block[][] = [];
    for (const block of blocks.slice(0, shown)) {
        if (block.glue === undefined) groups.push([block]);
        else groups.at(-1)?.push(block);
    }
    return (
        <div className="prose">
            {groups.map((group, index) => {
                const views = group.map((block, at) => <BlockView key={at} block={block} />);
                return group.length > 1 ? (
                    <div key={index} className="run-on">
                        {views}
                    </div>
                ) : (
                    <Fragment key={index}>{views}</Fragment>
                );
            })}
        </div>
    );
}
