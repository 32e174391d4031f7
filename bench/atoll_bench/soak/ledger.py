"""What the server acknowledged, and what therefore has to be true.

A request that broke off (the server was killed meanwhile) may or may not have taken effect: the
ledger then holds both possibilities. An answer outside of what is possible is a problem. Problems
of a kind are counted, and the first of each is kept as the example.
"""

import hashlib
import itertools
import time
from collections import Counter, deque
from dataclasses import dataclass, field


def content_of(token: str, size: int) -> str:
    """The same in the sandbox and here."""
    return (token * (size // len(token) + 1))[:size]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass
class Session:
    name: str
    id: str = ""
    state: str = "live"       # live, deleting (asked for), unknown (the answer is lost), gone
    busy: int = 0             # runs under way, all by the client who made it
    # By name, what may be in it: digests, None for no such file.
    files: dict[str, set[str | None]] = field(default_factory=dict)
    # The variable n grows by each run. What it may be at the next:
    last: int = 0             # acknowledged
    attempts: list[int] = field(default_factory=list)   # sent since, not acknowledged
    slept: int = 0            # its value when the session was last known to be saved
    kills_seen: int = 0       # how often the server had been killed when n was last known
    may_be_lost: bool = False  # the client itself did what loses variables
    heard: bool = False        # an answer said that something was lost: it is said once
    story: deque = field(default_factory=lambda: deque(maxlen=12))  # what was done to it, of late

    def told(self) -> str:
        now = time.monotonic()
        return f"{self.id} ({', '.join(f'{now - at:.2f} s ago {what}' for at, what in self.story)})"

    def tell(self, what: str) -> None:
        self.story.append((time.monotonic(), what))

    def possible(self, kills: int) -> set[int]:
        found = {self.last, *self.attempts}
        if kills != self.kills_seen:
            found.update(range(self.slept, max(found) + 1))
        if self.may_be_lost:
            found.add(0)
        return found


@dataclass
class Job:
    id: str
    token: str
    kind: str
    kills: int       # how often the server had been killed when it was accepted
    again: bool      # whether it asked to be run again when the server is killed


class Ledger:
    def __init__(self):
        self.sessions: dict[str, Session] = {}
        self.unanswered_creates: set[str] = set()  # by name: a session of ours may be there or not
        self.jobs: dict[str, Job] = {}
        self.done: Counter = Counter()
        self.broken_off: Counter = Counter()
        self.refused: Counter = Counter()          # as it should be: in use, already gone
        self.problems: dict[str, dict] = {}
        self._numbers = itertools.count(1)

    def number(self) -> int:
        return next(self._numbers)

    def problem(self, kind: str, example: str) -> None:
        entry = self.problems.setdefault(kind, {"count": 0, "example": example[:1500]})
        entry["count"] += 1

    def live(self) -> list[Session]:
        return [one for one in self.sessions.values() if one.state == "live"]
