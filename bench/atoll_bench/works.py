"""The works a to g: the library and the command line. What is asked of whom, how often, in which
order."""

import os
import random
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass

from . import process
from .gathering import Gathering
from .progress import say


@dataclass(frozen=True)
class Plan:
    """How much is measured. Times are for each work, in seconds."""
    rounds: int                # (a) samples a peer
    atoll_chunks: int          # (a) turns of Atoll among the rounds
    atoll_samples: int         # (a) samples of Atoll over all its turns
    peer_burst: int            # (a) peers at once
    round_trips: int           # (b)
    atoll_round_trips: int
    restarts: int              # (c)
    atoll_restarts: int
    idle: int                  # (d) sandboxes a peer
    atoll_idle: int
    rate_seconds: float        # (e) for each subject
    inside_rounds: int         # (f) of the file work
    loop_pairs: int            # (f) of the CPU loop, bare and inside
    one_offs: int              # (g)
    seconds_max: float         # for each work


QUICK = Plan(rounds=3, atoll_chunks=1, atoll_samples=100, peer_burst=4, round_trips=50,
             atoll_round_trips=200, restarts=3, atoll_restarts=20, idle=3, atoll_idle=50,
             rate_seconds=2, inside_rounds=2, loop_pairs=30, one_offs=5, seconds_max=45)
FULL = Plan(rounds=10, atoll_chunks=5, atoll_samples=100, peer_burst=10, round_trips=300,
            atoll_round_trips=1000, restarts=10, atoll_restarts=100, idle=5, atoll_idle=300,
            rate_seconds=10, inside_rounds=7, loop_pairs=60, one_offs=30, seconds_max=240)


