// A server: runs without a session, sessions, jobs, tools.
import { run, runEvents } from "./running.js";
import { part } from "./paths.js";
import { RETRY, type Retry, Transport } from "./transport.js";
import type {
    EphemeralOptions,
    Info,
    Job,
    JobEvent,
    JobLogChunk,
    JobOptions,
    RunEvent,
    RunListener,
    RunResult,
    Session,
    SessionChange,
    SessionOptions,
    Template,
    ToolInfo,
    ToolResult,
} from "./types.js";

export interface ClientOptions {
    /** Else ATOLL_URL or SANDBOX_API_URL, else http://127.0.0.1:8000. */
    url?: string;
    /** Else ATOLL_API_KEY. In a browser: a token for one session. */
    apiKey?: string;
    retry?: Partial<Retry>;
    fetch?: typeof fetch;
}

// Browsers have no environment.
function variable(name: string): string | undefined {
    const environment = (globalThis as { process?: { env?: Record<string, string | undefined> } })
        .process?.env;
    return environment?.[name] || undefined;
}

export class Client {
    readonly transport: Transport;
    readonly sessions: Sessions;
    readonly jobs: Jobs;

    constructor(options: ClientOptions = {}) {
        const url =
            options.url ??
            variable("ATOLL_URL") ??
            variable("SANDBOX_API_URL") ??
            "http://127.0.0.1:8000";
        if (!/^https?:\/\/[^/]/.test(url))
            throw new TypeError(`${url} is not an address of a server`);
        this.transport = new Transport({
            url: url.replace(/\/+$/, ""),
            apiKey: options.apiKey ?? variable("ATOLL_API_KEY"),
            retry: { ...RETRY, ...options.retry },
            fetch: options.fetch ?? ((...given) => fetch(...given)),
        });
        this.sessions = new Sessions(this.transport);
        this.jobs = new Jobs(this.transport);
    }

    get url(): string {
        return this.transport.options.url;
    }

    /** Runs code in a sandbox that is gone afterwards, or in a session (`session_id`). */
    run(code: string, options: EphemeralOptions & RunListener = {}): Promise<RunResult> {
        const { signal, onStdout, onStderr, onResult, onError, ...rest } = options;
        const listener = { onStdout, onStderr, onResult, onError } as RunListener;
        return run(this.transport, "/v1/run", { ...rest, code }, listener, signal);
    }

    /** The same as events. Leaving the loop early stops the code. */
    stream(
        code: string,
        options: EphemeralOptions = {},
    ): AsyncGenerator<RunEvent, void, undefined> {
        const { signal, ...rest } = options;
        return runEvents(this.transport, "/v1/run", { ...rest, code }, signal);
    }

    /** A file that a run without a session left in /work/artifacts. */
    output(runId: string, path: string): Promise<Uint8Array> {
        const parts = path.replace(/^\/work\/artifacts\//, "").split("/");
        return this.transport.bytes(`/v1/outputs/${part(runId)}/${parts.map(part).join("/")}`);
    }

    /** What is at an `href` of an answer. */
    async fetch(href: string): Promise<Uint8Array> {
        // The key is for this server only.
        if (!/^\/(?!\/)/.test(href)) throw new TypeError(`${href} is no path on this server`);
        return this.transport.bytes(href);
    }

    /** What an agent can do on this server, with JSON schemas. */
    async tools(): Promise<ToolInfo[]> {
        return (await this.transport.json<{ tools: ToolInfo[] }>("/v1/tools")).tools;
    }

    callTool(name: string, toolArguments: Record<string, unknown>): Promise<ToolResult> {
        const path = `/v1/tools/${part(name)}`;
        return this.transport.json(path, { method: "POST", json: toolArguments });
    }

    info(): Promise<Info> {
        return this.transport.json("/v1/info");
    }

    async templates(): Promise<Template[]> {
        return (await this.transport.json<{ templates: Template[] }>("/v1/templates")).templates;
    }
}

interface ListOptions {
    state?: string[];
    metadata?: Record<string, string>;
}

async function pages<T>(
    transport: Transport,
    path: string,
    member: string,
    options: ListOptions,
): Promise<T[]> {
    const found: T[] = [];
    const metadata = Object.entries(options.metadata ?? {}).map(
        ([name, value]) => `${name}=${value}`,
    );
    for (let cursor: string | undefined; ;) {
        const query = { state: options.state, metadata, limit: 500, cursor };
        const page = await transport.json<Record<string, unknown>>(path, { query });
        found.push(...(page[member] as T[]));
        cursor = page["next_cursor"] as string | undefined;
        if (!cursor) return found;
    }
}

/** Sessions of a server; `id` is an id or a name. */
export class Sessions {
    constructor(private readonly transport: Transport) {}

