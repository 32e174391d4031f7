// Programs in a session: started, fed, followed, signalled, waited for.
import type { Transport } from "./transport.js";
import { part } from "./paths.js";
import type {
    CommandOptions,
    CommandResult,
    OutputEvent,
    OutputSnapshot,
    ProcessInfo,
    SignalName,
    StartOptions,
} from "./types.js";

const WAIT_S = 30; // of one request, after which the next one waits on

/** A text is a line for bash, a list a program and its arguments. */
export type Command = string | readonly string[];

function bodyOf(command: Command, options: object): object {
    return { ...(typeof command === "string" ? { command } : { argv: command }), ...options };
}

export class Process {
    private readonly path: string;

    constructor(
        private readonly transport: Transport,
        session: string,
        readonly id: string,
    ) {
        this.path = `/v1/sessions/${part(session)}/processes/${part(id)}`;
    }

    info(): Promise<ProcessInfo> {
        return this.transport.json(this.path);
    }

    /** Waits until it has ended. */
    async wait(signal?: AbortSignal): Promise<ProcessInfo> {
        for (;;) {
            const request = { query: { timeout: WAIT_S }, signal };
            const found = await this.transport.json<ProcessInfo>(`${this.path}/wait`, request);
            if (found.state === "ended") return found;
        }
    }

    /** Writes to its input (`stdin_open`), with `end` for the last time. */
    async write(data: string | Uint8Array, options: { end?: boolean } = {}): Promise<number> {
        const body = typeof data === "string" ? new TextEncoder().encode(data) : data;
        const request = { method: "POST", query: options, body: body as BodyInit };
        return (await this.transport.json<{ bytes: number }>(`${this.path}/stdin`, request)).bytes;
    }

    signal(name: SignalName = "term"): Promise<ProcessInfo> {
        return this.transport.json(`${this.path}/signal`, {
            method: "POST",
            json: { signal: name },
        });
    }

    /** Kills it and all that it started, and forgets it. */
    kill(): Promise<void> {
        return this.transport.nothing(this.path, { method: "DELETE" });
    }

    /** Its output that is still kept (the latest 256 KiB). */
    output(after?: number): Promise<OutputSnapshot> {
        return this.transport.json(`${this.path}/output`, { query: { after } });
    }

    /** Its output as it comes; the last value says how it ended. Survives a broken connection. */
    async *follow(
        options: { after?: number; signal?: AbortSignal } = {},
    ): AsyncGenerator<OutputEvent, void, undefined> {
        const request = { query: { after: options.after }, signal: options.signal };
        const isLast = (event: { name: string }) => event.name === "ended";
        for await (const event of this.transport.events(
            `${this.path}/output`,
            request,
            isLast,
            true,
        )) {
            const data = JSON.parse(event.data);
            if (event.name === "ended") yield { type: "ended", process: data };
            else if (event.name === "gap") yield { ...data, type: "gap" };
            else if (event.name === "stdout" || event.name === "stderr")
                yield { ...data, type: event.name };
        }
    }
}

export class Processes {
    private readonly path: string;

    constructor(
        private readonly transport: Transport,
        private readonly session: string,
    ) {
        this.path = `/v1/sessions/${part(session)}/processes`;
    }

    /** Runs a program and waits for its end. */
    run(command: Command, options: CommandOptions = {}): Promise<CommandResult> {
        const { signal, ...rest } = options;
        const json = bodyOf(command, { ...rest, wait: true });
        return this.transport.json(this.path, { method: "POST", json, signal });
    }

    /** Starts a program in the background. */
    async start(command: Command, options: StartOptions = {}): Promise<Process> {
        const json = bodyOf(command, options);
        const made = await this.transport.json<ProcessInfo>(this.path, { method: "POST", json });
        return this.get(made.id);
    }

    /** Running ones, and those that ended lately. */
    async list(): Promise<ProcessInfo[]> {
        return (await this.transport.json<{ processes: ProcessInfo[] }>(this.path)).processes;
    }

    /** The process of this id, without asking whether it is there. */
    get(id: string): Process {
        return new Process(this.transport, this.session, id);
    }
}
