// What was run in a session's console and what came of it. It outlives the tab, not the page.
import { useSyncExternalStore } from "react";
import type { Bundle } from "@/lib/mime";
import { errorOf, kThreadContext, streamRun, type RunAnswer } from "@/lib/kernel";
import type { ServerEvent } from "@/lib/sse";

export type Output = { kind: "stdout" | "stderr"; text: string } | { kind: "data"; data: Bundle };

export interface Entry {
    id: number;
    code: string;
    outputs: readonly Output[];
    startedAt: number;
    // The exception that ended it.
    error?: RunAnswer["error"];
    // Until then it runs.
    answer: RunAnswer | null;
    // The request itself failed.
    failure: unknown;
}

// Text beyond this is dropped from its beginning: a loop that prints must not fill the page.
const kTextMax = 200_000;
const kEntriesMax = 200;

let next = 1;
const consoles = new Map<string, readonly Entry[]>();
const listeners = new Set<() => void>();
const kNone: readonly Entry[] = [];

function change(session: string, to: readonly Entry[]): void {
    consoles.set(session, to.slice(-kEntriesMax));
    for (const listener of listeners) listener();
}

export function withEvent(entry: Entry, event: ServerEvent): Entry {
    switch (event.name) {
        case "stdout":
        case "stderr": {
            const { text } = JSON.parse(event.data) as { text: string };
            const last = entry.outputs.at(-1);
            if (last?.kind !== event.name)
                return { ...entry, outputs: [...entry.outputs, { kind: event.name, text }] };
            const joined = { kind: last.kind, text: (last.text + text).slice(-kTextMax) };
            return { ...entry, outputs: [...entry.outputs.slice(0, -1), joined] };
        }
        case "result": {
            const { data } = JSON.parse(event.data) as { data: Bundle };
            return { ...entry, outputs: [...entry.outputs, { kind: "data", data }] };
        }
        case "error":
            return { ...entry, error: JSON.parse(event.data) as RunAnswer["error"] };
        case "ended": {
            // Without what was sent before.
            const answer = JSON.parse(event.data) as RunAnswer;
            return { ...entry, answer: entry.error ? { ...answer, error: entry.error } : answer };
        }
        default:
            return entry;
    }
}

export async function runInConsole(session: string, code: string): Promise<void> {
    const id = next++;
    let entry: Entry = {
        id,
        code,
        outputs: [],
        startedAt: Date.now(),
        answer: null,
        failure: null,
    };
    change(session, [...(consoles.get(session) ?? []), entry]);
    const show = () =>
        change(
            session,
            (consoles.get(session) ?? []).map((one) => (one.id === id ? entry : one)),
        );
    try {
        const run = { code, context: kThreadContext };
        for await (const event of streamRun(session, run, new AbortController().signal)) {
            entry = withEvent(entry, event);
            show();
        }
        // The stream broke before the run's end: nobody knows how it went.
        if (!entry.answer) entry = { ...entry, failure: new TypeError("") };
    } catch (failure) {
        entry = { ...entry, failure };
    }
    show();
}

export const clearConsole = (session: string) => change(session, []);
export const isRunning = (entry: Entry) => !entry.answer && entry.failure === null;
export const failureOf = (entry: Entry) => (entry.answer ? errorOf(entry.answer) : null);

function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

export const useConsole = (session: string) =>
    useSyncExternalStore(subscribe, () => consoles.get(session) ?? kNone);
