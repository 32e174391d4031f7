import { expect, it } from "vitest";
import { withUsage, type Sample } from "./samples";

const usage = (cpu_ms: number, memory_bytes = 5) => ({
    cpu_ms,
    memory_bytes,
    memory_peak_bytes: 9,
    processes: 1,
});

it("makes shares of the processor from what is counted", () => {
    let samples: readonly Sample[] = [];
    samples = withUsage(samples, 1000, usage(100));
    samples = withUsage(samples, 3000, usage(1100, 7));
    // The same answer again, and a sandbox that was started anew.
    samples = withUsage(samples, 3000, usage(9999));
    samples = withUsage(samples, 4000, usage(3));
    expect(samples.map((one) => [one.memory, one.cpu])).toEqual([
        [5, null],
        [7, 0.5],
        [5, null],
    ]);
});
