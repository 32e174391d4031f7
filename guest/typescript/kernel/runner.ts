// op "run": one cell.
//
// SIGINT ends a run: one that computes, by bun's own watch over the script (breakOnSigint); one
// that waits, by giving up waiting. What computes after its first await hears no signal: then the
// guest ends the kernel when the grace is over, and says that the state is lost.

import { createRequire } from "node:module";
import { types } from "node:util";
import { bundleOf } from "./display";
import { cellName, describeError } from "./errors";
import { compileCell } from "./cell";
import { writeAll, type Link } from "./link";

class Interrupted extends Error {
    override name = "Interrupted";
}
class Exit extends Error {
    override name = "Exit";
}

type Request = { code: string; env?: Record<string, string>; cwd?: string };

export class Runner {
    #count = 0;
    #stop: ((reason: Error) => void) | undefined; // ends the run that is under way
    #exitCode: number | undefined;
    #exit = process.exit.bind(process);

    constructor(private link: Link) {
        process.on("SIGINT", () => this.#stop?.(new Interrupted("interrupted")));
        process.on("uncaughtException", error => this.#report(error));
        process.on("unhandledRejection", error => this.#report(error));
        process.exit = ((code?: number) => {
            if (this.#stop === undefined) this.#exit(code);
            this.#exitCode = Number(code ?? process.exitCode ?? 0);
            const exit = new Exit("process.exit");
            this.#stop!(exit);
            throw exit;
        }) as typeof process.exit;
    }

    leave() {
        this.#exit(0);
    }

    // What nobody waits for: a timer, a promise that was not awaited.
    #report(error: unknown) {
        if (error instanceof Exit) return;
        const { traceback_text } = describeError(error);
        try {
            writeAll(2, Buffer.from(`${traceback_text}\n`));
        } catch {}
    }

    async run(request: Request) {
        const restore = useEnvironment(request.env ?? {});
        const count = ++this.#count;
        const done: Record<string, unknown> = { execution_count: count };
        this.#exitCode = undefined;
        try {
            await this.#cell(request.code, count);
        } catch (error) {
            if (error instanceof Exit) {
                // The cell ends, the kernel stays.
            } else {
                const interrupted = isInterrupt(error);
                done.status = interrupted ? "interrupted" : "error";
                const fields = describeError(
                    interrupted ? new Interrupted("the run was interrupted") : error,
                );
                this.link.event("error", fields);
            }
        } finally {
            this.#stop = undefined;
            restore();
        }
        const code = this.#exitCode ?? Number(process.exitCode ?? 0);
        process.exitCode = 0;
        if (code !== 0) done.exit_code = code;
        return done;
    }

    async #cell(code: string, count: number) {
        const name = `${process.cwd()}/${cellName(count)}`;
        (globalThis as any).require = createRequire(name);
        const stopped = new Promise<never>((_, reject) => (this.#stop = reject));
        stopped.catch(() => {});
        const cell = compileCell(code, name);
        let made: any = cell.script.runInThisContext({ breakOnSigint: true, displayErrors: false });
        if (types.isPromise(made)) made = await Promise.race([made, stopped]);
        if (!cell.isExpression || made === undefined) return;
        // `main()` without await is how programs are written: their end is waited for.
        let value = made.value;
        if (types.isPromise(value)) value = await Promise.race([value, stopped]);
        if (value === undefined) return;
        (globalThis as any)._ = value;
        const data = await Promise.race([bundleOf(value), stopped]);
        this.link.event("result", { data, metadata: {}, execution_count: count });
    }
}

function isInterrupt(error: unknown): boolean {
    return (
        error instanceof Interrupted || (error as any)?.code === "ERR_SCRIPT_EXECUTION_INTERRUPTED"
    );
}

function useEnvironment(environment: Record<string, string>): () => void {
    const before = new Map<string, string | undefined>();
    for (const [name, value] of Object.entries(environment)) {
        before.set(name, process.env[name]);
        process.env[name] = value;
    }
    return () => {
        for (const [name, value] of before) {
            if (value === undefined) delete process.env[name];
            else process.env[name] = value;
        }
    };
}
