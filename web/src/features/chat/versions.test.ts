import { describe, expect, it } from "vitest";
import { onePerChat, placesOf } from "./versions";

const version = (
    id: string,
    turns: number,
    origins: [string, number][] = [],
    updated = `2026-01-01T00:00:0${turns}Z`,
) => ({
    thread_id: id,
    turns,
    origins: origins.map(([thread_id, turn]) => ({ thread_id, turn })),
    created_at: "",
    updated_at: updated,
});
// a has five turns; b asked the third anew, c did so, too, from b; d asked b's fourth anew.
const all = [
    version("a", 5),
    version("b", 4, [["a", 2]]),
    version("c", 3, [["a", 2]]),
    version(
        "d",
        4,
        [
            ["a", 2],
            ["b", 3],
        ],
        "2026-01-02",
    ),
];
const entries = (id: string, turns: number) => [...placesOf(id, turns, all)];

describe("versions of a question", () => {
    it("stand where they part, with the one last spoken in as the way there", () => {
        expect(entries("a", 5)).toEqual([[3, { at: 1, of: 3, previous: "", next: "d" }]]);
        expect(entries("c", 3)).toEqual([[3, { at: 3, of: 3, previous: "d", next: "" }]]);
        expect(entries("d", 4)).toEqual([
            [3, { at: 2, of: 3, previous: "a", next: "c" }],
            [4, { at: 2, of: 2, previous: "b", next: "" }],
        ]);
    });
    it("are known of a first question, too, and when what they come from is gone", () => {
        const first = [version("a", 2), version("e", 1), version("f", 0)];
        expect([...placesOf("a", 2, first)]).toEqual([
            [1, { at: 1, of: 2, previous: "", next: "e" }],
        ]);
        // Its question is just being asked: the server has not counted it.
        expect(placesOf("f", 1, first).get(1)).toEqual({ at: 3, of: 3, previous: "e", next: "" });
        expect(placesOf("d", 4, all.slice(2)).get(3)).toEqual({
            at: 2,
            of: 2,
            previous: "c",
            next: "",
        });
    });
    it("are none of a chat that has one", () => {
        expect(placesOf("a", 5, all.slice(0, 1)).size).toBe(0);
        expect(placesOf("x", 5, all).size).toBe(0);
    });
    it("are one entry of a list", () => {
        const list = [
            { thread_id: "d", family: "a" },
            { thread_id: "x" },
            { thread_id: "a" },
            { thread_id: "b", family: "a" },
        ];
        expect(onePerChat(list).map((one) => one.thread_id)).toEqual(["d", "x"]);
    });
});
