import { expect, it } from "vitest";
import {
    failureIn,
    lastLines,
    overprinted,
    withoutEndNotes,
    withoutShownNotes,
    withoutReports,
} from "./run-output";

const rule = "-".repeat(75);
const zero = [
    "a",
    rule,
    "ZeroDivisionError                         Traceback (most recent call last)",
    "Cell In[1], line 5",
    "----> 5 print(f(0))",
    "",
    "Cell In[1], line 3, in f(x)",
    "----> 3     return 1/x",
    "",
    "ZeroDivisionError: division by zero",
].join("\n");

it("tells an error by its last line, its place, and what was printed before", () => {
    const failure = failureIn(zero);
    expect(failure?.last).toBe("ZeroDivisionError: division by zero");
    expect(failure?.before).toBe("a");
    expect(failure?.line).toBe(3);
    expect(failure?.traceback.startsWith(rule)).toBe(true);
});

it("does not take a note of the server for the error", () => {
    expect(failureIn(`${zero}\n[ended by signal 9]`)?.last).toBe(
        "ZeroDivisionError: division by zero",
    );
});

it("marks no line of an earlier cell", () => {
    const calls = zero.replace("Cell In[1], line 5", "Cell In[7], line 2");
    expect(failureIn(calls)?.line).toBe(2);
});

it("knows mistakes of the syntax, which have no traceback", () => {
    const failure = failureIn(
        "  Cell In[2], line 1\n    x = (\n         ^\nSyntaxError: incomplete input",
    );
    expect(failure?.last).toBe("SyntaxError: incomplete input");
    expect(failure?.line).toBe(1);
});

it("finds no error in what only looks like one", () => {
    expect(failureIn("ValueError: said by somebody\nall is well")).toBeNull();
});

it("shows the last state of a progress bar", () => {
    expect(overprinted("10 %\r50 %\r100 %\ndone\r\n")).toBe("100 %\ndone\n");
    expect(overprinted("10 %\r50 %\r")).toBe("50 %");
});

it("shows the last lines, whichever stream they are of", () => {
    const live = [
        { stream: "stdout", text: "1\n2\n3\n" },
        { stream: "stderr", text: "4\n" },
        { stream: "stdout", text: "5\n6\n" },
    ] as const;
    const text = (most: number) => lastLines(live, most).pieces.map((one) => one.text);
    expect(text(2)).toEqual(["5\n6\n"]);
    expect(text(3)).toEqual(["4\n", "5\n6\n"]);
    expect(text(4)).toEqual(["3\n", "4\n", "5\n6\n"]);
    expect(text(100)).toEqual(["1\n2\n3\n", "4\n", "5\n6\n"]);
    expect(lastLines(live, 2).lines).toBe(6);
    expect(lastLines([], 2)).toEqual({ pieces: [], lines: 0 });
    expect(lastLines([{ stream: "stdout", text: "no end" }], 2).lines).toBe(1);
});

it("leaves out the note of why a run was stopped, which the page says itself", () => {
    const text = (output: string) => withoutEndNotes(output).text;
    expect(text("a\n[stopped after 15.0 s: that is its time limit]")).toBe("a");
    expect(text("[ended by signal 9]\n")).toBe("");
    expect(text("[stopped by me]\na")).toBe("[stopped by me]\na");
});

it("hides what the offline analyst's code reports to it", () => {
    expect(withoutReports('a\n{"atoll_table": 1}\nb\n')).toBe("a\nb\n");
});

it("tells the end of a run that lost its memory from what the run printed", () => {
    const notes =
        "[ran out of its 200 MiB of memory and was ended; its variables are gone]\n" +
        "[the kernel was replaced: variables of earlier runs are gone]\n";
    expect(withoutEndNotes(`printed\n[mine]\n${notes}`)).toEqual({
        text: "printed\n[mine]",
        memoryMax: 200 << 20,
        variablesGone: true,
    });
    const killed = withoutEndNotes(
        "[ended by signal 9]\n[the kernel was replaced: variables of x]",
    );
    expect([killed.text, killed.variablesGone]).toEqual(["", true]);
    expect(withoutEndNotes("a\n[stopped by request]").variablesGone).toBe(false);
    expect(withoutEndNotes("[1, 2, 3]").text).toBe("[1, 2, 3]");
});

it("leaves out what was shown and saved, unless a program says so in its midst", () => {
    const note = "[image saved: /data/outputs/a.png]";
    expect(withoutShownNotes(`4 rows\n${note}\n${note}\n`)).toBe("4 rows");
    expect(withoutShownNotes(note)).toBe("");
    expect(withoutShownNotes(`1\n[shown: a chart, T]\n${note}`)).toBe("1");
    const refused = "[not shown: a chart; it has 3.0 MB]";
    expect(withoutShownNotes(`${refused}\n[shown: a table]`)).toBe(refused);
    expect(withoutShownNotes(`${note}\nmore`)).toBe(`${note}\nmore`);
});
