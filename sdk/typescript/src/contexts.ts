// Contexts of a session (kernels, each with variables of its own) and its ports.
import { AtollError } from "./errors.js";
import { noDots, part } from "./paths.js";
import { type Transport, sleep } from "./transport.js";
import type { ContextInfo, Duration, Port, Variable } from "./types.js";

const PAGE = 500;
const LOOK_AGAIN_MS = 100;

export class Contexts {
    private readonly path: string;

    constructor(
        private readonly transport: Transport,
        session: string,
    ) {
        this.path = `/v1/sessions/${part(session)}/contexts`;
    }

    /** Makes a context; a run makes the one that it names as well. */
    create(
        name: string,
        options: { language?: "python" | "javascript"; cwd?: string } = {},
    ): Promise<ContextInfo> {
        return this.transport.json(this.path, { method: "POST", json: { ...options, name } });
    }

    async list(): Promise<ContextInfo[]> {
        return (await this.transport.json<{ contexts: ContextInfo[] }>(this.path)).contexts;
    }

    get(name = "default"): Promise<ContextInfo> {
        return this.transport.json(this.at(name));
    }

    /** Ends a context; its variables are gone. */
    delete(name: string): Promise<void> {
        return this.transport.nothing(this.at(name), { method: "DELETE" });
    }

    /** As Ctrl-C would. Whether something ran; its own answer says how it ended. */
    async interrupt(name = "default", options: { grace?: Duration } = {}): Promise<boolean> {
        const request = { method: "POST", json: options };
        const path = `${this.at(name)}/interrupt`;
        return (await this.transport.json<{ was_running: boolean }>(path, request)).was_running;
    }

    /** A fresh kernel in its place. */
    restart(name = "default"): Promise<ContextInfo> {
        return this.transport.json(`${this.at(name)}/restart`, { method: "POST" });
    }

    async variables(name = "default"): Promise<Variable[]> {
        const found: Variable[] = [];
        for (let offset: number | undefined = 0; offset !== undefined;) {
            const page: { variables: Variable[]; next_offset?: number } = await this.transport.json(
                `${this.at(name)}/variables`,
                { query: { offset, limit: PAGE } },
            );
            found.push(...page.variables);
            offset = page.next_offset;
        }
        return found;
    }

    private at(name: string): string {
        return `${this.path}/${part(name)}`;
    }
}

export class Ports {
    private readonly path: string;

    constructor(
        private readonly transport: Transport,
        session: string,
    ) {
        this.path = `/v1/sessions/${part(session)}/ports`;
    }

    /** What listens in the sandbox; `href` opens it in a browser. */
    async list(): Promise<Port[]> {
        const { ports } = await this.transport.json<{ ports: Port[] }>(this.path);
        const base = this.transport.options.url;
        return ports.map((one) => ({ ...one, href: new URL(one.href, base).href }));
    }

    /** Waits until something listens there. */
    async waitFor(port: number, options: { timeoutMs?: number } = {}): Promise<Port> {
        const { timeoutMs = 30_000 } = options;
        for (const until = Date.now() + timeoutMs; ; await sleep(LOOK_AGAIN_MS)) {
            const found = (await this.list()).find((one) => one.port === port);
            if (found) return found;
            if (Date.now() >= until) {
                throw new AtollError(`nothing listens on port ${port} after ${timeoutMs} ms`);
            }
        }
    }

    /** Asks a web server in the sandbox. Its own answer comes back, whatever its status. */
    async request(
        port: number,
        path = "/",
        init: { method?: string; headers?: Record<string, string>; body?: BodyInit } = {},
    ): Promise<Response> {
        noDots((path.split("?")[0] ?? "").split("/"), path);
        return this.transport.send(`${this.path}/${port}/${path.replace(/^\/+/, "")}`, {
            ...init,
            safe: false,
            foreign: true,
        });
    }
}
