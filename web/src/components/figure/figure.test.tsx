// @vitest-environment jsdom
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import "@/lib/i18n";
import { figureOfPlotly, figureOfVegaLite, kPointsMax } from "./figure";
import FigureView from "./figure-view";
import { layoutOf, readingAt } from "./layout";
import { linear, logarithmic } from "./scale";

const plotly = (trace: object, layout: object = {}) =>
    figureOfPlotly({ data: [trace], layout: { title: { text: "T" }, ...layout } });
const vega = (more: object, rows: object[] = [{ a: "x", b: 1 }]) =>
    figureOfVegaLite({ mark: "bar", data: { name: "d" }, datasets: { d: rows }, ...more });
const kBars = {
    x: { field: "a", type: "nominal" },
    y: { field: "b", type: "quantitative", aggregate: "sum" },
};

describe("plotly", () => {
    it("bars, with numbers as bytes", () => {
        const found = plotly({ type: "bar", x: ["a", "b"], y: { dtype: "i1", bdata: "AQI=" } });
        expect(found?.series[0]?.points).toEqual([
            ["a", 1],
            ["b", 2],
        ]);
        expect(found).toMatchObject({ title: "T", horizontal: false, x: { kind: "category" } });
    });
    it("lines over time, dots, bars that lie, pies", () => {
        const line = plotly({ x: ["2026-01-01", "2026-01-02"], y: [1, 2], mode: "lines" });
        expect(line).toMatchObject({
            x: { kind: "time" },
            series: [{ kind: "line", dots: false }],
        });
        expect(plotly({ x: [1], y: [2], mode: "markers" })?.series[0]?.kind).toBe("point");
        const lying = plotly({ type: "bar", orientation: "h", x: [5], y: ["a"] });
        expect(lying).toMatchObject({ horizontal: true, series: [{ points: [["a", 5]] }] });
        expect(plotly({ type: "pie", labels: ["a"], values: [3] })?.slices).toEqual([["a", 3]]);
    });
    it("counts in bins of one width for all colours, and by category", () => {
        const two = figureOfPlotly({
            data: [
                { type: "histogram", x: [0, 1, 1, 9], name: "a" },
                { type: "histogram", x: [5, null], name: "b" },
            ],
            layout: { barmode: "relative" },
        });
        expect(two).toMatchObject({ stacked: true, x: { kind: "number" } });
        const width = two?.binWidth ?? 0;
        expect([1, 2, 5]).toContain(width);
        const sum = (at: number) => two?.series[at]?.points.reduce((all, [, y]) => all + y, 0);
        expect([sum(0), sum(1)]).toEqual([4, 1]);
        const told = plotly({
            type: "histogram",
            x: [0.1, 0.2, 0.6],
            xbins: { start: 0, size: 0.5 },
        });
        expect(told).toMatchObject({
            binWidth: 0.5,
            series: [
                {
                    points: [
                        [0, 2],
                        [0.5, 1],
                    ],
                },
            ],
        });
        const summed = plotly({
            type: "histogram",
            histfunc: "sum",
            x: ["a", "b", "a"],
            y: [1, 2, 3],
        });
        expect(summed).toMatchObject({
            binWidth: 0,
            series: [
                {
                    kind: "bar",
                    points: [
                        ["a", 4],
                        ["b", 2],
                    ],
                },
            ],
        });
    });
    it("logarithms, without what has none", () => {
        const found = plotly({ x: [1, 2, 3], y: [0, 10, 1000] }, { yaxis: { type: "log" } });
        expect(found).toMatchObject({
            y: { log: true },
            series: [
                {
                    points: [
                        [2, 10],
                        [3, 1000],
                    ],
                },
            ],
        });
    });
    it("gaps are left out", () => {
        expect(plotly({ x: [1, 2, 3], y: [1, null, 3] })?.series[0]?.points).toHaveLength(2);
    });
    it.each([
        ["a kind that is not known", { type: "surface", z: [[1]] }, {}],
        ["a logarithm of nothing", { x: [1], y: [-1] }, { yaxis: { type: "log" } }],
        ["shares of a histogram", { type: "histogram", x: [1], histnorm: "percent" }, {}],
        ["a histogram of times", { type: "histogram", x: ["2026-01-01"] }, {}],
        ["a histogram that lies", { type: "histogram", y: [1], orientation: "h" }, {}],
        ["bins without end", { type: "histogram", x: [0, 1e9], xbins: { size: 1 } }, {}],
        ["a second axis", { x: [1], y: [1], yaxis: "y2" }, {}],
        ["nothing", { type: "bar" }, {}],
        ["bytes that are none", { type: "bar", x: ["a"], y: { dtype: "f8", bdata: "AQI=" } }, {}],
        ["too much", { y: Array.from({ length: kPointsMax + 1 }, (_, n) => n) }, {}],
    ])("does not draw %s", (_, trace, layout) => {
        expect(plotly(trace, layout)).toBeNull();
    });
    it("is anything", () => {
        for (const bad of [null, 1, "x", [], { data: [1] }, { data: {} }])
            expect(figureOfPlotly(bad)).toBeNull();
    });
});