class Works(Gathering):
    def __init__(self, plan: Plan, atoll, peers: list):
        super().__init__(plan.seconds_max, peers)
        self.plan = plan
        self.atoll = atoll

    def works(self) -> dict:
        return {"a": self.first_result, "b": self.round_trip, "c": self.restart,
                "d": self.memory, "e": self.ephemeral, "f": self.inside, "g": self.one_off}

    def take_native(self, work: str, entries: list[dict], names: dict[str, tuple[str, str, str]]):
        """Atoll's metrics; `names` says which are another name for one that peers have too."""
        for entry in entries:
            metric, subject, title = names.get(entry["metric"],
                                               (entry["metric"], "atoll", "Atoll"))
            self.add(work, metric, subject, title,
                     [float(value) for value in entry.get("samples_ms", [])],
                     extra=entry.get("extra"))

    # --- the works --------------------------------------------------------------------------

    def first_result(self) -> None:
        plan = self.plan
        names = {"first_result_pool_hit": ("first_result", "atoll", "Atoll, pool hit"),
                 "first_result_pool_empty": ("first_result", "atoll-empty", "Atoll, pool empty"),
                 "burst_100": ("burst", "atoll", "Atoll, 100 at once")}
        each = plan.atoll_samples // plan.atoll_chunks
        every = max(1, plan.rounds // plan.atoll_chunks)
        left = plan.atoll_chunks
        for number, peers in self.turns(self.able("a"), plan.rounds):
            if left and number % every == 0:
                left -= 1
                self.take_native("a", self.atoll.measure("first_result", each), names)
                self.take_native("a", self.atoll.measure("first_result", each, "--pool", "0"),
                                 names)
            for peer in peers:
                taken = self.guarded(peer, "first result", peer.first_result)
                if taken is not None:
                    self.add("a", "first_result", peer.name, peer.title, [taken])
            say(f"    round {number + 1} of {plan.rounds}")
        self.take_native("a", self.atoll.measure("burst_100", 100), names)
        for peer in self.able("a"):
            if peer.burst and (peer.name, "first result") not in self.broken:
                say(f"    {plan.peer_burst} at once: {peer.title}")
                samples = self.guarded(peer, "burst", lambda: self._burst(peer))
                self.add("a", "burst", peer.name, f"{peer.title}, {plan.peer_burst} at once",
                         samples or [], extra={"at_once": plan.peer_burst})

    def _burst(self, peer) -> list[float]:
        """Milliseconds to each one's result, from its own start just behind the common gate."""
        samples, problems = [], []
        gate = threading.Barrier(self.plan.peer_burst)

        def one():
            gate.wait()
            try:
                samples.append(peer.first_result())
            except Exception as problem:  # reported by the caller, from one thread
                problems.append(problem)
        threads = [threading.Thread(target=one) for _ in range(self.plan.peer_burst)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if problems:
            raise process.Failed(f"{len(problems)} of {len(threads)} failed: {problems[0]}")
        return samples

    def round_trip(self) -> None:
        self.take_native("b", self.atoll.measure("round_trip", self.plan.atoll_round_trips), {})
        for peer in self.able("b"):
            samples = self.guarded(peer, "round trip",
                                   lambda: peer.round_trips(self.plan.round_trips))
            self.add("b", "round_trip", peer.name, peer.title, samples or [])

    def restart(self) -> None:
        self.take_native("c", self.atoll.measure("restart", self.plan.atoll_restarts), {})
        for peer in self.able("c"):
            samples = self.guarded(peer, "restart", lambda: peer.restarts(self.plan.restarts))
            self.add("c", "restart", peer.name, peer.title, samples or [])

    def memory(self) -> None:
        for entry in self.atoll.measure("memory_per_sandbox", self.plan.atoll_idle):
            extra = entry.get("extra") or {}
            if "bytes_each" in extra:
                self.add("d", "memory", "atoll", "Atoll", [extra["bytes_each"] / 2**20],
                         unit="MiB", extra=extra)
            else:
                self.take_native("d", [entry], {})
        for peer in self.able("d"):
            say(f"    {self.plan.idle} idle: {peer.title}")
            samples = self.guarded(peer, "memory", lambda: self._idle_memory(peer))
            self.add("d", "memory", peer.name, peer.title, samples or [], unit="MiB",
                     extra={"sandboxes": self.plan.idle})

    def _idle_memory(self, peer) -> list[float]:
        """What each further sandbox adds to the sum of all; the first also pays for what they
        share, so it does not count."""
        sums, running = [], []
        with ExitStack() as stack:
            for _ in range(self.plan.idle):
                running.append(stack.enter_context(peer.idle()))
                time.sleep(0.3)
                sums.append(process.pss_bytes([pid for pids in running for pid in pids()]))
        return [(after - before) / 2**20 for before, after in zip(sums, sums[1:])]

    def ephemeral(self) -> None:
        for entry in self.atoll.measure("ephemeral_rate", 500):
            extra = entry.get("extra") or {}
            if "per_second" in extra:
                self.add("e", "ephemeral_rate", "atoll", "Atoll", [extra["per_second"]],
                         unit="/s", better="higher", extra=extra)
            else:
                self.take_native("e", [entry], {})
        for peer in self.able("e"):
            rate = self.guarded(peer, "ephemeral", lambda: self._rate(peer))
            if rate is not None:
                self.add("e", "ephemeral_rate", peer.name, peer.title, [rate[0]], unit="/s",
                         better="higher", extra={"runs": rate[1]})

    def _rate(self, peer) -> tuple[float, int]:
        """Runs a second with as many callers as cores. Runs under way at the end are finished
        and counted, with the time they took."""
        peer.ephemeral()
        counts, problems = [], []
        start = time.monotonic()
        end = start + self.plan.rate_seconds

        def caller():
            try:
                while time.monotonic() < end:
                    peer.ephemeral()
                    counts.append(1)
            except Exception as problem:  # reported by the caller, from one thread
                problems.append(problem)
        threads = [threading.Thread(target=caller) for _ in range(os.cpu_count() or 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if problems:
            raise problems[0]
        return len(counts) / (time.monotonic() - start), len(counts)

    def inside(self) -> None:
        self.loop_pairs()  # first: what the file work leaves to be written back would be in its way
        subjects = self.able("f") + ([self.atoll] if self.atoll.has_binary else [])
        for number, turn in self.turns(subjects, self.plan.inside_rounds):
            for subject in turn:
                os.sync()  # or one subject would pay for what the one before it wrote
                for part, taken in (self.guarded(subject, "inside", subject.inside) or {}).items():
                    title = "bare host" if subject.name == "python" else subject.title
                    self.add("f", f"inside_{part}", subject.name, title, [taken])
            say(f"    round {number + 1} of {self.plan.inside_rounds}")

    def loop_pairs(self) -> None:
        """The CPU loop, bare and inside, in pairs whose order is drawn: each pair gives a ratio,
        and what the machine does to both halves of one is not in it."""
        bare = next((peer for peer in self.able("f") if peer.name == "python"), None)
        if bare is None or not self.atoll.has_binary:
            return
        order = random.Random(1)
        pairs = 0
        for _, (first, second) in self.turns([bare, self.atoll], self.plan.loop_pairs):
            halves = [first, second]
            order.shuffle(halves)
            taken = {half.name: self.guarded(half, "loop", half.loop) for half in halves}
            if None in taken.values():
                return
            pairs += 1
            for half in (self.atoll, bare):
                title = "bare host" if half is bare else half.title
                self.add("f", "inside_cpu_loop", half.name, title, [taken[half.name]])
            self.add("f", "inside_cpu_ratio", "atoll", "Atoll against the bare host",
                     [taken["atoll"] / taken["python"]], unit="x")
        say(f"    {pairs} pairs of the CPU loop")

    def one_off(self) -> None:
        subjects = self.able("g") + ([self.atoll] if self.atoll.has_binary else [])
        for _, turn in self.turns(subjects, self.plan.one_offs):
            for subject in turn:
                taken = self.guarded(subject, "one-off", subject.one_off)
                if taken is not None:
                    self.add("g", "one_off", subject.name, subject.title, [taken])
