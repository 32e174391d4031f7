// @vitest-environment jsdom
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import "@/lib/i18n";
import { figureOfPlotly, figureOfVegaLite, kPointsMax } from "./figure";
import FigureView from "./figure-view";
import { linear } from "./scale";

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
    it("gaps are left out", () => {
        expect(plotly({ x: [1, 2, 3], y: [1, null, 3] })?.series[0]?.points).toHaveLength(2);
    });
    it.each([
        ["a kind that is not known", { type: "surface", z: [[1]] }, {}],
        ["a logarithm", { x: [1], y: [1] }, { yaxis: { type: "log" } }],
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
        ["bins", { encoding: { ...kBars, x: { field: "a", bin: true } } }],
        ["a scale", { encoding: { ...kBars, y: { ...kBars.y, scale: { type: "log" } } } }],
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
        expect(shown.match(/<rect/g)).toHaveLength(2);
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
        ["dots", { x: [1e-9, 2e-9], y: [1, 2], mode: "markers" }],
    ])("is whole with %s", (_, trace) => {
        expect(html(trace)).not.toMatch(/NaN|Infinity|undefined/);
    });
    it("counts in round numbers", () => {
        expect(linear(0, 103_226, 100).ticks).toEqual([
            0, 25_000, 50_000, 75_000, 100_000, 125_000,
        ]);
        expect(linear(-3, 7, 100).ticks).toEqual([-4, -2, 0, 2, 4, 6, 8]);
        expect(linear(0.1, 0.3, 100).ticks).toContain(0.2);
    });
});
