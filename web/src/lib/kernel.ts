// Code in one of a session's kernels: at once, or as it goes.
import { request, sendJson, type Schemas } from "@/lib/api";
import { eventsOf, type ServerEvent } from "@/lib/sse";

export type RunAnswer = Schemas["RunAnswer"];
// The kernel that a thread's code runs in.
export const kThreadContext = "default";
// A kernel for what this page looks up itself. The user's variables are elsewhere.
export const kPageContext = "web-page";

const at = (session: string) => `/v1/sessions/${encodeURIComponent(session)}`;

export interface Run {
    code: string;
    context: string;
}

export const runCode = (session: string, run: Run) =>
    sendJson<RunAnswer>("POST", `${at(session)}/run`, run);

export async function* streamRun(
    session: string,
    run: Run,
    signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
    const headers = { Accept: "text/event-stream" };
    const options = { method: "POST", json: run, headers, signal };
    yield* eventsOf(await request(`${at(session)}/run`, options));
}

const atContext = (session: string, context: string) =>
    `${at(session)}/contexts/${encodeURIComponent(context)}`;

export const interrupt = (session: string, context: string) =>
    sendJson("POST", `${atContext(session, context)}/interrupt`, {});
export const restartKernel = (session: string, context: string) =>
    sendJson("POST", `${atContext(session, context)}/restart`);

interface PythonError {
    name?: string;
    value?: string;
    traceback?: string | string[];
}

export function errorOf(answer: RunAnswer): { name: string; text: string; trace: string } | null {
    const error = answer.error as PythonError | undefined;
    if (!error) return null;
    const { name = "", value = "", traceback = "" } = error;
    const trace = Array.isArray(traceback) ? traceback.join("\n") : traceback;
    return { name, text: value ? `${name}: ${value}` : name, trace: withoutColours(trace) };
}

// IPython's tracebacks have colours for terminals.
export function withoutColours(text: string): string {
    // eslint-disable-next-line no-control-regex
    return text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "");
}

// A program that the page brings along becomes a module, so that it adds no variable to the
// kernel. `call` is code that may name it `module`.
export function withModule(name: string, program: string): string {
    const source = JSON.stringify(program);
    return `__import__("builtins").exec("""
import sys, types
module = types.ModuleType(${JSON.stringify(name)})
exec(compile(source, ${JSON.stringify(`<${name}>`)}, "exec"), module.__dict__)
sys.modules[${JSON.stringify(name)}] = module
""", {"source": ${source}})`;
}
