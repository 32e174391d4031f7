// Where a chart's values stand in the picture: scales, the room that names take, and the way back
// from a place to the values there. Pure functions.
import { formatDay, formatNumber } from "@/lib/format";
import type { Figure, Series, Value } from "./figure";
import { bands, linear, logarithmic, times, type Scale } from "./scale";

export const kHeight = 340;
export const kPad = { top: 14, right: 16, bottom: 44, left: 64 };
export type Range = readonly [number, number];

// Sums of what stands at the same place: bars of one colour there are one bar.
export function sums(series: Series): Map<Value, number> {
    const found = new Map<Value, number>();
    for (const [x, y] of series.points) found.set(x, (found.get(x) ?? 0) + y);
    return found;
}

const numberOf = (value: Value) => (typeof value === "number" ? value : Date.parse(value));
export const isBar = (series: Series) => series.kind === "bar" || series.kind === "bin";

// What is seen of a series in a part of the axis: a line also has the points beside it.
function within(series: Series, range: Range | null, binWidth: number): Series {
    if (!range) return series;
    const [low, high] = range;
    const isIn = ([x]: readonly [Value, number]) =>
        numberOf(x) + binWidth >= low && numberOf(x) <= high;
    const wide = series.kind === "line" || series.kind === "area";
    const points = series.points.filter(
        (point, at, all) =>
            isIn(point) ||
            (wide && [all[at - 1], all[at + 1]].some((beside) => beside && isIn(beside))),
    );
    return { ...series, points };
}

export function layoutOf(figure: Figure, width: number, range: Range | null) {
    const { horizontal, stacked, binWidth } = figure;
    const series = figure.series.map((one) => within(one, range, binWidth));
    const bars = series.filter(isBar).map(sums);
    const names =
        figure.x.kind === "category"
            ? [...new Set(series.flatMap((one) => one.points.map(([x]) => x)))]
            : [];
    const place = new Map(names.map((name, at) => [name, at]));
    const longest = Math.max(0, ...names.map((name) => String(name).length));
    const left = horizontal ? Math.min(180, 26 + Math.min(longest, 24) * 6.4) : kPad.left;
    const wide = width - left - kPad.right;
    const high = kHeight - kPad.top - kPad.bottom;

    const seen = range
        ? (x: Value) => numberOf(x) + binWidth >= range[0] && numberOf(x) <= range[1]
        : () => true;
    const heights = series.flatMap((one) =>
        isBar(one)
            ? [...sums(one).values()]
            : one.points.filter(([x]) => seen(x)).map(([, y]) => y),
    );
    if (stacked)
        for (const at of new Set(bars.flatMap((one) => [...one.keys()]))) {
            const here = bars.map((one) => one.get(at) ?? 0);
            heights.push(here.filter((one) => one > 0).reduce((a, b) => a + b, 0));
            heights.push(here.filter((one) => one < 0).reduce((a, b) => a + b, 0));
        }
    const fromZero = !figure.y.log && series.some((one) => isBar(one) || one.kind === "area");
    const least = heights.reduce((a, b) => Math.min(a, b), fromZero ? 0 : Infinity);
    const most = heights.reduce((a, b) => Math.max(a, b), fromZero ? 0 : -Infinity);
    const y =
        heights.length === 0
            ? linear(0, 1, high)
            : figure.y.log
              ? logarithmic(least, most, high)
              : linear(least, most, horizontal ? wide : high, horizontal && wide < 400 ? 3 : 5);
    const band = bands(
        names.length,
        horizontal ? high : wide,
        horizontal ? 15 : Math.min(longest, 14) * 6.2 + 10,
    );
    let x: Scale | null = null;
    if (figure.x.kind !== "category") {
        const xs = series.flatMap((one) => one.points.map(([x]) => numberOf(x)));
        const low = range?.[0] ?? xs.reduce((a, b) => Math.min(a, b), Infinity);
        const top = range?.[1] ?? xs.reduce((a, b) => Math.max(a, b), -Infinity) + binWidth;
        const count = (each: number) => Math.max(2, Math.floor(wide / each));
        if (figure.x.kind === "time") x = times(low, top, wide, count(110));
        else if (figure.x.log && !range) x = logarithmic(low, top, wide);
        else x = linear(low, top, wide, count(80), range !== null);
    }
    const scale = x;
    const xWord = (value: Value) =>
        typeof value === "number" && figure.x.kind === "time"
            ? formatDay(value)
            : typeof value === "number"
              ? formatNumber(value, 4)
              : value;
    return {
        series,
        names,
        place,
        left,
        wide,
        high,
        band,
        x,
        y,
        xWord,
        // Of a bar: from where to where it says.
        atWord: (value: Value) =>
            binWidth > 0 && typeof value === "number"
                ? `${xWord(value)} – ${xWord(value + binWidth)}`
                : String(xWord(value)),
        xOf: (value: Value) => (scale ? scale.at(numberOf(value)) : band.at(place.get(value) ?? 0)),
        across: (value: number) =>
            horizontal ? left + y.at(value) : kPad.top + high - y.at(value),
        // Where bars and areas stand.
        base: figure.y.log ? (y.ticks[0] ?? 1) : 0,
    };
}
export type Layout = ReturnType<typeof layoutOf>;

export interface Reading {
    // Beside the place: in which series, and which value.
    values: readonly (readonly [series: number, value: number])[];
    at: Value;
}

// What stands nearest to a place in the picture.
export function readingAt(figure: Figure, layout: Layout, px: number, py: number): Reading | null {
    const { series, left, wide, high, band, names, x } = layout;
    if (px < left - 4 || px > left + wide + 4 || py < 0 || py > kPad.top + high + 4) return null;
    if (!x) {
        const along = figure.horizontal ? py - kPad.top : px - left;
        const at = names[Math.min(names.length - 1, Math.max(0, Math.floor(along / band.width)))];
        if (at === undefined) return null;
        return { at, values: valuesAt(series, at) };
    }
    const dots = series.every((one) => one.kind === "point");
    let best: { at: Value; one: number; value: number } | null = null;
    let distance = Infinity;
    series.forEach((one, index) => {
        for (const [at, value] of one.points) {
            const dx = left + layout.xOf(at) - px;
            const middle = figure.binWidth > 0 ? dx + binPixels(figure, layout) / 2 : dx;
            const dy = dots ? layout.across(value) - py : 0;
            const far = middle * middle + dy * dy;
            if (far >= distance) continue;
            distance = far;
            best = { at, one: index, value };
        }
    });
    if (!best || distance > 60 * 60) return null;
    const { at, one, value } = best as { at: Value; one: number; value: number };
    return { at, values: dots ? [[one, value]] : valuesAt(series, at) };
}

function valuesAt(series: readonly Series[], at: Value): [number, number][] {
    return series.flatMap((one, index): [number, number][] => {
        if (isBar(one)) {
            const value = sums(one).get(at);
            return value === undefined ? [] : [[index, value]];
        }
        const found = one.points.find(([x]) => x === at);
        return found ? [[index, found[1]]] : [];
    });
}

export const binPixels = (figure: Figure, { x }: Layout) =>
    x ? Math.max(0, x.at(figure.binWidth) - x.at(0)) : 0;
