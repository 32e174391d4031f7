// A chart as values, whichever library described it, and how it is read from what plotly and
// Vega-Lite (altair) send as JSON. Their own libraries are megabytes, and draw by writing styles,
// which the page's policy refuses; the usual charts need neither. What is not understood is null,
// and shown as data instead: a chart that is drawn wrong is worse than none.
export type Kind = "bar" | "bin" | "line" | "area" | "point";
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
    x: { title: string; kind: AxisKind; log: boolean };
    y: { title: string; log: boolean };
    // How wide bins are; a point of theirs is where one begins. 0: there are none.
    binWidth: number;
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
    figure: Omit<Figure, "x"> & { x: { title: string; log: boolean; kind?: AxisKind } },
): Figure | null {
    const xs = figure.series.flatMap((one) => one.points.map(([x]) => x));
    if (xs.length + figure.slices.length === 0 || xs.length > kPointsMax) return null;
    if (figure.series.length > kSeriesMax || figure.slices.length > kSeriesMax) return null;
    const isBars = figure.series.some((one) => one.kind === "bar");
    const kind = isBars ? "category" : (figure.x.kind ?? kindOf(xs));
    // Piles have no logarithm, and bins none of their edges.
    if (figure.y.log && (figure.stacked || figure.horizontal)) return null;
    if (figure.x.log && (kind !== "number" || figure.binWidth > 0)) return null;
    const positive = (value: Value) => typeof value === "number" && value > 0;
    const series = figure.series.map((one) => ({
        ...one,
        points: one.points.filter(
            ([x, y]) => (!figure.x.log || positive(x)) && (!figure.y.log || positive(y)),
        ),
    }));
    if ((figure.x.log || figure.y.log) && series.every((one) => one.points.length === 0))
        return null;
    return { ...figure, series, x: { ...figure.x, kind } };
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

// A round number, not below this one.
function roundUp(size: number): number {
    const power = 10 ** Math.floor(Math.log10(size));
    return ([1, 2, 5, 10].find((one) => one * power >= size * 0.999999) ?? 10) * power;
}

const kHistogram = new Set(["", "count", "sum"]);

// Values that are counted here: in bins of one width for all traces, or by category.
function histogramOf(traces: readonly unknown[]): { series: Series[]; binWidth: number } | null {
    const all: { name: string; xs: unknown[]; ys: unknown[] }[] = [];
    let size = 0;
    let start = NaN;
    let count = 0;
    for (const trace of traces) {
        if (!isObject(trace) || trace["type"] !== "histogram") return null;
        const how = textOf(trace["histfunc"]);
        const cumulative = isObject(trace["cumulative"]) && trace["cumulative"]["enabled"];
        const isSecond = [trace["xaxis"] ?? "x", trace["yaxis"] ?? "y"].join() !== "x,y";
        const other = trace["orientation"] === "h" || cumulative || isSecond;
        if (other || textOf(trace["histnorm"]) || !kHistogram.has(how)) return null;
        const xs = plotlyValues(trace["x"]);
        const ys = how === "sum" ? plotlyValues(trace["y"]) : xs.map(() => 1);
        const bins = isObject(trace["xbins"]) ? trace["xbins"] : {};
        if (bins["size"] !== undefined && typeof bins["size"] !== "number") return null;
        if (typeof bins["size"] === "number") size = bins["size"];
        if (typeof bins["start"] === "number") start = bins["start"];
        if (typeof trace["nbinsx"] === "number") count = trace["nbinsx"];
        all.push({ name: textOf(trace["name"]), xs, ys });
    }
    const values = all.flatMap((one) => one.xs).filter((one) => one !== null);
    const kind = kindOf(values);
    if (all.length === 0 || values.length === 0 || values.length > kPointsMax) return null;
    if (kind === "time") return null; // months are no numbers
    const numbers = values.filter((one) => typeof one === "number");
    const sums = (place: (x: Value) => Value, mark: Kind): Series[] =>
        all.map(({ name, xs, ys }) => {
            const found = new Map<Value, number>();
            for (const [x, y] of pointsOf(xs, ys)) {
                const at = place(x);
                found.set(at, (found.get(at) ?? 0) + y);
            }
            return { name, kind: mark, dots: false, points: [...found].toSorted(byX) };
        });
    if (kind === "category") return { series: sums((x) => x, "bar"), binWidth: 0 };
    const low = numbers.reduce((a, b) => Math.min(a, b));
    const high = numbers.reduce((a, b) => Math.max(a, b));
    const whole = numbers.every(Number.isInteger);
    if (size <= 0) {
        const mean = numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
        const spread = Math.sqrt(
            numbers.reduce((sum, one) => sum + (one - mean) ** 2, 0) / numbers.length,
        );
        const rough =
            count > 0 ? (high - low) / count : (2 * spread) / Math.pow(numbers.length, 0.4);
        size = rough > 0 ? roundUp(whole ? Math.max(1, rough) : rough) : 1;
    }
    // Whole numbers stand in the middle of their bins.
    if (!Number.isFinite(start))
        start = Math.floor(low / size) * size - (whole && size === 1 ? 0.5 : 0);
    if ((high - start) / size > 2000) return null;
    const begin = (x: Value) => start + Math.floor((Number(x) - start) / size + 1e-9) * size;
    return { series: sums(begin, "bin"), binWidth: size };
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
    const traces = listOf(json["data"]);
    const counted = histogramOf(traces);
    if (traces.some((one) => isObject(one) && one["type"] === "histogram") && !counted) return null;
    for (const trace of counted ? [] : traces) {
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
    const [along, across] = horizontal
        ? (["yaxis", "xaxis"] as const)
        : (["xaxis", "yaxis"] as const);
    return made({
        title: textOf(layout["title"]),
        x: { title: textOf(axis(along)["title"]), log: axis(along)["type"] === "log" },
        y: { title: textOf(axis(across)["title"]), log: axis(across)["type"] === "log" },
        binWidth: counted?.binWidth ?? 0,
        series: counted?.series ?? series,
        slices,
        horizontal,
        // Of one series there is nothing to pile up.
        stacked:
            (counted?.series ?? series).length > 1 &&
            (["stack", "relative"].includes(textOf(layout["barmode"])) ||
                (counted !== null && layout["barmode"] === undefined)),
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
const kChannel = new Set(
    ["field", "type", "aggregate", "title", "axis", "legend", "sort"].concat(["bin", "scale"]),
);
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
    if (across["bin"] || color["bin"] || color["scale"] !== undefined) return null;
    const field = textOf(along["field"]);
    const bins = along["bin"] ? binsOf(rows, field, along["bin"]) : null;
    if (along["bin"] && (!bins || kind !== "bar" || horizontal)) return null;
    if (kind === "bar" && isNumber(along) && !bins) return null;
    const [xLog, yLog] = [isLog(along), isLog(across)];
    if (xLog === null || yLog === null || (yLog && kind !== "line" && kind !== "point"))
        return null;
    const placed = bins
        ? rows.flatMap((row) => {
              const value = row[field];
              return typeof value === "number" ? [{ ...row, [field]: bins.begin(value) }] : [];
          })
        : rows;
    const groups = grouped(placed, field, across, textOf(color["field"]));
    if (!groups) return null;
    const types: Record<string, AxisKind> = { quantitative: "number", temporal: "time" };
    const names = groups.size;
    return made({
        title: textOf(json["title"]),
        x: {
            title: titleOf(along),
            kind: types[textOf(along["type"])] ?? "category",
            log: xLog,
        },
        y: { title: titleOf(across), log: yLog },
        binWidth: bins?.step ?? 0,
        series: [...groups].map(([name, points]) => {
            // As Vega-Lite has it unless told: in the order of the values.
            const sorted = along["sort"] === null ? points : points.toSorted(byX);
            const dots = mark["point"] === true;
            return { name, kind: bins ? "bin" : kind, dots, points: sorted };
        }),
        slices: [],
        horizontal,
        stacked: kind === "bar" && names > 1,
    });
}

const byX = ([a]: readonly [Value, number], [b]: readonly [Value, number]) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : 1;

// Null: another scale, or one that is told more than this.
function isLog(one: Json): boolean | null {
    const scale = one["scale"];
    if (scale === undefined) return false;
    if (!isObject(scale)) return null;
    // Whether zero is on the axis is for us to say: the numbers beside it are true either way.
    const known = Object.keys(scale).every((key) => ["type", "zero", "nice"].includes(key));
    const type = textOf(scale["type"]);
    return known && ["", "linear", "log"].includes(type) ? type === "log" : null;
}

// As Vega-Lite finds them: round steps, ten at most unless told.
function binsOf(rows: readonly Json[], field: string, how: unknown) {
    const told = isObject(how) ? how : {};
    if (Object.keys(told).some((key) => !["maxbins", "step"].includes(key))) return null;
    const values = rows.map((row) => row[field]).filter((one) => typeof one === "number");
    if (values.length === 0) return null;
    const low = values.reduce((a, b) => Math.min(a, b));
    const high = values.reduce((a, b) => Math.max(a, b));
    const most = typeof told["maxbins"] === "number" ? told["maxbins"] : 10;
    const span = high - low || Math.abs(low) || 1;
    let step = 10 ** (Math.round(Math.log10(span)) - Math.ceil(Math.log10(most)));
    while (Math.ceil(span / step) > most) step *= 10;
    for (const part of [5, 2]) if (span / (step / part) <= most) step /= part;
    if (typeof told["step"] === "number" && told["step"] > 0) step = told["step"];
    const start = Math.floor(low / step + 1e-9) * step;
    const last = Math.max(start, (Math.ceil(high / step - 1e-9) - 1) * step);
    if ((last - start) / step > 2000) return null;
    const begin = (value: number) =>
        Number(Math.min(Math.floor(value / step + 1e-9) * step, last).toPrecision(12));
    return { step, begin };
}

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
    if (said) return said;
    if (one["bin"]) return `${field} (binned)`;
    if (!aggregate) return field;
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
