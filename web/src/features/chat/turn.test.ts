import { describe, expect, it } from "vitest";
import {
    applyEvent,
    failureOf,
    newTurn,
    repeatsTable,
    turnOfEventId,
    turnsFromHistory,
    visibleText,
} from "./turn";

const event = (name: string, data: unknown) => [name, JSON.stringify(data)] as const;

describe("a turn from events", () => {
    it("keeps parts in the order in which they came", () => {
        const events = [
            event("status", { text: "thinking" }),
            event("token", { text: "Let me " }),
            event("token", { text: "look." }),
            event("code_run", { code: "1 + 1", output: "2", exec_ms: 3 }),
            event("image", {
                path: "/data/outputs/a.png",
                content_type: "image/png",
                size: 1,
                href: "/x",
            }),
            event("token", { text: "Done." }),
        ];
        const turn = events.reduce(
            (at, [name, data]) => applyEvent(at, name, data),
            newTurn("q", ""),
        );
        expect(turn.parts.map((part) => part.kind)).toEqual(["text", "run", "image", "text"]);
        expect(turn.parts[0]).toEqual({ kind: "text", text: "Let me look." });
        expect(turn.state).toBe("running");
    });
    it("takes the whole answer in place of the text it missed", () => {
        let turn = applyEvent(newTurn("q", ""), ...event("token", { text: "He" }));
        turn = applyEvent(turn, ...event("code_run", { code: "x", output: "", exec_ms: 1 }));
        turn = applyEvent(turn, ...event("answer", { text: "Hello" }));
        expect(turn.parts.map((part) => part.kind)).toEqual(["run", "text"]);
    });
    it("ends with done or error", () => {
        const done = applyEvent(
            newTurn("q", ""),
            ...event("done", { turn: 3, stopped: "cancelled" }),
        );
        expect([done.state, done.number, done.stopped]).toEqual(["done", 3, "cancelled"]);
        const failed = applyEvent(newTurn("q", ""), ...event("error", { message: "no model" }));
        expect([failed.state, failed.error]).toEqual(["failed", "no model"]);
    });
    it("ignores events of a newer server", () => {
        const turn = newTurn("q", "");
        expect(applyEvent(turn, ...event("hologram", {}))).toBe(turn);
    });
    it("reads the turn from an event's id", () => {
        expect(turnOfEventId("3-17")).toBe(3);
        expect(turnOfEventId("")).toBe(0);
    });
});

describe("turns from history", () => {
    it("are the same as from events", () => {
        const at = "2026-01-01T00:00:00Z";
        const run = { code: "1", output: "1", exec_ms: 2 };
        const turns = turnsFromHistory([
            { role: "user", content: "q1", turn: 1, sequence: 1, at },
            { role: "assistant", content: "", turn: 1, sequence: 2, at },
            {
                role: "tool",
                content: "1",
                turn: 1,
                sequence: 3,
                at,
                tool: "run_python",
                code_runs: [run],
            },
            { role: "assistant", content: "a1", turn: 1, sequence: 4, at, model: "m" },
            { role: "user", content: "q2", turn: 2, sequence: 5, at },
            { role: "note", content: "cancelled", turn: 2, sequence: 6, at },
        ]);
        expect(
            turns.map((turn) => [turn.question, turn.parts.map((part) => part.kind), turn.note]),
        ).toEqual([
            ["q1", ["run", "text"], ""],
            ["q2", [], "cancelled"],
        ]);
    });
});

describe("the text of local models", () => {
    it("folds thinking away, also while it is still open", () => {
        expect(visibleText("<think>hm</think>Yes")).toEqual({ thinking: "hm", text: "Yes" });
        expect(visibleText("<think>still")).toEqual({ thinking: "still", text: "" });
    });
    it("hides a tool call that was written as text", () => {
        expect(visibleText('A<tool_call>{"name": "x"}</tool_call>B').text).toBe("AB");
        expect(visibleText('A<tool_call>{"na').text).toBe("A");
    });
});

it("a traceback is told by its last line", () => {
    const head = 'Traceback (most recent call last):\n  File "<cell>", line 1\n';
    const output = `${head}ZeroDivisionError: division by zero\n`;
    expect(failureOf(output)).toBe("ZeroDivisionError: division by zero");
    expect(failureOf("all is well: 3")).toBe("");
});

it("a table that the text has whole is not shown twice", () => {
    const table = { columns: ["a", "b"], rows: [["x", 1]], total_rows: 1, truncated: false };
    expect(repeatsTable("T\n\n| a | b |\n| --- | ---: |\n| x | 1 |\n\nend", table)).toBe(true);
    expect(
        repeatsTable("T\n\n| a | b |\n| --- | ---: |\n| x | 1 |", { ...table, total_rows: 5 }),
    ).toBe(false);
    expect(repeatsTable("no table", table)).toBe(false);
});
