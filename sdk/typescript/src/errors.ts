// What can go wrong. The server's error codes (problem+json) are `code` of an ApiError.
import type { components } from "./api.js";

export type ErrorCode =
    | "invalid_argument"
    | "unauthenticated"
    | "forbidden"
    | "not_found"
    | "conflict"
    | "too_large"
    | "exhausted"
    | "disk_full"
    | "rate_limited"
    | "unsupported"
    | "unavailable"
    | "timeout"
    | "internal";

/** The base of all errors of this package. */
export class AtollError extends Error {
    override name = "AtollError";
}

/** No answer: the server cannot be reached, or the connection broke. */
export class ConnectionFailed extends AtollError {
    override name = "ConnectionFailed";
}

/** A stream of events broke off before its last event. */
export class StreamEnded extends AtollError {
    override name = "StreamEnded";
}

/** The server refused a request. `code` says what a program can do about it. */
export class ApiError extends AtollError {
    override name = "ApiError";
    constructor(
        message: string,
        readonly status: number,
        readonly code: ErrorCode | "",
        readonly requestId: string,
        readonly issues: readonly components["schemas"]["Issue"][],
        readonly retryAfter: number | undefined,
    ) {
        super(message);
    }
}

/** Whether this is the server's refusal with one of these codes. */
export function isApiError(error: unknown, ...codes: ErrorCode[]): error is ApiError {
    return error instanceof ApiError && (codes.length === 0 || codes.some((c) => c === error.code));
}

const MESSAGE_CHARACTERS_MAX = 500;

export function errorOf(status: number, body: string, retryAfter: number | undefined): ApiError {
    let problem: Partial<components["schemas"]["Problem"]> | undefined;
    try {
        const parsed: unknown = JSON.parse(body);
        if (typeof parsed === "object" && parsed !== null) problem = parsed;
    } catch {
        // A proxy's page, perhaps.
    }
    const issues = Array.isArray(problem?.errors) ? problem.errors : [];
    const said = problem
        ? (problem.detail ?? problem.title ?? "")
        : body.trim().slice(0, MESSAGE_CHARACTERS_MAX);
    const more = issues
        .filter((one) => !said.includes(one.message))
        .map((one) => `; ${one.path}: ${one.message}`);
    return new ApiError(
        (said || `status ${status}`) + more.join(""),
        status,
        (problem?.code ?? "") as ErrorCode | "",
        problem?.request_id ?? "",
        issues,
        retryAfter,
    );
}
