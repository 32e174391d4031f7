// Versions of a chat: threads that share their first turns, and from some question on go ways of
// their own. Pure functions.
import type { Schemas } from "@/lib/api";

type Version = Schemas["VersionView"];

// A question that was asked in several ways: which of them this is, and the threads of its
// neighbours; empty where there is none.
export interface Place {
    at: number;
    of: number;
    previous: string;
    next: string;
}

// The thread in which a turn was first asked: turns that have the same are the same.
function ownerOf(version: Version, turn: number): string {
    const origin = version.origins.find((one) => turn <= one.turn);
    return origin?.thread_id ?? version.thread_id;
}

const latest = (some: readonly Version[]) =>
    some.reduce((a, b) => (b.updated_at > a.updated_at ? b : a)).thread_id;

// By the numbers of the turns of thread `id`, of which `turns` are shown. `versions` is as the
// server has it: the oldest first.
export function placesOf(id: string, turns: number, versions: readonly Version[]) {
    const places = new Map<number, Place>();
    const self = versions.find((one) => one.thread_id === id);
    if (!self || versions.length < 2) return places;
    for (let turn = 1; turn <= turns; turn += 1) {
        const here = ownerOf(self, turn);
        const ways = new Map<string, Version[]>();
        for (const one of versions) {
            const has = one === self || one.turns >= turn;
            const shares = turn === 1 || ownerOf(one, turn - 1) === ownerOf(self, turn - 1);
            if (!has || !shares) continue;
            const owner = ownerOf(one, turn);
            ways.set(owner, [...(ways.get(owner) ?? []), one]);
        }
        const owners = [...ways.keys()];
        if (owners.length < 2) continue;
        const at = owners.indexOf(here);
        const thread = (index: number) => {
            const some = ways.get(owners[index] ?? "");
            return some ? latest(some) : "";
        };
        const [previous, next] = [thread(at - 1), thread(at + 1)];
        places.set(turn, { at: at + 1, of: owners.length, previous, next });
    }
    return places;
}

// One thread a chat, in their order: of several versions the first, which is the latest spoken in.
export function onePerChat<T extends { thread_id: string; family?: string }>(
    threads: readonly T[],
): T[] {
    const seen = new Set<string>();
    return threads.filter((one) => {
        const chat = chatOf(one);
        if (seen.has(chat)) return false;
        seen.add(chat);
        return true;
    });
}

export const chatOf = (thread: { thread_id: string; family?: string }) =>
    thread.family ?? thread.thread_id;
