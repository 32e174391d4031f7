// What a sandbox used over the last minutes: one value each time the session was asked for.
import type { Schemas } from "@/lib/api";

export interface Sample {
    at: number;
    memory: number;
    // Of one processor; null while there is nothing to compare with.
    cpu: number | null;
    cpuMs: number;
}

const kSamplesMax = 240;
const kept = new Map<string, readonly Sample[]>();

export function withUsage(
    samples: readonly Sample[],
    at: number,
    usage: Schemas["UsageView"],
): readonly Sample[] {
    const last = samples.at(-1);
    if (last && at <= last.at) return samples;
    // A new sandbox begins to count anew.
    const cpu =
        last && usage.cpu_ms >= last.cpuMs ? (usage.cpu_ms - last.cpuMs) / (at - last.at) : null;
    const sample = { at, memory: usage.memory_bytes, cpu, cpuMs: usage.cpu_ms };
    return [...samples, sample].slice(-kSamplesMax);
}

export function recordUsage(
    session: string,
    at: number,
    usage: Schemas["UsageView"] | undefined,
): readonly Sample[] {
    const before = kept.get(session) ?? [];
    const after = usage ? withUsage(before, at, usage) : before;
    kept.set(session, after);
    return after;
}
