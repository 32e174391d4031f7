// Requests with fetch: addresses, the key, retries, refusals as errors, streams of events.
import { AtollError, ConnectionFailed, StreamEnded, errorOf } from "./errors.js";
import { EventReader, type ServerEvent } from "./events.js";

/** How requests that only read (or store a file) are repeated. */
export interface Retry {
    times: number;
    firstPauseMs: number;
    longestPauseMs: number;
    /** A server that asks for a longer pause gets an error in place of the wait. */
    patienceMs: number;
}

export const RETRY: Retry = {
    times: 3,
    firstPauseMs: 250,
    longestPauseMs: 8000,
    patienceMs: 60_000,
};

export interface Request {
    method?: string;
    query?: Record<string, string | number | boolean | readonly string[] | undefined>;
    json?: unknown;
    body?: BodyInit | undefined;
    headers?: Record<string, string>;
    signal?: AbortSignal | undefined;
    /** May be sent twice without harm; true for GET. */
    safe?: boolean;
    /** The answer is a program's own (a port of a sandbox): no status of it is ours to judge. */
    foreign?: boolean;
}

export interface TransportOptions {
    url: string;
    apiKey: string | undefined;
    retry: Retry;
    fetch: typeof fetch;
}

const AGAIN = new Set([429, 502, 503]);

export class Transport {
    constructor(readonly options: TransportOptions) {}

    async json<T>(path: string, request: Request = {}): Promise<T> {
        const response = await this.send(path, request);
        try {
            return (await response.json()) as T;
        } catch (error) {
            if (error instanceof SyntaxError) {
                throw new AtollError(
                    `${this.options.url}${path} answered with something else than JSON`,
                );
            }
            throw this.broken(path, error);
        }
    }

    async bytes(path: string, request: Request = {}): Promise<Uint8Array> {
        const response = await this.send(path, request);
        try {
            return new Uint8Array(await response.arrayBuffer());
        } catch (error) {
            throw this.broken(path, error);
        }
    }

    async nothing(path: string, request: Request = {}): Promise<void> {
        await (await this.send(path, request)).arrayBuffer();
    }

    /** An answer that is no refusal; its body is still to be read. */
    async send(path: string, request: Request): Promise<Response> {
        const method = request.method ?? "GET";
        const safe = request.safe ?? (method === "GET" || method === "HEAD");
        const headers: Record<string, string> = { ...request.headers };
        if (this.options.apiKey) headers["Authorization"] = `Bearer ${this.options.apiKey}`;
        let body: BodyInit | null = request.body ?? null;
        if (request.json !== undefined) {
            headers["Content-Type"] = "application/json";
            body = JSON.stringify(request.json);
        } else if (body !== null) {
            headers["Content-Type"] ??= "application/octet-stream";
        }
        // Browsers send a stream over HTTP/2 alone, which a server need not speak: there it is
        // gathered first, on disk if it is large.
        if (body instanceof ReadableStream && isBrowser()) body = await new Response(body).blob();
        const address = this.options.url + path + queryOf(request.query);
        // A stream is used up by its first attempt.
        const repeatable = !(body instanceof ReadableStream);
        for (let attempt = 0; ; attempt++) {
            let pause: number | undefined;
            try {
                const init = {
                    method,
                    headers,
                    body,
                    redirect: "manual",
                    duplex: "half",
                } as RequestInit;
                if (request.signal) init.signal = request.signal;
                const response = await this.options.fetch(address, init);
                if (request.foreign || (response.status >= 200 && response.status < 300))
                    return response;
                const asked = retryAfterOf(response.headers.get("Retry-After"));
                const worth =
                    (response.status === 429 && asked !== undefined) ||
                    (safe && AGAIN.has(response.status));
                pause = worth && repeatable ? this.pause(attempt, asked) : undefined;
                if (pause === undefined)
                    throw errorOf(response.status, await response.text(), asked);
                await response.body?.cancel();
            } catch (error) {
                if (error instanceof AtollError || request.signal?.aborted) throw error;
                // fetch does not say whether anything was sent, so code is not sent again.
                pause = safe && repeatable ? this.pause(attempt, undefined) : undefined;
                if (pause === undefined) throw this.broken(path, error);
            }
            await sleep(pause);
        }
    }

