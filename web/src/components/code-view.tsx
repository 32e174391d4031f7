import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "@/lib/format";
import { load } from "@/lib/load";

const Highlighted = lazy(load(() => import("@/components/highlighted")));

interface FoldedProps {
    text: string;
    // Lines that show while it is folded.
    lines: number;
    language?: string;
    className?: string;
    // Which end shows: code from its beginning, a log from its end.
    from?: "start" | "end";
    // The number of a line to mark, from 1.
    mark?: number | undefined;
}

// Text in a fixed width that folds when it is long.
export function FoldedText(props: FoldedProps) {
    const { text, lines, language, className = "", from = "start", mark = 0 } = props;
    const { t } = useTranslation();
    const [open, setOpen] = useState(false);
    const all = text.split("\n");
    // A fold that hides two lines is a nuisance.
    const folds = all.length > lines + 3;
    const shown =
        open || !folds
            ? text
            : (from === "start" ? all.slice(0, lines) : all.slice(-lines)).join("\n");
    const button = folds && (
        <button
            type="button"
            onClick={() => setOpen(!open)}
            className="block w-full px-3.5 py-1.5 text-left text-12 text-accent hover:underline"
        >
            {open
                ? t("code.fold")
                : t("code.showAll", { count: all.length, lines: formatNumber(all.length) })}
        </button>
    );
    return (
        <div className={className}>
            {from === "end" && button}
            <pre
                tabIndex={0}
                className="relative max-h-[70vh] overflow-auto px-3.5 py-2.5 font-mono text-[12.5px] leading-relaxed"
            >
                {mark > 0 && mark <= shown.split("\n").length && (
                    <span
                        aria-hidden
                        className="absolute inset-x-0 h-[1.625em] bg-bad-soft"
                        style={{ top: `calc(0.625rem + ${mark - 1} * 1.625em)` }}
                    />
                )}
                <span className="relative">
                    {language ? (
                        <Suspense fallback={shown}>
                            <Highlighted code={shown} language={language} />
                        </Suspense>
                    ) : (
                        shown
                    )}
                </span>
            </pre>
            {from === "start" && button}
        </div>
    );
}
