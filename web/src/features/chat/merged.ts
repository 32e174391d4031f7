import type { LiveTurn } from "./live-turns";
import type { Turn } from "./turn";

export const hasEnded = (turn: Turn) => turn.timings !== null || turn.note !== "";

// History may have some of the turn that streams: the stream is ahead of it. `open`: a turn may be
// under way that nobody follows yet, so the last one has not ended unless history says so.
export function merged(
    past: readonly Turn[],
    live: LiveTurn | undefined,
    open: boolean,
): (Turn | LiveTurn)[] {
    const last = past.at(-1);
    if (!live) {
        if (!open || !last || hasEnded(last)) return [...past];
        return [...past.slice(0, -1), { ...last, state: "running" }];
    }
    const isLive = (turn: Turn) =>
        live.number > 0
            ? turn.number >= live.number
            : turn === last &&
              !hasEnded(turn) &&
              (live.question === "" || turn.question === live.question);
    const same = past.find(isLive);
    const question = live.question || (same?.question ?? "");
    return [...past.filter((turn) => !isLive(turn)), { ...live, question }];
}
