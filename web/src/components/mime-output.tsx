// A result of code as Jupyter has it: the same thing in several types, of which the best is shown.
import { lazy, Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { FoldedText } from "@/components/code-view";
import { figureOfPlotly, figureOfVegaLite, type Figure } from "@/components/figure/figure";
import { OpaqueHtml } from "@/components/opaque-html";
import { ResultTable } from "@/components/result-table";
import type { Schemas } from "@/lib/api";
import { withoutColours } from "@/lib/kernel";
import { load } from "@/lib/load";
import { textOf, type Bundle } from "@/lib/mime";

const Markdown = lazy(load(() => import("@/components/markdown/markdown")));
const kImages = ["image/png", "image/jpeg", "image/gif", "image/webp"];

const FigureView = lazy(load(() => import("@/components/figure/figure-view")));

const kPlotly = "application/vnd.plotly.v1+json";
const vegaType = (data: Bundle) =>
    Object.keys(data).find((type) => /^application\/vnd\.vegalite\.v\d/.test(type));
const figureSource = (data: Bundle) => data[kPlotly] ?? data[vegaType(data) ?? ""];

function figureOf(data: Bundle): Figure | null {
    return data[kPlotly] ? figureOfPlotly(data[kPlotly]) : figureOfVegaLite(figureSource(data));
}

export default function MimeOutput({ data, label }: { data: Bundle; label: string }) {
    const { t } = useTranslation();
    const table = data["application/vnd.atoll.table+json"];
    if (table) return <ResultTable table={table as Schemas["TableData"]} />;
    const figure = figureOf(data);
    if (figure)
        return (
            <Suspense fallback={<div className="skeleton h-72" />}>
                <FigureView figure={figure} />
            </Suspense>
        );
    const source = figureSource(data);
    if (source !== undefined)
        return (
            <div className="overflow-hidden rounded-[10px] border border-line">
                <p className="px-3.5 pt-2.5 text-13 text-ink-2">{t("image.notDrawn")}</p>
                <FoldedText text={JSON.stringify(source, null, 2)} lines={6} language="json" />
            </div>
        );
    const image = kImages.find((type) => data[type]);
    if (image) return <BytesImage type={image} base64={textOf(data[image])} label={label} />;
    const svg = data["image/svg+xml"];
    if (svg) return <BytesImage type="image/svg+xml" text={textOf(svg)} label={label} />;
    if (data["text/markdown"])
        return (
            <Suspense fallback={null}>
                <Markdown text={textOf(data["text/markdown"])} />
            </Suspense>
        );
    // Without its text: a formula, as sympy has it.
    if (data["text/latex"] && !data["text/plain"])
        return (
            <Suspense fallback={null}>
                <Markdown text={textOf(data["text/latex"])} />
            </Suspense>
        );
    const html = data["text/html"];
    if (html && /<table/i.test(textOf(html)))
        return (
            <OpaqueHtml
                title={label}
                html={textOf(html)}
                className="h-64 w-full rounded-[10px] border border-line"
            />
        );
    const plain = data["text/plain"] ?? data["text/latex"] ?? data["application/json"] ?? html;
    if (plain === undefined) return null;
    return <FoldedText text={withoutColours(textOf(plain)).trimEnd()} lines={40} />;
}

interface BytesImageProps {
    type: string;
    base64?: string;
    text?: string;
    label: string;
}

// The page's policy knows no data: addresses, so the bytes become a blob. In an image nothing runs.
function BytesImage({ type, base64, text = "", label }: BytesImageProps) {
    const [address, setAddress] = useState("");
    useEffect(() => {
        let made = "";
        try {
            const bytes = base64
                ? Uint8Array.from(atob(base64.replace(/\s/g, "")), (one) => one.charCodeAt(0))
                : new TextEncoder().encode(text);
            made = URL.createObjectURL(new Blob([bytes], { type }));
            setAddress(made);
        } catch {
            // Not base64: a notebook may hold anything.
        }
        return () => URL.revokeObjectURL(made);
    }, [type, base64, text]);
    if (!address) return null;
    return (
        <img
            src={address}
            alt={label}
            className="max-w-full rounded-lg border border-line bg-white"
        />
    );
}
