import { describe, expect, it } from "vitest";
import {
    applyEvent,
    newTurn,
    repeatsTable,
    turnOfEventId,
    turnsFromHistory,
    visibleText,
    type RunPart,
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
            event("result", { run: 1, data: { "text/latex": "$x$" } }),
            event("token", { text: "Done." }),
        ];
        const turn = events.reduce(
            (at, [name, data]) => applyEvent(at, name, data),
            newTurn("q", ""),
        );
        expect(turn.parts.map((part) => part.kind)).toEqual([
            "text",
            "run",
            "image",
            "result",
            "text",
        ]);
        expect(turn.parts[3]).toEqual({ kind: "result", data: { "text/latex": "$x$" } });
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

describe("a run", () => {
    const play = (events: (readonly [string, string])[]) =>
        events.reduce((at, [name, data]) => applyEvent(at, name, data), newTurn("q", ""));
    const start = event("code_start", { run: 1, code: "work()", language: "python", at_ms: 50 });
    const prints = (stream: string, text: string, truncated = false) =>
        event("code_output", { run: 1, stream, text, truncated });
    const end = event("code_end", {
        run: 1,
        language: "python",
        failed: true,
        reason: "timeout",
        exec_ms: 9,
    });
    const whole = event("code_run", { code: "work()", output: "a\nb", exec_ms: 9 });
    const runs = (events: (readonly [string, string])[]) =>
        play(events).parts.filter((part): part is RunPart => part.kind === "run");

    it("is there when it starts, and grows with what it prints", () => {
        const [run] = runs([
            start,
            prints("stdout", "a"),
            prints("stdout", "b"),
            prints("stderr", "!"),
        ]);
        expect(run).toMatchObject({ state: "running", code: "work()", atMs: 50, output: null });
        expect(run?.live).toEqual([
            { stream: "stdout", text: "ab" },
            { stream: "stderr", text: "!" },
        ]);
        expect(runs([start, prints("stdout", "", true)])[0]?.truncated).toBe(true);
    });
    it("is one part from its start to its end", () => {
        const all = runs([start, prints("stdout", "a"), end, whole]);
        expect(all).toHaveLength(1);
        expect(all[0]).toMatchObject({
            state: "failed",
            reason: "timeout",
            output: "a\nb",
            ms: 9,
            live: [],
        });
    });
    it("is found by its number among others", () => {
        const second = event("code_start", { run: 2, code: "2", language: "shell", at_ms: 60 });
        const all = runs([start, end, whole, second, prints("stdout", "late")]);
        // What comes for a run that has ended is not the next one's.
        expect(all.map((run) => [run.run, run.live.length])).toEqual([
            [1, 0],
            [2, 0],
            [1, 1],
        ]);
    });
    it("is shown although its start was missed", () => {
        const all = runs([prints("stdout", "a"), end, whole]);
        expect(all).toHaveLength(1);
        expect(all[0]).toMatchObject({ code: "work()", state: "failed", output: "a\nb" });
    });
    it("has ended when its turn has", () => {
        const error = event("error", { message: "no" });
        const [run] = runs([start, prints("stdout", "a"), error]);
        expect(run).toMatchObject({ state: "failed", output: "a", live: [] });
    });
    it("of an older server ends as its output says", () => {
        expect(runs([whole])[0]).toMatchObject({ state: "ok", run: 0, output: "a\nb" });
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
                run: {
                    run: 1,
                    language: "shell",
                    failed: true,
                    reason: "exited",
                    exit_code: 2,
                    exec_ms: 2,
                },
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
        expect(turns[0]?.parts[0]).toMatchObject({
            language: "shell",
            state: "failed",
            exitCode: 2,
        });
    });
});

describe("the text of local models", () => {
    it("folds thinking away, also while it is still open", () => {
        expect(visibleText("<think>hm</think>Yes")).toEqual({ thinking: "hm", text: "Yes" });
        expect(visibleText("<think>still")).toEqual({ thinking: "still", text: "" });
        // Some models' templates write the first mark into the question.
        expect(visibleText("hm\n</think>\n\nYes")).toEqual({ thinking: "hm", text: "Yes" });
    });
    it("hides a tool call that was written as text", () => {
        expect(visibleText('A<tool_call>{"name": "x"}</tool_call>B').text).toBe("AB");
        expect(visibleText('A<tool_call>{"na').text).toBe("A");
    });
});

it("a table that the text has whole is not shown twice", () => {
    const table = { columns: ["a", "b"], rows: [["x", 1]], total_rows: 1, truncated: false };
    expect(repeatsTable("T\n\n| a | b |\n| --- | ---: |\n| x | 1 |\n\nend", table)).toBe(true);
    expect(
        repeatsTable("T\n\n| a | b |\n| --- | ---: |\n| x | 1 |", { ...table, total_rows: 5 }),
    ).toBe(false);
    expect(repeatsTable("no table", table)).toBe(false);
});
