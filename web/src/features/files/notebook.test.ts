import { expect, it } from "vitest";
import { parseNotebook } from "./notebook";

it("reads cells and outputs, whatever form their texts have", () => {
    const cells = [
        { cell_type: "markdown", source: ["# A\n", "b"] },
        {
            cell_type: "code",
            execution_count: 3,
            source: "1 / 0",
            outputs: [
                { output_type: "stream", text: ["x\n", "y"] },
                { output_type: "execute_result", data: { "text/plain": "5" } },
                { output_type: "error", ename: "E", evalue: "v", traceback: [] },
            ],
        },
        { cell_type: "strange", source: 5 },
        "no cell",
    ];
    const notebook = parseNotebook(JSON.stringify({ cells, metadata: null }));
    expect(notebook?.cells.map((cell) => [cell.kind, cell.source])).toEqual([
        ["markdown", "# A\nb"],
        ["code", "1 / 0"],
        ["raw", "5"],
    ]);
    expect(notebook?.cells[1]?.outputs.map((one) => [one.kind, one.text])).toEqual([
        ["text", "x\ny"],
        ["data", ""],
        ["error", "E: v"],
    ]);
});

it("knows what is no notebook", () => {
    for (const text of ["", "{", "[]", "null", '{"cells": 5}'])
        expect(parseNotebook(text)).toBeNull();
});
