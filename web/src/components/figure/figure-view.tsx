// A chart in SVG, in the page's own colours. Attributes only: the policy refuses styles.
import { useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatDay, formatNumber, formatShort } from "@/lib/format";
import type { Figure, Series, Value } from "./figure";
import { bands, linear, times, type Scale } from "./scale";

// Until the page has told its width.
const kWidth = 680;
const kWidthMin = 280;
const kHeight = 340;
const kPad = { top: 14, right: 16, bottom: 44, left: 64 };
// Told apart on light and on dark, and by most who see few colours.
const kColours = [
    "#12897f",
    "#d97706",
    "#4f7fd9",
    "#c2417c",
    "#7c9a2e",
    "#8b5cf6",
    "#b45309",
    "#64748b",
];
const colourOf = (at: number) => kColours[at % kColours.length] ?? "#12897f";
const cut = (text: string, length: number) =>
    text.length > length ? `${text.slice(0, length - 1)}…` : text;

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
    const named = figure.series.filter((one) => one.name !== "");
    const labels: string[] =
        figure.slices.length > 0
            ? figure.slices.map(([name]) => name)
            : named.length > 0 && figure.series.length > 1
              ? figure.series.map((one) => one.name)
              : [];
    return (
        <figure
            ref={box}
            className="overflow-hidden rounded-[10px] border border-line bg-panel p-3"
        >
            {figure.title && (
                <figcaption className="px-1 pb-1 text-13 font-semibold">{figure.title}</figcaption>
            )}
            <svg
                viewBox={`0 0 ${width} ${kHeight}`}
                role="img"
                aria-label={figure.title || t("image.chart")}
                className="block w-full fill-ink-2 text-[11px]"
            >
                {figure.slices.length > 0 ? (
                    <Pie figure={figure} width={width} />
                ) : (
                    <Plot figure={figure} width={width} />
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

// Sums of what stands at the same place: bars of one colour there are one bar.
function sums(series: Series): Map<Value, number> {
    const found = new Map<Value, number>();
    for (const [x, y] of series.points) found.set(x, (found.get(x) ?? 0) + y);
    return found;
}

const numberOf = (value: Value) => (typeof value === "number" ? value : Date.parse(value));

function Plot({ figure, width }: { figure: Figure; width: number }) {
    const { horizontal, stacked, series } = figure;
    const isBar = series.map((one) => one.kind === "bar");
    const bars = series.filter((_, at) => isBar[at]).map(sums);
    const names =
        figure.x.kind === "category"
            ? [...new Set(series.flatMap((one) => one.points.map(([x]) => x)))]
            : [];
    const place = new Map(names.map((name, at) => [name, at]));
    const longest = Math.max(0, ...names.map((name) => String(name).length));
    const left = horizontal ? Math.min(180, 26 + Math.min(longest, 24) * 6.4) : kPad.left;
    const wide = width - left - kPad.right;
    const high = kHeight - kPad.top - kPad.bottom;

    const heights = series.flatMap((one, at) =>
        isBar[at] ? [...sums(one).values()] : one.points.map(([, y]) => y),
    );
    if (stacked)
        for (const name of names) {
            const here = bars.map((one) => one.get(name) ?? 0);
            heights.push(here.filter((one) => one > 0).reduce((a, b) => a + b, 0));
            heights.push(here.filter((one) => one < 0).reduce((a, b) => a + b, 0));
        }
    const fromZero = series.some((one) => one.kind === "bar" || one.kind === "area");
    const least = heights.reduce((a, b) => Math.min(a, b), fromZero ? 0 : Infinity);
    const most = heights.reduce((a, b) => Math.max(a, b), fromZero ? 0 : -Infinity);
    const y = linear(least, most, horizontal ? wide : high, horizontal && wide < 400 ? 3 : 5);
    const band = bands(
        names.length,
        horizontal ? high : wide,
        horizontal ? 15 : Math.min(longest, 14) * 6.2 + 10,
    );
    const xs =
        names.length > 0 ? [] : series.flatMap((one) => one.points.map(([x]) => numberOf(x)));
    const ends = [
        xs.reduce((a, b) => Math.min(a, b), Infinity),
        xs.reduce((a, b) => Math.max(a, b), -Infinity),
    ] as const;
    const x: Scale | null =
        names.length > 0
            ? null
            : figure.x.kind === "time"
              ? times(...ends, wide, Math.max(2, Math.floor(wide / 110)))
              : linear(...ends, wide, Math.max(2, Math.floor(wide / 80)));
    const xOf = (value: Value) => (x ? x.at(numberOf(value)) : band.at(place.get(value) ?? 0));
    const across = (value: number) =>
        horizontal ? left + y.at(value) : kPad.top + high - y.at(value);
    const xWord = (value: Value) =>
        typeof value === "number" && figure.x.kind === "time"
            ? formatDay(value)
            : typeof value === "number"
              ? formatNumber(value, 4)
              : value;

    const marks: ReactNode[] = [];
    const group = stacked ? 1 : Math.max(bars.length, 1);
    const thick = Math.max(0.6, (band.width * 0.72) / group);
    const above = new Map<Value, number>();
    const below = new Map<Value, number>();
    let bar = 0;
    series.forEach((one, at) => {
        const colour = colourOf(at);
        const said = (px: Value, value: number) =>
            `${one.name ? `${one.name}, ` : ""}${xWord(px)}: ${formatNumber(value, 4)}`;
        if (one.kind === "bar") {
            const offset = stacked ? -thick / 2 : (bar - group / 2) * thick;
            bar += 1;
            for (const [name, value] of sums(one)) {
                const piles = value < 0 ? below : above;
                const base = stacked ? (piles.get(name) ?? 0) : 0;
                piles.set(name, base + value);
                const [a, b] = [across(base), across(base + value)];
                const along = band.at(place.get(name) ?? 0) + offset;
                const [from, size] = [Math.min(a, b), Math.abs(b - a)];
                marks.push(
                    <rect
                        key={`${at} ${name}`}
                        x={horizontal ? from : left + along}
                        y={horizontal ? kPad.top + along : from}
                        width={horizontal ? size : thick}
                        height={horizontal ? thick : size}
                        rx={Math.min(2, thick / 4)}
                        fill={colour}
                    >
                        <title>{said(name, value)}</title>
                    </rect>,
                );
            }
            return;
        }
        const spots = one.points.map(([px, py]) => [left + xOf(px), across(py)] as const);
        const line = spots.map(([a, b]) => `${a.toFixed(1)},${b.toFixed(1)}`).join(" ");
        if (one.kind === "area")
            marks.push(
                <polygon
                    key={`${at} area`}
                    points={`${spots[0]?.[0]},${across(0)} ${line} ${spots.at(-1)?.[0]},${across(0)}`}
                    fill={colour}
                    opacity="0.25"
                />,
            );
        if (one.kind !== "point")
            marks.push(
                <polyline
                    key={`${at} line`}
                    points={line}
                    fill="none"
                    stroke={colour}
                    strokeWidth="2"
                />,
            );
        if (one.kind === "point" || one.dots)
            one.points.forEach(([px, py], index) =>
                marks.push(
                    <circle
                        key={`${at} ${index}`}
                        cx={spots[index]?.[0]}
                        cy={spots[index]?.[1]}
                        r="3"
                        fill={colour}
                        opacity={one.kind === "point" ? 0.75 : 1}
                    >
                        <title>{said(px, py)}</title>
                    </circle>,
                ),
            );
    });
    const alongTicks = x ? x.ticks.map((tick) => [tick, x.at(tick)] as const) : null;
    return (
        <>
            {y.ticks.map((tick) => {
                const at = across(tick);
                return horizontal ? (
                    <g key={tick}>
                        <line
                            x1={at}
                            x2={at}
                            y1={kPad.top}
                            y2={kPad.top + high}
                            stroke="var(--line-soft)"
                        />
                        <text x={at} y={kPad.top + high + 16} textAnchor="middle">
                            {formatShort(tick)}
                        </text>
                    </g>
                ) : (
                    <g key={tick}>
                        <line
                            x1={left}
                            x2={left + wide}
                            y1={at}
                            y2={at}
                            stroke="var(--line-soft)"
                        />
                        <text x={left - 7} y={at + 4} textAnchor="end">
                            {formatShort(tick)}
                        </text>
                    </g>
                );
            })}
            {marks}
            {alongTicks?.map(([tick, at]) => (
                <text
                    key={tick}
                    x={left + at}
                    y={kPad.top + high + 16}
                    textAnchor={at > wide - 30 ? "end" : "middle"}
                >
                    {xWord(tick)}
                </text>
            ))}
            {names.map((name, at) =>
                at % band.every !== 0 ? null : horizontal ? (
                    <text key={at} x={left - 7} y={kPad.top + band.at(at) + 4} textAnchor="end">
                        {cut(String(xWord(name)), 24)}
                    </text>
                ) : (
                    <text
                        key={at}
                        x={left + band.at(at)}
                        y={kPad.top + high + 16}
                        textAnchor="middle"
                    >
                        {cut(String(xWord(name)), 14)}
                    </text>
                ),
            )}
            <text x={left + wide / 2} y={kHeight - 6} textAnchor="middle" className="fill-ink-3">
                {horizontal ? figure.y.title : figure.x.title}
            </text>
            <text
                transform={`translate(12 ${kPad.top + high / 2}) rotate(-90)`}
                textAnchor="middle"
                className="fill-ink-3"
            >
                {horizontal ? figure.x.title : figure.y.title}
            </text>
        </>
    );
}
