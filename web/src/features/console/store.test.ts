import { expect, it } from "vitest";
import { withEvent, type Entry } from "./store";

const empty: Entry = {
    id: 1,
    code: "",
    outputs: [],
    startedAt: 0,
    answer: null,
    failure: null,
};
const event = (name: string, data: unknown) => ({ name, id: "", data: JSON.stringify(data) });

it("joins pieces of one stream, and keeps the order of several", () => {
    const events = [
        event("started", {}),
        event("stdout", { text: "a" }),
        event("stdout", { text: "b\n" }),
        event("result", { event: "display", data: { "text/plain": "5" } }),
        event("stderr", { text: "c" }),
        event("error", { name: "E", value: "v" }),
        event("ended", { exit_code: 1 }),
    ];
    const entry = events.reduce(withEvent, empty);
    expect(entry.outputs).toEqual([
        { kind: "stdout", text: "ab\n" },
        { kind: "data", data: { "text/plain": "5" } },
        { kind: "stderr", text: "c" },
    ]);
    expect(entry.answer).toEqual({ exit_code: 1, error: { name: "E", value: "v" } });
});

it("forgets the beginning of a text without end", () => {
    const piece = event("stdout", { text: "x".repeat(150_000) });
    const [output] = [piece, piece].reduce(withEvent, empty).outputs;
    expect(output?.kind === "stdout" && output.text.length).toBe(200_000);
});
