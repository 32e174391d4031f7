// The marks and the axes of a chart that has them.
import { memo, useId, type ReactNode } from "react";
import { formatNumber, formatShort } from "@/lib/format";
import { colourOf } from "./colours";
import type { Figure, Value } from "./figure";
import { binPixels, isBar, kHeight, kPad, sums, type Layout } from "./layout";

const cut = (text: string, length: number) =>
    text.length > length ? `${text.slice(0, length - 1)}…` : text;

// Drawn anew when the chart or its width changes, not while somebody points at it.
export const Plot = memo(function Plot({ figure, layout }: { figure: Figure; layout: Layout }) {
    const { horizontal, stacked } = figure;
    const { series, names, place, left, wide, high, band, x, y, xWord, xOf, across } = layout;
    const clip = useId().replace(/[^\w-]/g, "");
    const marks: ReactNode[] = [];
    const group = stacked ? 1 : Math.max(series.filter(isBar).length, 1);
    const thick = Math.max(0.6, (band.width * 0.72) / group);
    const above = new Map<Value, number>();
    const below = new Map<Value, number>();
    let bar = 0;
    series.forEach((one, at) => {
        const colour = colourOf(at);
        const said = (px: Value, value: number) =>
            `${one.name ? `${one.name}, ` : ""}${layout.atWord(px)}: ${formatNumber(value, 4)}`;
        if (one.kind === "bin") {
            const size = Math.max(0.6, binPixels(figure, layout) - 1);
            for (const [start, value] of sums(one)) {
                const base = stacked ? (above.get(start) ?? 0) : 0;
                above.set(start, base + value);
                const [from, to] = [across(base || layout.base), across(base + value)];
                marks.push(
                    <rect
                        key={`${at} ${start}`}
                        x={left + xOf(start) + 0.5}
                        y={Math.min(from, to)}
                        width={size}
                        height={Math.abs(from - to)}
                        fill={colour}
                        opacity={stacked || series.length === 1 ? 1 : 0.65}
                    >
                        <title>{said(start, value)}</title>
                    </rect>,
                );
            }
            return;
        }
        if (one.kind === "bar") {
            const offset = stacked ? -thick / 2 : (bar - group / 2) * thick;
            bar += 1;
            for (const [name, value] of sums(one)) {
                const piles = value < 0 ? below : above;
                const base = stacked ? (piles.get(name) ?? 0) : 0;
                piles.set(name, base + value);
                const [a, b] = [across(base || layout.base), across(base + value)];
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
                    points={`${spots[0]?.[0]},${across(layout.base)} ${line} ${spots.at(-1)?.[0]},${across(layout.base)}`}
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
            <clipPath id={clip}>
                <rect x={left - 4} y={0} width={wide + 8} height={kPad.top + high + 4} />
            </clipPath>
            <g clipPath={`url(#${clip})`}>{marks}</g>
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
});