describe("Vega-Lite", () => {
    it("sums, counts, means", () => {
        const rows = [
            { a: "y", b: 1 },
            { a: "x", b: 2 },
            { a: "y", b: 5 },
        ];
        expect(vega({ encoding: kBars }, rows)).toMatchObject({
            y: { title: "sum of b" },
            series: [
                {
                    points: [
                        ["x", 2],
                        ["y", 6],
                    ],
                },
            ],
        });
        const with_ = (aggregate: string) =>
            vega({ encoding: { ...kBars, y: { ...kBars.y, aggregate } } }, rows)?.series[0]
                ?.points[1];
        expect(with_("count")).toEqual(["y", 2]);
        expect(with_("mean")).toEqual(["y", 3]);
        expect(with_("median")).toEqual(["y", 3]);
        expect(with_("stdev")).toBeUndefined();
    });
    it("bins as Vega-Lite does, and logarithms", () => {
        const rows = [3, 14, 15, 92, 65].map((a) => ({ a, b: 1 }));
        const x = { field: "a", type: "quantitative", bin: true };
        const y = { aggregate: "count", type: "quantitative" };
        expect(vega({ encoding: { x, y } }, rows)).toMatchObject({
            binWidth: 10,
            x: { title: "a (binned)", kind: "number" },
            series: [
                {
                    kind: "bin",
                    points: [
                        [0, 1],
                        [10, 2],
                        [60, 1],
                        [90, 1],
                    ],
                },
            ],
        });
        const log = { field: "a", type: "quantitative", scale: { type: "log" } };
        const line = { x: log, y: { field: "b", type: "quantitative" } };
        expect(vega({ mark: "line", encoding: line }, rows)?.x.log).toBe(true);
    });
    it("colours make series, and bars that lie", () => {
        const rows = [
            { a: "x", b: 1, c: "one" },
            { a: "x", b: 2, c: "two" },
        ];
        const color = { field: "c", type: "nominal" };
        expect(
            vega({ encoding: { ...kBars, color } }, rows)?.series.map((one) => one.name),
        ).toEqual(["one", "two"]);
        expect(vega({ encoding: { x: kBars.y, y: kBars.x } }, rows)?.horizontal).toBe(true);
    });
    it.each([
        ["bins of no numbers", { encoding: { ...kBars, x: { field: "a", bin: true } } }],
        [
            "bars of a logarithm",
            { encoding: { ...kBars, y: { ...kBars.y, scale: { type: "log" } } } },
        ],
        ["a scale", { encoding: { ...kBars, y: { ...kBars.y, scale: { domain: [0, 1] } } } }],
        ["a transform", { encoding: kBars, transform: [] }],
        ["layers", { layer: [] }],
        ["a mark that is not known", { mark: "geoshape", encoding: kBars }],
        ["an order that is not known", { encoding: { ...kBars, x: { ...kBars.x, sort: "-y" } } }],
        ["data from elsewhere", { data: { url: "https://example.com/x.json" }, encoding: kBars }],
    ])("does not draw %s", (_, more) => {
        expect(vega(more)).toBeNull();
    });
});

