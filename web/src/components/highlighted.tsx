// Code with colours, by the same grammars as the editor's. Spans from React, never markup from
// strings. Loaded when the first code is shown.
import { classHighlighter, highlightCode } from "@lezer/highlight";
import { parser as javascript } from "@lezer/javascript";
import { parser as json } from "@lezer/json";
import { parser as python } from "@lezer/python";
import { memo, type ReactNode } from "react";

const typescript = javascript.configure({ dialect: "ts jsx" });
const kParsers = {
    python,
    py: python,
    json,
    javascript,
    js: javascript,
    typescript,
    ts: typescript,
} as const;
// Beyond this a browser does better without.
const kCharactersMax = 60_000;

function isKnown(language: string): language is keyof typeof kParsers {
    return language in kParsers;
}

const Highlighted = memo(function Highlighted(props: { code: string; language: string }) {
    const { code, language } = props;
    if (!isKnown(language) || code.length > kCharactersMax) return code;
    const spans: ReactNode[] = [];
    highlightCode(
        code,
        kParsers[language].parse(code),
        classHighlighter,
        (text, classes) => {
            const key = spans.length;
            spans.push(
                classes ? (
                    <span key={key} className={classes}>
                        {text}
                    </span>
                ) : (
                    text
                ),
            );
        },
        () => spans.push("\n"),
    );
    return spans;
});

export default Highlighted;
