"""What every work needs: rows that gather samples, turns among subjects, a fence round each peer.

Subjects take turns, a sample each, and the order moves on by one each round, so that a noisy
moment of the machine hits all alike. Each work has a number of rounds and a time after which no
new round begins. A subject that fails is left out with a note; the run goes on.
"""

import time

from . import stats
from .options import WORKS
from .progress import note, say


class Gathering:
    def __init__(self, seconds_max: float, peers: list):
        self.seconds_max = seconds_max
        self.peers = peers
        self.rows: dict[tuple[str, str], dict] = {}
        self.broken: set[tuple[str, str]] = set()

    def works(self) -> dict:
        """The works done here: letter to function."""
        raise NotImplementedError

    def run(self, letters: list[str]) -> list[dict]:
        table = self.works()
        for letter in letters:
            if letter in table:
                say(f"({letter}) {WORKS[letter]}")
                table[letter]()
        for row in self.rows.values():
            row["stats"] = stats.summary(row["samples"])
        return list(self.rows.values())

    def add(self, work: str, metric: str, subject: str, title: str, samples: list[float],
            unit: str = "ms", better: str = "lower", extra: dict | None = None) -> None:
        if not samples:
            return
        row = self.rows.setdefault((metric, subject), {
            "work": work, "metric": metric, "subject": subject, "title": title, "unit": unit,
            "better": better, "samples": [], "extra": {}})
        row["samples"] += samples
        row["extra"].update(extra or {})

    def able(self, letter: str) -> list:
        return [peer for peer in self.peers if letter in peer.can]

    def guarded(self, peer, what: str, function):
        """The function's value, or None and a note. Who failed once at something is not asked
        again: a broken peer would only take the time of the others."""
        if (peer.name, what) in self.broken:
            return None
        try:
            return function()
        except Exception as problem:  # a peer may raise anything at all
            self.broken.add((peer.name, what))
            note(f"{peer.title}, {what}: {type(problem).__name__}: {problem}")
            return None

    def turns(self, subjects: list, rounds: int):
        """Round after round, the order moved on by one each time."""
        end = time.monotonic() + self.seconds_max
        for number in range(rounds):
            if number and time.monotonic() > end:
                note(f"stopped after {number} of {rounds} rounds: the work's time was up")
                return
            shift = number % len(subjects) if subjects else 0
            yield number, subjects[shift:] + subjects[:shift]
