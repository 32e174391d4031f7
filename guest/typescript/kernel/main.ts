// The kernel of JavaScript and TypeScript: takes one request at a time from its link and answers
// it.
//
//     start       the environment and folder of the session; first, once
//     run         a cell                                            runner.ts
//     variables   what there is                                     variables.ts
//     export, import                                                transfer.ts
//     ping
//
// Started by PID 1 as `bun main.ts` with the link as descriptor 3; docs/guest-protocol.md has the
// messages. User code shares the process, so nobody trusts it: it only tries to stay usable.
// Between requests the event loop goes on, so timers and servers that a cell started keep working.
// If it dies, the guest says so to the host; the context's variables are lost.

import { Link } from "./link";
import { installDisplay } from "./display";
import { Runner } from "./runner";
import { makeConsoleNameLines, makeOutputSynchronous } from "./streams";
import { exportVariables, importVariables } from "./transfer";
import { Variables } from "./variables";

type Request = Record<string, any>;

function start(request: Request) {
    const environment: Record<string, string> | undefined = request.env;
    if (environment) {
        for (const name of Object.keys(process.env)) {
            if (!(name in environment)) delete process.env[name];
        }
        Object.assign(process.env, environment);
    }
    process.chdir(request.cwd || "/");
    return { pid: process.pid };
}

async function serve() {
    const link = new Link(3);
    makeOutputSynchronous();
    makeConsoleNameLines();
    installDisplay(link);
    const runner = new Runner(link);
    const variables = new Variables();
    const operations: Record<string, (request: Request) => any> = {
        start,
        run: request => runner.run(request),
        variables: request => variables.list(request),
        export: () => exportVariables(variables, link),
        import: () => importVariables(link),
        ping: () => ({ pid: process.pid }),
    };
    for (;;) {
        const message = await link.receive();
        if (message === undefined) break;
        if (message.type !== "q") continue; // a 'b' or 'f' that came too late for its request
        let done: Record<string, unknown>;
        try {
            const request = link.decode(message.payload);
            const operation = operations[request.op];
            if (operation === undefined) throw new Error(`unknown op ${request.op}`);
            done = { status: "ok", ...(await operation(request)) };
        } catch (error) {
            done = { status: "error", error: String(error).slice(0, 4096) };
        }
        link.send("d", done);
    }
    runner.leave();
}

serve();
