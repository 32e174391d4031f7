// A chart in SVG, in the page's own colours. Attributes only: the policy refuses styles. Who points
// at it reads values; who drags along a line, dots or bins sees that part, until it is reset.
import { useLayoutEffect, useMemo, useRef, useState, type PointerEvent } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "@/lib/format";
import { colourOf } from "./colours";
import type { Figure } from "./figure";
import { kHeight, kPad, layoutOf, readingAt, type Range, type Reading } from "./layout";
import { Plot } from "./plot";

// Until the page has told its width.
const kWidth = 680;
const kWidthMin = 280;
// What is shorter was a click.
const kDragMin = 8;

export default function FigureView({ figure }: { figure: Figure }) {
    const { t } = useTranslation();
    const box = useRef<HTMLElement>(null);
    // Its letters are as large as those of the page, however wide it is.
    const [width, setWidth] = useState(kWidth);
    useLayoutEffect(() => {
        const element = box.current;
        if (!element) return;
        const observer = new ResizeObserver(([entry]) => {
            if (entry) setWidth(Math.max(kWidthMin, Math.round(entry.contentRect.width)));
        });
        observer.observe(element);
        return () => observer.disconnect();
    }, []);
    const [range, setRange] = useState<Range | null>(null);
    const [reading, setReading] = useState<Reading | null>(null);
    const [drag, setDrag] = useState<Range | null>(null);
    const isPie = figure.slices.length > 0;
    const layout = useMemo(() => layoutOf(figure, width, range), [figure, width, range]);
    const scale = layout.x;

    const placeOf = (event: PointerEvent<SVGSVGElement>) => {
        const frame = event.currentTarget.getBoundingClientRect();
        const factor = width / frame.width;
        return [
            (event.clientX - frame.left) * factor,
            (event.clientY - frame.top) * factor,
        ] as const;
    };
    const inside = (px: number) => Math.min(Math.max(px, layout.left), layout.left + layout.wide);
    const onPointerDown = (event: PointerEvent<SVGSVGElement>) => {
        // A finger scrolls the page.
        if (!scale || event.button !== 0 || event.pointerType === "touch") return;
        const [px, py] = placeOf(event);
        if (px < layout.left || py > kPad.top + layout.high) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag([px, px]);
    };
    const onPointerMove = (event: PointerEvent<SVGSVGElement>) => {
        const [px, py] = placeOf(event);
        if (drag) setDrag([drag[0], inside(px)]);
        else if (!isPie) setReading(readingAt(figure, layout, px, py));
    };
    const onPointerUp = () => {
        if (!drag || !scale) return;
        setDrag(null);
        const [from, to] = drag[0] < drag[1] ? drag : [drag[1], drag[0]];
        if (to - from < kDragMin) return;
        setRange([scale.from(from - layout.left), scale.from(to - layout.left)]);
        setReading(null);
    };
    const named = figure.series.filter((one) => one.name !== "");
    const labels: string[] = isPie
        ? figure.slices.map(([name]) => name)
        : named.length > 0 && figure.series.length > 1
          ? figure.series.map((one) => one.name)
          : [];
    const words = reading?.values.map(([series, value]) => {
        const name = figure.series[series]?.name;
        return `${name && labels.length > 0 ? `${name} ` : ""}${formatNumber(value, 4)}`;
    });
    return (
        <figure
            ref={box}
            className="overflow-hidden rounded-[10px] border border-line bg-panel p-3"
        >
            <figcaption className="flex min-h-6 items-baseline gap-3 px-1 pb-1">
                <span className="min-w-0 flex-1 text-13 font-semibold">{figure.title}</span>
                {reading && (
                    <span className="tabular max-w-[60%] truncate text-12 text-ink-2" dir="auto">
                        {layout.atWord(reading.at)}: {words?.join(" · ")}
                    </span>
                )}
                {range && (
                    <button
                        type="button"
                        className="flex-none text-12 text-accent hover:underline"
                        onClick={() => setRange(null)}
                    >
                        {t("image.resetZoom")}
                    </button>
                )}
            </figcaption>
            <svg
                viewBox={`0 0 ${width} ${kHeight}`}
                role="img"
                aria-label={figure.title || t("image.chart")}
                className={`block w-full fill-ink-2 text-[11px] select-none ${scale ? "cursor-crosshair" : ""}`}
                onPointerDown={onPointerDown}
                onPointerMove={onPointerMove}
                onPointerUp={onPointerUp}
                onPointerCancel={() => setDrag(null)}
                onPointerLeave={() => setReading(null)}
                onDoubleClick={() => setRange(null)}
            >
                {isPie ? (
                    <Pie figure={figure} width={width} />
                ) : (
                    <Plot figure={figure} layout={layout} />
                )}
                {reading && scale && figure.binWidth === 0 && (
                    <g pointerEvents="none">
                        <line
                            x1={layout.left + layout.xOf(reading.at)}
                            x2={layout.left + layout.xOf(reading.at)}
                            y1={kPad.top}
                            y2={kPad.top + layout.high}
                            stroke="var(--ink-3)"
                            strokeDasharray="3 3"
                        />
                        {reading.values.map(([series, value]) => (
                            <circle
                                key={series}
                                cx={layout.left + layout.xOf(reading.at)}
                                cy={layout.across(value)}
                                r="4.5"
                                fill={colourOf(series)}
                                stroke="var(--panel)"
                                strokeWidth="1.5"
                            />
                        ))}
                    </g>
                )}
                {drag && (
                    <rect
                        x={Math.min(...drag)}
                        y={kPad.top}
                        width={Math.abs(drag[1] - drag[0])}
                        height={layout.high}
                        fill="var(--accent)"
                        opacity="0.15"
                    />
                )}
            </svg>
            {labels.length > 0 && (
                <ul className="flex flex-wrap gap-x-4 gap-y-1 px-1 pt-1.5 text-12 text-ink-2">
                    {labels.map((label, at) => (
                        <li key={at} className="flex min-w-0 items-center gap-1.5">
                            <svg width="10" height="10" aria-hidden className="flex-none">
                                <rect width="10" height="10" rx="2" fill={colourOf(at)} />
                            </svg>
                            <span className="truncate" dir="auto">
                                {label || "–"}
                            </span>
                        </li>
                    ))}
                </ul>
            )}
        </figure>
    );
}

function Pie({ figure, width }: { figure: Figure; width: number }) {
    const total = figure.slices.reduce((sum, [, value]) => sum + value, 0) || 1;
    const radius = kHeight / 2 - 20;
    const edge = (part: number) => {
        const angle = part * 2 * Math.PI - Math.PI / 2;
        return `${width / 2 + radius * Math.cos(angle)} ${kHeight / 2 + radius * Math.sin(angle)}`;
    };
    let sum = 0;
    return figure.slices.map(([name, value], at) => {
        const from = sum / total;
        sum += value;
        const part = value / total;
        const words = `${name}: ${formatNumber(value, 4)} (${formatNumber(part * 100, 1)} %)`;
        if (part > 0.9999)
            return (
                <circle key={at} cx={width / 2} cy={kHeight / 2} r={radius} fill={colourOf(at)}>
                    <title>{words}</title>
                </circle>
            );
        const path = `M${width / 2} ${kHeight / 2} L${edge(from)} A${radius} ${radius} 0 ${part > 0.5 ? 1 : 0} 1 ${edge(sum / total)} Z`;
        return (
            <path key={at} d={path} fill={colourOf(at)} stroke="var(--panel)" strokeWidth="1.5">
                <title>{words}</title>
            </path>
        );
    });
}
