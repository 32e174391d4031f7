// The one place that talks HTTP to the server: adds the token, turns problems into ApiError.
import { tokenStore } from "@/lib/token";
import type { components } from "@/types/api";

export type Schemas = components["schemas"];

export class ApiError extends Error {
    // 0: no answer at all.
    readonly status: number;
    // Seconds until the server takes more, from Retry-After.
    readonly retryAfter: number | null;
    readonly at = Date.now();

    constructor(status: number, message: string, retryAfter: number | null = null) {
        super(message);
        this.name = "ApiError";
        this.status = status;
        this.retryAfter = retryAfter;
    }
}

// When the server takes more, by this page's clock; 0: it did not say.
export const retryAt = (error: unknown) =>
    error instanceof ApiError && error.status === 429 && error.retryAfter !== null
        ? error.at + error.retryAfter * 1000
        : 0;

export const isGone = (error: unknown) =>
    error instanceof ApiError && (error.status === 404 || error.status === 410);

export function headersWithToken(headers: Record<string, string> = {}): Record<string, string> {
    const token = tokenStore.get();
    return token ? { ...headers, Authorization: `Bearer ${token}` } : headers;
}

interface Problem {
    detail?: unknown;
    message?: unknown;
    title?: unknown;
}

// The server's own sentence, if the body has one.
export function sentenceOf(body: string): string {
    try {
        const problem = JSON.parse(body) as Problem | null;
        for (const one of [problem?.detail, problem?.message, problem?.title]) {
            if (typeof one === "string" && one) return one;
        }
    } catch {
        // Not JSON: a proxy's page, say.
    }
    return "";
}

// `token` is what the request was sent with.
export function errorFrom(
    status: number,
    body: string,
    retryAfter: string | null,
    token: string,
): ApiError {
    if (status === 401) tokenStore.refuse(token);
    const seconds = retryAfter === null ? NaN : Number(retryAfter);
    return new ApiError(status, sentenceOf(body), Number.isFinite(seconds) ? seconds : null);
}

export interface RequestOptions {
    method?: string;
    json?: unknown;
    body?: BodyInit;
    headers?: Record<string, string>;
    signal?: AbortSignal | undefined;
    // It goes on when the page is gone.
    keepalive?: boolean;
}

// Resolves with a response that is a success; throws ApiError for all else.
export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
    const token = tokenStore.get();
    const headers = headersWithToken(options.headers);
    let body = options.body;
    if (options.json !== undefined) {
        headers["Content-Type"] = "application/json";
        body = JSON.stringify(options.json);
    }
    let response: Response;
    try {
        response = await fetch(path, {
            method: options.method ?? "GET",
            headers,
            ...(body === undefined ? {} : { body }),
            ...(options.signal ? { signal: options.signal } : {}),
            ...(options.keepalive ? { keepalive: true } : {}),
        });
    } catch (failure) {
        if (options.signal?.aborted) throw failure;
        throw new ApiError(0, "");
    }
    if (!response.ok) {
        const text = await response.text().catch(() => "");
        throw errorFrom(response.status, text, response.headers.get("Retry-After"), token);
    }
    return response;
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
    const response = await request(path, { signal });
    return (await response.json()) as T;
}

export async function sendJson<T>(method: string, path: string, json?: unknown): Promise<T> {
    const response = await request(path, json === undefined ? { method } : { method, json });
    const text = await response.text();
    return (text ? JSON.parse(text) : undefined) as T;
}
