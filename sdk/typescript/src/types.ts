// Names for the server's types. They are generated from its OpenAPI document (api.ts).
import type { components } from "./api.js";

type Schemas = components["schemas"];

/** Seconds, or a text as "500ms" or "10m". */
export type Duration = number | string;
export type Session = Schemas["SessionView"];
export type Limits = Schemas["LimitsView"];
export type LimitOptions = Partial<Schemas["LimitsBody"]>;
export type SessionOptions = Partial<Omit<Schemas["CreateSession"], "limits">> & {
    limits?: LimitOptions;
};
export type SessionChange = Partial<Schemas["PatchSession"]>;
export type RunResult = Omit<Schemas["RunAnswer"], "results" | "error"> & {
    results: Display[];
    error?: RunError;
};
export type Language = Schemas["RunLanguage"];
export type ContextInfo = Schemas["ContextView"];
export type Variable = Schemas["VariableView"];
export type ProcessInfo = Schemas["ProcessView"];
export type CommandResult = Schemas["ProcessResult"];
export type OutputSnapshot = Schemas["OutputAnswer"];
export type Port = Schemas["ListeningPort"];
export type Job = Schemas["JobView"];
export type JobOptions = Partial<Omit<Schemas["CreateJob"], "code" | "limits">> & {
    limits?: LimitOptions;
};
export type JobLogChunk = Schemas["LogChunkView"];
export type Extracted = Schemas["Extracted"];
export type Info = Schemas["Info"];
export type Template = Schemas["TemplateView"];
export type Token = Schemas["TokenView"];
export type ToolInfo = Schemas["ToolView"];
export type ToolResult = Schemas["ToolResult"];
export type SignalName = Schemas["SignalName"];

/** A file; `path` is absolute and for people, and the entry itself is a path for every method. */
export type FileInfo = Schemas["FileView"] & { exact: string };
export type FileChange = { what: string; path: string; exact: string; directory: boolean };

/** A result or a display: the same thing in several formats (MIME types). */
export interface Display {
    event: "result" | "display";
    data: Record<string, unknown>;
    metadata: Record<string, unknown>;
}
/** The exception that ended a run. */
export interface RunError {
    name: string;
    value: string;
    traceback?: string[];
    traceback_text?: string;
}
export type RunEvent =
    | { type: "started"; session_id?: string; run_id?: string; code?: string }
    | { type: "stdout"; text: string }
    | { type: "stderr"; text: string }
    | { type: "result"; display: Display }
    | { type: "error"; error: RunError }
    | { type: "artifact"; path: string; size: number }
    | { type: "ended"; result: RunResult };
export type OutputEvent =
    | { type: "stdout" | "stderr"; offset: number; text: string }
    | { type: "gap"; begin: number; end: number }
    | { type: "ended"; process: ProcessInfo };
export type JobEvent = { type: "log"; chunk: JobLogChunk } | { type: "ended"; job: Job };

export interface RunOptions {
    language?: Language;
    context?: string;
    timeout?: Duration;
    environment?: Record<string, string>;
    keep_running?: boolean;
    signal?: AbortSignal;
}
export interface EphemeralOptions {
    language?: Language;
    session_id?: string;
    timeout?: Duration;
    environment?: Record<string, string>;
    template?: string;
    datasets?: string[];
    limits?: LimitOptions;
    signal?: AbortSignal;
}
/** What hears a run while it goes on. */
export interface RunListener {
    onStdout?: (text: string) => void;
    onStderr?: (text: string) => void;
    onResult?: (display: Display) => void;
    onError?: (error: RunError) => void;
}
export interface CommandOptions {
    cwd?: string;
    environment?: Record<string, string>;
    input?: string;
    timeout?: Duration;
    signal?: AbortSignal;
}
export interface StartOptions extends Omit<CommandOptions, "signal"> {
    stdin_open?: boolean;
    keep_awake?: boolean;
}

/** It ended by itself, and well. */
export function isOk(result: RunResult): boolean {
    return result.exit_code === 0 && !result.error && result.reason === "exited";
}

/** The value of the last expression as text. */
export function textOf(result: RunResult): string | undefined {
    const last = result.results.filter((one) => one.event === "result").pop();
    const text = last?.data["text/plain"];
    return typeof text === "string" ? text : undefined;
}