    create(options: SessionOptions = {}): Promise<Session> {
        return this.transport.json("/v1/sessions", { method: "POST", json: options });
    }

    list(options: ListOptions = {}): Promise<Session[]> {
        return pages(this.transport, "/v1/sessions", "sessions", options);
    }

    get(id: string): Promise<Session> {
        return this.transport.json(this.at(id));
    }

    pause(id: string): Promise<Session> {
        return this.transport.json(`${this.at(id)}/pause`, { method: "POST" });
    }

    resume(id: string): Promise<Session> {
        return this.transport.json(`${this.at(id)}/resume`, { method: "POST" });
    }

    evict(id: string): Promise<Session> {
        return this.transport.json(`${this.at(id)}/evict`, { method: "POST" });
    }

    restart(id: string): Promise<Session> {
        return this.transport.json(`${this.at(id)}/restart`, { method: "POST" });
    }

    async fork(id: string, options: { count?: number; name?: string } = {}): Promise<Session[]> {
        const request = { method: "POST", json: options };
        return (await this.transport.json<{ sessions: Session[] }>(`${this.at(id)}/fork`, request))
            .sessions;
    }

    update(id: string, change: SessionChange): Promise<Session> {
        return this.transport.json(this.at(id), { method: "PATCH", json: change });
    }

    delete(id: string): Promise<void> {
        return this.transport.nothing(this.at(id), { method: "DELETE" });
    }

    private at(id: string): string {
        return `/v1/sessions/${part(id)}`;
    }
}

/** Code that the server runs in the background, also if it is restarted meanwhile. */
export class Jobs {
    constructor(private readonly transport: Transport) {}

    create(code: string, options: JobOptions = {}): Promise<Job> {
        return this.transport.json("/v1/jobs", { method: "POST", json: { ...options, code } });
    }

    list(options: ListOptions = {}): Promise<Job[]> {
        return pages(this.transport, "/v1/jobs", "jobs", options);
    }

    get(id: string): Promise<Job> {
        return this.transport.json(this.at(id));
    }

    /** Waits until it has ended. */
    async wait(id: string): Promise<Job> {
        for await (const event of this.follow(id)) if (event.type === "ended") return event.job;
        return this.get(id);
    }

    /** All that it printed so far. */
    async logs(id: string): Promise<JobLogChunk[]> {
        const found: JobLogChunk[] = [];
        for (let from = 0; ;) {
            const page = await this.transport.json<{
                chunks: JobLogChunk[];
                next: number;
                complete: boolean;
            }>(`${this.at(id)}/logs`, { query: { from } });
            found.push(...page.chunks);
            if (page.complete || page.chunks.length === 0) return found;
            from = page.next;
        }
    }

    /** Its log as it grows; the last value is the job. */
    async *follow(
        id: string,
        options: { from?: number; signal?: AbortSignal } = {},
    ): AsyncGenerator<JobEvent, void, undefined> {
        const request = { query: { from: options.from }, signal: options.signal };
        const isLast = (event: { name: string }) => event.name === "ended";
        for await (const event of this.transport.events(
            `${this.at(id)}/logs`,
            request,
            isLast,
            true,
        )) {
            const data = JSON.parse(event.data);
            if (event.name === "ended") yield { type: "ended", job: data };
            else if (["stdout", "stderr", "mark"].includes(event.name))
                yield { type: "log", chunk: data };
        }
    }

    cancel(id: string): Promise<Job> {
        return this.transport.json(`${this.at(id)}/cancel`, { method: "POST" });
    }

    delete(id: string): Promise<void> {
        return this.transport.nothing(this.at(id), { method: "DELETE" });
    }

    private at(id: string): string {
        return `/v1/jobs/${part(id)}`;
    }
}
