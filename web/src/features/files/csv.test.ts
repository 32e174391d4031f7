import { expect, it } from "vitest";
import { delimiterOf, parseCsv } from "./csv";

it.each([
    [
        "plain",
        "a,b\n1,2\n",
        [
            ["a", "b"],
            ["1", "2"],
        ],
    ],
    [
        "no last newline",
        "a,b\n1,2",
        [
            ["a", "b"],
            ["1", "2"],
        ],
    ],
    [
        "Windows lines and a mark",
        "\uFEFFa,b\r\n1,2\r\n",
        [
            ["a", "b"],
            ["1", "2"],
        ],
    ],
    [
        "quotes",
        '"a ""x""","b\nc"\n1,2',
        [
            ['a "x"', "b\nc"],
            ["1", "2"],
        ],
    ],
    [
        "empty cells",
        "a,,\n,,c",
        [
            ["a", "", ""],
            ["", "", "c"],
        ],
    ],
    ["a quote that is never closed", '"a,b\n1', [["a,b\n1"]]],
])("reads %s", (_, text, rows) => {
    expect(parseCsv(text, ",")).toEqual(rows);
});

it("finds the delimiter", () => {
    expect(delimiterOf("a;b;c\n1,5;2;3\n", "x.csv")).toBe(";");
    expect(delimiterOf("a\tb\n1\t2\n", "x.csv")).toBe("\t");
    expect(delimiterOf("a,b\n", "x.tsv")).toBe("\t");
});
