// A cell: what the user wrote, as JavaScript that runs at the top level of the global object.
//
// bun's transpiler strips types and has a mode for REPLs: top-level declarations become global
// variables, imports become `await import`, and the last expression is returned. It does so for the
// last declaration as well (`let x = 1` would print 1), so whether the last statement is an
// expression is found out here.

import { constants, Script } from "node:vm";
import { lineTable } from "./lines";

export type Cell = {
    script: Script;
    isExpression: boolean; // the last statement: only then is there a result
};

// target: that of bun takes `require` from import.meta, which a script does not have.
// inline, deadCodeElimination: the code shall do what it says, line by line. JavaScript is read as
// TypeScript, too, as bun does with code on its command line.
const OPTIONS = {
    loader: "ts",
    target: "node",
    inline: false,
    deadCodeElimination: false,
} as const;
const SPLITS_MAX = 64;
const CELLS_MAX = 1000; // whose source is kept, for the lines of errors

const repl = new Bun.Transpiler({ ...OPTIONS, replMode: true } as any);
const plain = new Bun.Transpiler(OPTIONS);

function parses(code: string): boolean {
    try {
        plain.transformSync(code);
        return true;
    } catch {
        return false;
    }
}

// Each statement that bun prints begins in the first column; so may a line of a template literal,
// or a closing bracket. A place where both sides are code by themselves is between two statements.
function lastStatement(printed: string): string | undefined {
    const end = printed.trimEnd().length;
    let at = end;
    for (let tries = 0; tries < SPLITS_MAX && at > 0;) {
        at = printed.lastIndexOf("\n", at - 1) + 1;
        const first = printed.charCodeAt(at);
        if (first === 0x20 || first === 0x0a) {
            at -= 1;
            continue;
        }
        ++tries;
        if (parses(printed.slice(at, end)) && parses(printed.slice(0, at))) {
            return printed.slice(at, end);
        }
        at -= 1;
    }
    return undefined;
}

// bun ends an expression with a semicolon, and puts brackets around one that begins like a
// declaration.
function endsInExpression(printed: string): boolean {
    const last = lastStatement(printed);
    if (last === undefined) return false;
    return last.endsWith(";") && parses(`(${last.slice(0, -1)}\n)`);
}

const sources = new Map<string, { source: string; generated: string }>();

export function compileCell(code: string, name: string): Cell {
    let source = code;
    // `{a: 1}` is a block with a label, and means an object: as REPLs have it.
    const trimmed = code.trim();
    if (trimmed.startsWith("{") && trimmed.endsWith("}") && parses(`(${code}\n)`)) {
        source = `(${code}\n)`;
    }
    const printed = plain.transformSync(source);
    const generated = repl.transformSync(source);
    sources.set(name, { source, generated });
    if (sources.size > CELLS_MAX) sources.delete(sources.keys().next().value!);
    return {
        script: new Script(generated, {
            filename: name,
            importModuleDynamically: (constants as any).USE_MAIN_CONTEXT_DEFAULT_LOADER,
        } as any),
        isExpression: endsInExpression(printed),
    };
}

// The line that the user wrote; undefined for what was added around the cell, or if it cannot be
// told.
export function sourceLine(name: string, line: number, column: number): number | undefined {
    const cell = sources.get(name);
    if (cell === undefined) return undefined;
    return lineTable(cell.source, cell.generated)?.at(line, column);
}
