// Pages of a table that a program inside the sandbox reads. The file never comes here whole.
import { queryOptions } from "@tanstack/react-query";
import { kPageContext, kThreadContext, errorOf, runCode, withModule } from "@/lib/kernel";
import program from "./grid.py?raw";

export type Source = { file: string; sheet: string } | { variable: string };
export type Sort = readonly [column: number, descending: boolean];
export interface View {
    session: string;
    source: Source;
    // Of the file's content, or of the moment when a variable was looked at.
    version: string;
    sort: Sort | null;
    filters: readonly (readonly [column: number, text: string])[];
}
export interface Column {
    name: string;
    kind: "number" | "text" | "other";
}
export interface Page {
    columns: Column[];
    all_columns: number;
    rows: (string | null)[][];
    total: number;
    // False: the file has not been read to its end yet.
    whole: boolean;
    // It has more rows than are read.
    cut: boolean;
    // Lines that are no rows.
    skipped: number;
    sheets: string[];
}

export const kPageRows = 100;
const kModule = "atoll_web_grid";

// The program said no: a file that is no table, a filter that means nothing.
export class GridRefusal extends Error {}
// The kernel ended while it read.
export class GridLost extends Error {
    readonly reason: string;
    constructor(reason: string) {
        super(reason);
        this.reason = reason;
    }
}

async function ask(view: View, offset: number, whole: boolean, limit = kPageRows): Promise<Page> {
    const { session, source, sort, filters, version } = view;
    const asked = { ...source, version, sort, filters, offset, limit, whole };
    const context = "variable" in source ? kThreadContext : kPageContext;
    // JSON twice: a literal of Python's, and the text in it.
    const request = JSON.stringify(JSON.stringify(asked));
    const code = `__import__("sys").modules["${kModule}"].answer(${request}, globals())`;
    let answer = await runCode(session, { code, context });
    if (errorOf(answer)?.name === "KeyError") {
        // A new kernel: it does not know the program yet.
        await runCode(session, { code: withModule(kModule, program), context });
        answer = await runCode(session, { code, context });
    }
    const error = errorOf(answer);
    if (error) throw new GridRefusal(error.text);
    if (answer.exit_code !== 0 || answer.state_lost) throw new GridLost(answer.reason);
    const found = JSON.parse(answer.stdout) as Page | { refused: string };
    if ("refused" in found) throw new GridRefusal(found.refused);
    return found;
}

// The first rows come before the rest is read, unless it must be sorted or filtered first.
const isPlain = (view: View) => !view.sort && view.filters.length === 0;

const keyOf = ({ session, source, version, sort, filters }: View) =>
    ["session", session, "grid", source, version, sort, filters] as const;

export const headQuery = (view: View) =>
    queryOptions({
        queryKey: [...keyOf(view), "head"],
        queryFn: () => ask(view, 0, !isPlain(view)),
        staleTime: Infinity,
        retry: false,
    });

// Reads to the end, and knows then how many rows there are.
export const wholeQuery = (view: View) =>
    queryOptions({
        queryKey: [...keyOf(view), "whole"],
        queryFn: () => ask(view, 0, true),
        staleTime: Infinity,
        retry: false,
    });

export const fetchPages = (view: View, first: number, count: number) =>
    ask(view, first * kPageRows, true, count * kPageRows).then((page) => page.rows);
