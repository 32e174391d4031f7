import { expect, it } from "vitest";
import type { LiveTurn } from "./live-turns";
import { merged } from "./merged";
import { newTurn, type Turn } from "./turn";

const timings = { queue: 0, sandbox: 0, model_first_token: 0, model: 0, code: 0, total: 1 };
const past = (number: number, ended: boolean): Turn => ({
    ...newTurn(`q${number}`, ""),
    number,
    state: "done",
    timings: ended ? timings : null,
});
const live = (number: number, question: string): LiveTurn => ({
    ...newTurn(question, ""),
    number,
    startedAt: 1,
    reconnecting: false,
    failure: null,
});
const shown = (turns: Turn[]) => turns.map((turn) => [turn.question, turn.state]);

it("a turn that streams stands once, whatever history has of it", () => {
    const one = [past(1, true), past(2, false)];
    const expected = [
        ["q1", "done"],
        ["q2", "running"],
    ];
    expect(shown(merged(one, live(2, "q2"), false))).toEqual(expected);
    expect(shown(merged(one, live(0, "q2"), false))).toEqual(expected);
    expect(shown(merged([past(1, true)], live(0, "q2"), false))).toEqual(expected);
});

it("a turn that is followed after a reload has its question from history", () => {
    const one = [past(1, true), past(2, false)];
    expect(shown(merged(one, live(0, ""), true)).at(-1)).toEqual(["q2", "running"]);
});

it("the same question asked again is another turn", () => {
    expect(merged([past(1, true)], live(0, "q1"), false)).toHaveLength(2);
});

it("a turn has not ended while the server may be busy with it", () => {
    expect(shown(merged([past(1, false)], undefined, true))).toEqual([["q1", "running"]]);
    expect(shown(merged([past(1, false)], undefined, false))).toEqual([["q1", "done"]]);
    expect(shown(merged([past(1, true)], undefined, true))).toEqual([["q1", "done"]]);
});
