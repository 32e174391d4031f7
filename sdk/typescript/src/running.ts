// Running code: one answer, or events that end in the same.
import type { Display, RunError, RunEvent, RunListener, RunResult } from "./types.js";
import type { Transport } from "./transport.js";

export async function* runEvents(
    transport: Transport,
    path: string,
    body: unknown,
    signal: AbortSignal | undefined,
): AsyncGenerator<RunEvent, void, undefined> {
    let stdout = "";
    let stderr = "";
    const results: Display[] = [];
    let error: RunError | undefined;
    const request = { method: "POST", json: body, signal };
    for await (const event of transport.events(path, request, (e) => e.name === "ended", false)) {
        const data = JSON.parse(event.data);
        switch (event.name) {
            case "started":
            case "artifact":
                yield { ...data, type: event.name };
                break;
            case "stdout":
                stdout += data.text;
                yield { type: "stdout", text: data.text };
                break;
            case "stderr":
                stderr += data.text;
                yield { type: "stderr", text: data.text };
                break;
            case "result":
                results.push(data);
                yield { type: "result", display: data };
                break;
            case "error":
                error = data as RunError;
                yield { type: "error", error };
                break;
            case "ended": {
                // Where an answer in one piece has the traceback, too.
                const trace = error?.traceback_text;
                const gap = stderr && !stderr.endsWith("\n") ? "\n" : "";
                if (trace) stderr += `${gap}${trace}\n`;
                const result = { ...data, stdout, stderr, results, ...(error ? { error } : {}) };
                yield { type: "ended", result: result as RunResult };
            }
        }
    }
}

export async function run(
    transport: Transport,
    path: string,
    body: unknown,
    listener: RunListener,
    signal: AbortSignal | undefined,
): Promise<RunResult> {
    const { onStdout, onStderr, onResult, onError } = listener;
    if (!onStdout && !onStderr && !onResult && !onError) {
        return transport.json<RunResult>(path, { method: "POST", json: body, signal });
    }
    let result: RunResult | undefined;
    for await (const event of runEvents(transport, path, body, signal)) {
        if (event.type === "stdout") onStdout?.(event.text);
        else if (event.type === "stderr") onStderr?.(event.text);
        else if (event.type === "result") onResult?.(event.display);
        else if (event.type === "error") onError?.(event.error);
        else if (event.type === "ended") result = event.result;
    }
    return result!; // a stream without its last event throws StreamEnded
}
