// Turns that stream now, one a thread. They live outside of React, so that another page of the
// app, or another thread, does not cut them off. A broken connection is taken up again after the
// last event that was seen.
import { useSyncExternalStore } from "react";
import { ApiError, request, sendJson } from "@/lib/api";
import { eventsOf } from "@/lib/sse";
import { applyEvent, newTurn, turnOfEventId, type Turn } from "./turn";

export interface LiveTurn extends Turn {
    startedAt: number;
    reconnecting: boolean;
    failure: unknown;
}

interface Entry {
    turn: LiveTurn;
    lastId: string;
    abort: AbortController;
    messageId: string;
    posted: boolean;
}

// A question that another tab of this browser asked.
export interface Asked {
    thread: string;
    question: string;
    askedAt: number;
}

const kPausesMs = [300, 700, 1500, 3000, 5000];
const kGiveUpMs = 90_000;
const entries = new Map<string, Entry>();
const listeners = new Set<() => void>();
const endListeners = new Set<(thread: string) => void>();
const askedListeners = new Set<(asked: Asked) => void>();
let tabs: BroadcastChannel | null = null;
let scheduled = false;
let pauseMs = 0;

// At most once a frame, however quickly tokens come, and less often while a frame is much work.
// A page in the background has no frames.
function tell(): void {
    if (scheduled) return;
    scheduled = true;
    const flush = () => {
        scheduled = false;
        const begin = performance.now();
        for (const listener of listeners) listener();
        // React renders in a microtask of its own, before this one.
        queueMicrotask(() => {
            const took = performance.now() - begin;
            pauseMs = took > 8 ? Math.min(3 * took, 250) : 0;
        });
    };
    if (document.visibilityState !== "visible") setTimeout(flush, 250);
    else if (pauseMs > 0) setTimeout(() => requestAnimationFrame(flush), pauseMs);
    else requestAnimationFrame(flush);
}

function update(thread: string, entry: Entry, change: Partial<LiveTurn>): void {
    entry.turn = { ...entry.turn, ...change };
    if (entries.get(thread) === entry) tell();
}

// Opened when it is first needed. Only pages of this origin hear it.
function otherTabs(): BroadcastChannel | null {
    if (tabs || typeof BroadcastChannel === "undefined") return tabs;
    tabs = new BroadcastChannel("atoll.turns");
    tabs.onmessage = (event: MessageEvent<Asked>) => {
        for (const listener of askedListeners) listener(event.data);
    };
    return tabs;
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
        const over = () => {
            clearTimeout(timer);
            signal.removeEventListener("abort", over);
            removeEventListener("online", over);
            resolve();
        };
        const timer = setTimeout(over, ms);
        signal.addEventListener("abort", over);
        addEventListener("online", over); // no need to wait out the pause
    });
}

async function connect(thread: string, entry: Entry): Promise<void> {
    const path = `/thread/${encodeURIComponent(thread)}/message/stream`;
    const signal = entry.abort.signal;
    let response: Response;
    if (entry.posted) {
        const number = entry.turn.number;
        const query = number > 0 ? `?turn=${number}` : "";
        const headers: Record<string, string> = entry.lastId
            ? { "Last-Event-ID": entry.lastId }
            : {};
        response = await request(path + query, { headers, signal });
    } else {
        // The same message_id again is the same question, not a second one.
        const json = { message: entry.turn.question, message_id: entry.messageId };
        response = await request(path, { method: "POST", json, signal });
        entry.posted = true;
        const { question, startedAt } = entry.turn;
        otherTabs()?.postMessage({ thread, question, askedAt: startedAt } satisfies Asked);
    }
    if (entry.lastId === "" && entry.turn.parts.length > 0) update(thread, entry, { parts: [] });
    update(thread, entry, { reconnecting: false });
    for await (const event of eventsOf(response)) {
        let turn = applyEvent(entry.turn, event.name, event.data);
        if (event.id) {
            entry.lastId = event.id;
            if (turn.number === 0) turn = { ...turn, number: turnOfEventId(event.id) };
        }
        update(thread, entry, turn);
        if (entry.turn.state !== "running") return;
    }
}

function isPassing(failure: unknown): boolean {
    if (!(failure instanceof ApiError)) return true; // the stream broke
    return [0, 502, 503, 504].includes(failure.status);
}

async function run(thread: string, entry: Entry): Promise<void> {
    let tries = 0;
    let brokenSince = 0;
    while (entry.turn.state === "running" && !entry.abort.signal.aborted) {
        const seen = entry.lastId;
        try {
            await connect(thread, entry);
            if (entry.turn.state !== "running") break;
        } catch (failure) {
            if (entry.abort.signal.aborted) return;
            const late = brokenSince > 0 && Date.now() - brokenSince > kGiveUpMs;
            if (!isPassing(failure) || late) {
                update(thread, entry, { state: "failed", failure, reconnecting: false });
                break;
            }
        }
        if (entry.lastId !== seen) {
            tries = 0;
            brokenSince = 0;
        }
        if (brokenSince === 0) brokenSince = Date.now();
        update(thread, entry, { reconnecting: true });
        await wait(kPausesMs[Math.min(tries, kPausesMs.length - 1)] ?? 1000, entry.abort.signal);
        tries += 1;
    }
    for (const listener of endListeners) listener(thread);
}

function begin(thread: string, question: string, posted: boolean, askedAt: number): void {
    entries.get(thread)?.abort.abort();
    const now = new Date(askedAt);
    const turn: LiveTurn = {
        ...newTurn(question, now.toISOString()),
        startedAt: now.getTime(),
        reconnecting: false,
        failure: null,
    };
    const messageId = crypto.randomUUID?.() ?? `${now.getTime()}-${Math.random()}`;
    const entry: Entry = { turn, lastId: "", abort: new AbortController(), messageId, posted };
    entries.set(thread, entry);
    tell();
    void run(thread, entry);
}

export const liveTurns = {
    get: (thread: string): LiveTurn | undefined => entries.get(thread)?.turn,
    ask: (thread: string, question: string): void => begin(thread, question, false, Date.now()),
    // A turn that was begun elsewhere: in another tab, or before a reload. `askedAt` is the
    // server's time, which may be ahead of this one.
    follow(thread: string, askedAt: number): void {
        if (entries.has(thread)) return;
        const now = Date.now();
        begin(thread, "", true, askedAt > 0 && askedAt < now ? askedAt : now);
    },
    // One that another tab has just told of: newer than what is here, unless that streams.
    join({ thread, question, askedAt }: Asked): void {
        if (entries.get(thread)?.turn.state === "running") return;
        begin(thread, question, true, askedAt);
    },
    onAsked(listener: (asked: Asked) => void): () => void {
        otherTabs();
        askedListeners.add(listener);
        return () => askedListeners.delete(listener);
    },
    async stop(thread: string): Promise<void> {
        await sendJson("POST", `/thread/${encodeURIComponent(thread)}/cancel`);
    },
    // History has it now, or nobody wants it any more.
    drop(thread: string): void {
        entries.get(thread)?.abort.abort();
        if (entries.delete(thread)) tell();
    },
    onEnd(listener: (thread: string) => void): () => void {
        endListeners.add(listener);
        return () => endListeners.delete(listener);
    },
};

function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

export function useLiveTurn(thread: string): LiveTurn | undefined {
    return useSyncExternalStore(subscribe, () => entries.get(thread)?.turn);
}