    /**
     * Events until `isLast`. Leaving the loop early closes the connection. A resumable stream is
     * asked for again, with the id of the last event, when the connection breaks.
     */
    async *events(
        path: string,
        request: Request,
        isLast: (event: ServerEvent) => boolean,
        resumable: boolean,
    ): AsyncGenerator<ServerEvent, void, undefined> {
        let lastId = "";
        for (let attempt = 0; ; attempt++) {
            const reader = new EventReader();
            reader.lastId = lastId;
            const leaving = new AbortController();
            const signal = request.signal ? anyOf(request.signal, leaving) : leaving.signal;
            const headers = {
                Accept: "text/event-stream",
                ...request.headers,
                ...(lastId ? { "Last-Event-ID": lastId } : {}),
            };
            let broken: AtollError = new StreamEnded("the stream of events broke off");
            try {
                const response = await this.send(path, { ...request, headers, signal });
                const body = response.body?.getReader();
                for (let piece; body && !(piece = await body.read()).done;) {
                    for (const event of reader.feed(piece.value)) {
                        lastId = reader.lastId;
                        attempt = 0;
                        yield event;
                        if (isLast(event)) return;
                    }
                }
            } catch (error) {
                if (request.signal?.aborted) throw error;
                if (error instanceof AtollError && !(error instanceof ConnectionFailed))
                    throw error;
                broken = this.broken(path, error);
            } finally {
                leaving.abort();
            }
            const pause = resumable ? this.pause(attempt, undefined) : undefined;
            if (pause === undefined) throw broken;
            await sleep(pause);
        }
    }

    private pause(attempt: number, asked: number | undefined): number | undefined {
        const { times, firstPauseMs, longestPauseMs, patienceMs } = this.options.retry;
        if (attempt >= times) return undefined;
        if (asked !== undefined) return asked * 1000 <= patienceMs ? asked * 1000 : undefined;
        return Math.min(longestPauseMs, firstPauseMs * 2 ** attempt) * (0.5 + Math.random() / 2);
    }

    private broken(path: string, error: unknown): AtollError {
        if (error instanceof AtollError) return error;
        const cause = error instanceof Error ? (error.cause ?? error) : error;
        const why = cause instanceof Error ? cause.message || cause.name : String(cause);
        return new ConnectionFailed(
            `${this.options.url}${path}: ${why}; is there a server (\`atoll serve\`, ATOLL_URL)?`,
            { cause: error },
        );
    }
}

export function retryAfterOf(text: string | null): number | undefined {
    if (!text) return undefined;
    const seconds = /^\d+(\.\d+)?$/.test(text)
        ? Number(text)
        : (Date.parse(text) - Date.now()) / 1000;
    return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function isBrowser(): boolean {
    // Pages have a document, workers this; Node and Bun have neither.
    return "document" in globalThis || "WorkerGlobalScope" in globalThis;
}

function queryOf(query: Request["query"] = {}): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
        if (value === undefined) continue;
        if (typeof value === "object") for (const one of value) parameters.append(name, one);
        else parameters.append(name, String(value));
    }
    const text = parameters.toString();
    return text ? `?${text}` : "";
}

function anyOf(signal: AbortSignal, also: AbortController): AbortSignal {
    // AbortSignal.any is missing in Node 18.
    if (signal.aborted) also.abort(signal.reason);
    signal.addEventListener("abort", () => also.abort(signal.reason), { signal: also.signal });
    return also.signal;
}

export function sleep(ms: number): Promise<void> {
    return new Promise((done) => setTimeout(done, ms));
}