describe("the drawing", () => {
    const html = (trace: object, layout: object = {}) => {
        const figure = plotly(trace, layout);
        if (!figure) throw new Error("no figure");
        return renderToStaticMarkup(<FigureView figure={figure} />);
    };
    it("has every value, no styles, and text as text", () => {
        const shown = html({ type: "bar", x: ["<script>", "b"], y: [1, -2] });
        expect(shown.match(/<rect[^>]* rx=/g)).toHaveLength(2);
        expect(shown).toContain("&lt;script&gt;: 1");
        expect(shown).not.toMatch(/style=|NaN|Infinity/);
    });
    it.each([
        ["one value", { x: [1], y: [1] }],
        ["the same values", { x: [1, 2], y: [0, 0] }],
        ["one moment", { x: ["2026-01-01"], y: [1] }],
        ["a pie of one", { type: "pie", labels: ["a"], values: [3] }],
        ["a pie of nothing", { type: "pie", labels: ["a"], values: [0] }],
        ["an area", { x: [1, 2], y: [-1e9, 1e9], fill: "tozeroy" }],
        ["a histogram", { type: "histogram", x: [1, 2, 2, 3.5] }],
        ["a histogram of one value", { type: "histogram", x: [7] }],
        ["dots", { x: [1e-9, 2e-9], y: [1, 2], mode: "markers" }],
    ])("is whole with %s", (_, trace) => {
        expect(html(trace)).not.toMatch(/NaN|Infinity|undefined/);
    });
    it.each([["yaxis"], ["xaxis"]])("is whole with a logarithm of the %s", (name) => {
        const axes = { [name]: { type: "log" } };
        for (const trace of [
            { x: [1, 5], y: [1, 1e6] },
            { x: [3], y: [3] },
        ])
            expect(html(trace, axes)).not.toMatch(/NaN|Infinity|undefined/);
    });
    it("a part of it has the values of that part, and the way to its edges", () => {
        const figure = plotly({ x: [0, 1, 2, 3, 4], y: [100, 1, 2, 3, 100] });
        if (!figure) throw new Error("no figure");
        const part = layoutOf(figure, 680, [0.5, 3.5]);
        expect(part.series[0]?.points).toHaveLength(5);
        expect(Math.max(...part.y.ticks)).toBeLessThan(10);
        expect(part.x?.at(0.5)).toBe(0);
        expect(part.x?.from(part.x.at(2.25))).toBeCloseTo(2.25);
        // Nobody is there.
        expect(layoutOf(figure, 680, [2.1, 2.2]).y.ticks.every(Number.isFinite)).toBe(true);
    });
    it("reads the values that stand at a place", () => {
        const figure = figureOfPlotly({
            data: [
                { x: [0, 10], y: [1, 2], name: "a" },
                { x: [0, 10], y: [3, 4], name: "b" },
            ],
        });
        if (!figure) throw new Error("no figure");
        const layout = layoutOf(figure, 680, null);
        const at = layout.left + layout.xOf(10) - 5;
        expect(readingAt(figure, layout, at, 100)).toEqual({
            at: 10,
            values: [
                [0, 2],
                [1, 4],
            ],
        });
        expect(readingAt(figure, layout, 2, 100)).toBeNull();
        const bars = plotly({ type: "bar", x: ["a", "b"], y: [1, 2] });
        if (!bars) throw new Error("no figure");
        const places = layoutOf(bars, 680, null);
        const bar = readingAt(bars, places, places.left + places.xOf("b"), 20);
        expect(bar).toEqual({ at: "b", values: [[0, 2]] });
    });
    it("counts in round numbers, also in powers", () => {
        expect(logarithmic(3, 40, 100).ticks).toEqual([2, 5, 10, 20, 50]);
        expect(logarithmic(1, 1e6, 100).ticks).toEqual([1, 10, 100, 1000, 1e4, 1e5, 1e6]);
        expect(logarithmic(0.01, 0.01, 100).ticks[0]).toBe(0.01);
        expect(linear(0, 103_226, 100).ticks).toEqual([
            0, 25_000, 50_000, 75_000, 100_000, 125_000,
        ]);
        expect(linear(-3, 7, 100).ticks).toEqual([-4, -2, 0, 2, 4, 6, 8]);
        expect(linear(0.1, 0.3, 100).ticks).toContain(0.2);
    });
});
