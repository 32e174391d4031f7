"""When a request is sent again, and after how long. Pure: the transports do the waiting."""

from __future__ import annotations

import email.utils
import random
import time
from dataclasses import dataclass

# Not sent again: what the server refuses for good, and 504, after which waiting is no new idea.
_AGAIN_IF_REPEATABLE = frozenset({429, 502, 503})


@dataclass(frozen=True)
class Retry:
    """How requests are repeated.

    A request is sent again if it cannot have had an effect twice: it never left (no connection),
    it only reads, or the server said that it came too early (429 with Retry-After). Pauses double
    from `first_pause` to `longest_pause` seconds, with jitter; Retry-After goes before. A server
    that asks for more than `patience` seconds gets an exception in place of a long wait.
    """

    times: int = 3
    first_pause: float = 0.25
    longest_pause: float = 8.0
    patience: float = 60.0

    def pause(self, attempt: int, retry_after: float | None) -> float | None:
        """Seconds before the next attempt after `attempt` (from 0), or None: that was the last."""
        if attempt >= self.times:
            return None
        if retry_after is not None:
            return retry_after if retry_after <= self.patience else None
        ceiling = min(self.longest_pause, self.first_pause * float(2**attempt))
        return ceiling * random.uniform(0.5, 1.0)


def worth_repeating(repeatable: bool, status: int, retry_after: float | None) -> bool:
    """Whether an answer of this status invites another attempt."""
    if status == 429 and retry_after is not None:
        return True  # refused at the door, whatever it was
    return repeatable and status in _AGAIN_IF_REPEATABLE


def retry_after_of(text: str | None) -> float | None:
    """The header Retry-After in seconds: a number, or a date."""
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            when = email.utils.parsedate_to_datetime(text)
        except (TypeError, ValueError):
            return None
        seconds = when.timestamp() - time.time()
    return seconds if 0 <= seconds < float("inf") else (0.0 if seconds < 0 else None)
