// stdout and stderr as a person expects them: in the order in which they were written.
//
// bun writes what console.log prints at once, and what process.stdout.write is given whenever it
// can; a cell that uses both would see its lines change places, and the end of a run would overtake
// them.

import { inspect, types } from "node:util";
import { describeError } from "./errors";
import { writeAll } from "./link";

const PRINTING = ["debug", "error", "info", "log", "warn"] as const;

export function makeOutputSynchronous() {
    for (const [fd, stream] of [
        [1, process.stdout],
        [2, process.stderr],
    ] as const) {
        stream.write = ((chunk: any, encoding?: any, callback?: any) => {
            if (typeof encoding === "function") [encoding, callback] = [undefined, encoding];
            let failed: unknown = null;
            try {
                writeAll(fd, typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk);
            } catch (error) {
                failed = error;
            }
            if (callback) queueMicrotask(() => callback(failed));
            return failed === null;
        }) as typeof stream.write;
    }
}

// `catch (error) { console.error(error) }` shall name the lines of the user, too: bun would print
// those of the code that it made, and the kernel's frames.
export function makeConsoleNameLines() {
    for (const name of PRINTING) {
        const print = console[name].bind(console);
        console[name] = (...values: unknown[]) =>
            print(...values.map(value => (types.isNativeError(value) ? errorText(value) : value)));
    }
}

function errorText(error: Error): string {
    const text = describeError(error).traceback_text;
    const more = Object.keys(error).length > 0 ? ` ${inspect({ ...error })}` : "";
    return text + more;
}
