// A chart as values, whichever library described it, and how it is read from what plotly and
// Vega-Lite (altair) send as JSON. Their own libraries are megabytes, and draw by writing styles,
// which the page's policy refuses; the usual charts need neither. What is not understood is null,
// and shown as data instead: a chart that is drawn wrong is worse than none.
export type Kind = "bar" | "line" | "area" | "point";
export type AxisKind = "category" | "number" | "time";
export type Value = string | number;

export interface Series {
    name: string;
    kind: Kind;
    // Of a line: with dots.
    dots: boolean;
    points: readonly (readonly [x: Value, y: number])[];
}
export interface Figure {
    title: string;
    x: { title: string; kind: AxisKind };
    y: { title: string };
    series: readonly Series[];
    // Bars lie, and stand on one another.
    horizontal: boolean;
    stacked: boolean;
    // Parts of a whole, in place of series.
    slices: readonly (readonly [name: string, value: number])[];
}

// More is no picture but a blot, and slow.
export const kPointsMax = 20_000;
const kSeriesMax = 40;
const kTime = /^\d{4}-\d{2}(-\d{2})?([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
    typeof value === "object" && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string =>
    typeof value === "string" ? value : isObject(value) ? textOf(value["text"]) : "";
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

function kindOf(values: readonly unknown[]): AxisKind {
    const some = values.filter((one) => one !== null && one !== undefined);
    if (some.every((one) => typeof one === "number")) return "number";
    return some.every((one) => typeof one === "string" && kTime.test(one)) ? "time" : "category";
}

function made(
    figure: Omit<Figure, "x"> & { x: { title: string; kind?: AxisKind } },
): Figure | null {
    const xs = figure.series.flatMap((one) => one.points.map(([x]) => x));
    if (xs.length + figure.slices.length === 0 || xs.length > kPointsMax) return null;
    if (figure.series.length > kSeriesMax || figure.slices.length > kSeriesMax) return null;
    const isBars = figure.series.some((one) => one.kind === "bar");
    const kind = figure.x.kind ?? kindOf(xs);
    return { ...figure, x: { title: figure.x.title, kind: isBars ? "category" : kind } };
}

function pointsOf(xs: readonly unknown[], ys: readonly unknown[]): [Value, number][] {
    const points: [Value, number][] = [];
    for (let at = 0; at < ys.length; at += 1) {
        const x = xs.length > 0 ? xs[at] : at;
        const y = ys[at];
        if (typeof y !== "number" || !Number.isFinite(y)) continue;
        if (typeof x === "string" || typeof x === "number") points.push([x, y]);
        else if (typeof x === "boolean") points.push([String(x), y]);
    }
    return points;
}

// plotly

const kArrays: Record<string, new (buffer: ArrayBuffer) => ArrayLike<number>> = {
    i1: Int8Array,
    u1: Uint8Array,
    i2: Int16Array,
    u2: Uint16Array,
    i4: Int32Array,
    u4: Uint32Array,
    f4: Float32Array,
    f8: Float64Array,
};

// A list, or numbers as bytes in base64.
function plotlyValues(value: unknown): unknown[] {
    if (!isObject(value)) return listOf(value);
    const form = kArrays[textOf(value["dtype"]).replace(/^[<|]/, "")];
    if (!form || value["shape"] !== undefined) return [];
    try {
        const bytes = Uint8Array.from(atob(textOf(value["bdata"])), (one) => one.charCodeAt(0));
        return Array.from(new form(bytes.buffer));
    } catch {
        return []; // not base64, or not a whole number of values
    }
}

export function figureOfPlotly(json: unknown): Figure | null {
    if (!isObject(json)) return null;
    const layout = isObject(json["layout"]) ? json["layout"] : {};
    const axis = (name: string) => {
        const found = layout[name];
        return isObject(found) ? found : {};
    };
    const series: Series[] = [];
    const slices: [string, number][] = [];
    let horizontal = false;
    for (const trace of listOf(json["data"])) {
        if (!isObject(trace)) return null;
        const type = textOf(trace["type"]) || "scatter";
        const name = textOf(trace["name"]);
        const isSecond = [trace["xaxis"] ?? "x", trace["yaxis"] ?? "y"].join() !== "x,y";
        if (isSecond) return null;
        if (type === "pie") {
            const pie = pointsOf(plotlyValues(trace["labels"]), plotlyValues(trace["values"]));
            slices.push(...pie.map(([label, value]): [string, number] => [String(label), value]));
        } else if (type === "bar") {
            const lies = trace["orientation"] === "h";
            if (series.length > 0 && lies !== horizontal) return null;
            horizontal = lies;
            const [along, across] = lies ? ["y", "x"] : ["x", "y"];
            const points = pointsOf(
                plotlyValues(trace[along ?? ""]),
                plotlyValues(trace[across ?? ""]),
            );
            series.push({ name, kind: "bar", dots: false, points });
        } else if (type === "scatter" || type === "scattergl") {
            const points = pointsOf(plotlyValues(trace["x"]), plotlyValues(trace["y"]));
            const mode = textOf(trace["mode"]) || (points.length < 20 ? "lines+markers" : "lines");
            if (mode.includes("text")) return null;
            const isLine = mode.includes("lines");
            const fills = textOf(trace["fill"]) === "tozeroy";
            if (textOf(trace["stackgroup"])) return null;
            const kind = fills ? "area" : isLine ? "line" : "point";
            series.push({ name, kind, dots: mode.includes("markers"), points });
        } else return null;
    }
    if (slices.length > 0 && (series.length > 0 || slices.some(([, value]) => value < 0)))
        return null;
    if (["xaxis", "yaxis"].some((name) => axis(name)["type"] === "log")) return null;
    const [along, across] = horizontal ? ["yaxis", "xaxis"] : ["xaxis", "yaxis"];
    return made({
        title: textOf(layout["title"]),
        x: { title: textOf(axis(along ?? "")["title"]) },
        y: { title: textOf(axis(across ?? "")["title"]) },
        series,
        slices,
        horizontal,
        stacked: ["stack", "relative"].includes(textOf(layout["barmode"])),
    });
}

// Vega-Lite

const kMarks: Record<string, Kind> = {
    bar: "bar",
    line: "line",
    area: "area",
    point: "point",
    circle: "point",
    square: "point",
};
const kAggregates: Record<string, (values: number[]) => number> = {
    sum: (values) => values.reduce((sum, one) => sum + one, 0),
    mean: (values) => values.reduce((sum, one) => sum + one, 0) / values.length,
    average: (values) => values.reduce((sum, one) => sum + one, 0) / values.length,
    min: (values) => values.reduce((a, b) => Math.min(a, b)),
    max: (values) => values.reduce((a, b) => Math.max(a, b)),
    median: (values) => {
        const sorted = values.toSorted((a, b) => a - b);
        const middle = sorted.length >> 1;
        const upper = sorted[middle] ?? NaN;
        return sorted.length % 2 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
    },
};
// Of a channel: what we know, or can leave out and still draw the truth.
const kChannel = new Set(["field", "type", "aggregate", "title", "axis", "legend", "sort"]);
const kEncoding = new Set(["x", "y", "color", "tooltip"]);
const kSpec = new Set(
    ["$schema", "config", "data", "datasets", "mark", "encoding", "title", "width"].concat([
        "height",
        "params",
        "name",
        "usermeta",
        "description",
    ]),
);

export function figureOfVegaLite(json: unknown): Figure | null {
    if (!isObject(json) || Object.keys(json).some((key) => !kSpec.has(key))) return null;
    const data = isObject(json["data"]) ? json["data"] : {};
    const sets = isObject(json["datasets"]) ? json["datasets"] : {};
    const rows = listOf(data["values"] ?? sets[textOf(data["name"])]).filter(isObject);
    const mark = isObject(json["mark"]) ? json["mark"] : { type: json["mark"] };
    const kind = kMarks[textOf(mark["type"])];
    const encoding = isObject(json["encoding"]) ? json["encoding"] : {};
    if (!kind || Object.keys(encoding).some((key) => !kEncoding.has(key))) return null;
    const channel = (name: string): Json | null => {
        const found = encoding[name];
        if (!isObject(found) || Object.keys(found).some((key) => !kChannel.has(key))) return null;
        return found;
    };
    const x = channel("x");
    const y = channel("y");
    const color = encoding["color"] === undefined ? {} : channel("color");
    if (!x || !y || !color || ["x", "y"].some((name) => hasOtherOrder(channel(name)))) return null;
    if (color["aggregate"] !== undefined || color["type"] === "quantitative") return null;
    // A bar's length is the channel with numbers.
    const isNumber = (one: Json) => one["type"] === "quantitative";
    const horizontal = kind === "bar" && isNumber(x) && !isNumber(y);
    const [along, across] = horizontal ? [y, x] : [x, y];
    if (!isNumber(across) || along["aggregate"] !== undefined) return null;
    if (kind === "bar" && isNumber(along)) return null;
    const groups = grouped(rows, textOf(along["field"]), across, textOf(color["field"]));
    if (!groups) return null;
    const types: Record<string, AxisKind> = { quantitative: "number", temporal: "time" };
    const names = groups.size;
    return made({
        title: textOf(json["title"]),
        x: {
            title: titleOf(along),
            kind: types[textOf(along["type"])] ?? "category",
        },
        y: { title: titleOf(across) },
        series: [...groups].map(([name, points]) => {
            // As Vega-Lite has it unless told: in the order of the values.
            const sorted = along["sort"] === null ? points : points.toSorted(byX);
            return { name, kind, dots: mark["point"] === true, points: sorted };
        }),
        slices: [],
        horizontal,
        stacked: kind === "bar" && names > 1,
    });
}

const byX = ([a]: readonly [Value, number], [b]: readonly [Value, number]) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : 1;

// One that is not by the values themselves.
function hasOtherOrder(one: Json | null): boolean {
    return (
        one !== null &&
        one["sort"] !== undefined &&
        one["sort"] !== null &&
        one["sort"] !== "ascending"
    );
}

function titleOf(one: Json): string {
    const said = textOf(one["title"]);
    const aggregate = textOf(one["aggregate"]);
    const field = textOf(one["field"]);
    if (said || !aggregate) return said || field;
    return field ? `${aggregate} of ${field}` : aggregate;
}

function grouped(rows: Json[], along: string, across: Json, color: string) {
    const aggregate = textOf(across["aggregate"]);
    const field = textOf(across["field"]);
    const isCount = aggregate === "count";
    const combine = isCount ? (values: number[]) => values.length : kAggregates[aggregate];
    if (across["aggregate"] !== undefined && !combine) return null;
    const groups = new Map<string, [Value, number][]>();
    const cells = new Map<string, Map<Value, number[]>>();
    for (const row of rows) {
        const x = row[along];
        const value = isCount ? 1 : row[field];
        if ((typeof x !== "string" && typeof x !== "number") || typeof value !== "number") continue;
        const name = color ? String(row[color] ?? "") : "";
        if (!combine) {
            const points = groups.get(name) ?? [];
            groups.set(name, points);
            points.push([x, value]);
            continue;
        }
        const cell = cells.get(name) ?? new Map<Value, number[]>();
        cells.set(name, cell);
        const values = cell.get(x) ?? [];
        cell.set(x, values);
        values.push(value);
    }
    for (const [name, cell] of cells)
        groups.set(
            name,
            [...cell].map(([x, values]): [Value, number] => [x, combine?.(values) ?? NaN]),
        );
    return groups;
}
