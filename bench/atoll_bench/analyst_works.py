"""The work o: a question's answer as it streams. The model is scripted, so what is measured is
the server."""

import asyncio
import os
import time
from dataclasses import dataclass
from pathlib import Path

from . import process
from .gathering import Gathering
from .peers.analyst import AT_A_RATE, AT_ONCE
from .progress import note, say


@dataclass(frozen=True)
class Plan:
    questions: int    # for the first event
    streams: int      # side by side
    rounds: int
    seconds_max: float


QUICK = Plan(questions=40, streams=50, rounds=1, seconds_max=60)
FULL = Plan(questions=200, streams=200, rounds=3, seconds_max=300)
A_THREAD = 20  # questions


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Listener(asyncio.Protocol):
    """One stream: how many tokens came, and the longest time between two pieces of them."""

    def __init__(self, raw: bytes):
        self.raw, self.tokens, self.longest, self.last = raw, 0, 0.0, 0.0
        self.seen, self.well = b"", False
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport) -> None:
        self.transport = transport
        transport.write(self.raw)

    def data_received(self, data: bytes) -> None:
        now, tokens = time.perf_counter(), data.count(b"event: token")
        if tokens:
            if self.tokens:
                self.longest = max(self.longest, now - self.last)
            self.tokens, self.last = self.tokens + tokens, now
        self.seen += data
        self.well = self.well or b"event: done" in self.seen
        if self.well or b"event: error" in self.seen:
            self._end()
        self.seen = self.seen[-20:]  # a name may come in two pieces

    def connection_lost(self, _) -> None:
        self._end()

    def _end(self) -> None:
        if not self.done.done():
            self.done.set_result(self.well)
            self.transport.close()


class AnalystWorks(Gathering):
    def __init__(self, plan: Plan, peers: list):
        super().__init__(plan.seconds_max, peers)
        self.plan = plan

    def works(self) -> dict:
        return {"o": self.streaming}

    def streaming(self) -> None:
        for subject in self.able("o"):
            first = self.guarded(subject, "first event", lambda: self._first_events(subject))
            self.add("o", "first_event", subject.name, subject.title, first or [])
            threads = self.guarded(subject, "making threads", lambda: self._threads(subject))
            for _ in range(self.plan.rounds if threads else 0):
                self.guarded(subject, "streams", lambda: self._streams(subject, threads))

    def _first_events(self, subject) -> list[float]:
        samples = []
        for number in range(self.plan.questions):
            if number % A_THREAD == 0:
                thread = subject.thread()
                subject.ask(thread)  # its sandbox is awake from here on
            start = time.perf_counter()
            subject.line.socket.sendall(subject.question(thread, AT_ONCE))
            while b"event: " not in subject.line.seen:
                subject.line.more()
            samples.append((time.perf_counter() - start) * 1000)
            subject.line.answer()
        return samples

    def _threads(self, subject) -> list[str]:
        threads = [subject.thread() for _ in range(self.plan.streams)]
        for thread in threads:
            subject.ask(thread)
        return threads

    def _streams(self, subject, threads: list[str]) -> None:
        pid, port = subject.server.process.pid, subject.server.port

        async def listen() -> list[Listener]:
            loop = asyncio.get_running_loop()
            watch = asyncio.ensure_future(own_pauses())
            opened = [loop.create_connection(lambda raw=subject.question(thread, AT_A_RATE):
                                             Listener(raw), "127.0.0.1", port)
                      for thread in threads]
            listeners = [protocol for _, protocol in await asyncio.gather(*opened)]
            await asyncio.wait_for(asyncio.gather(*(one.done for one in listeners)), 120)
            watch.cancel()
            return listeners

        own = [0.0]

        async def own_pauses() -> None:
            while True:
                asleep = time.perf_counter()
                await asyncio.sleep(0.005)
                own[0] = max(own[0], time.perf_counter() - asleep - 0.005)

        busy, mine = cpu_seconds(pid), time.process_time()
        start = time.perf_counter()
        listeners = asyncio.run(listen())
        taken = time.perf_counter() - start
        busy, mine = cpu_seconds(pid) - busy, time.process_time() - mine
        if failed := sum(not one.done.result() for one in listeners):
            raise process.Failed(f"{failed} of {len(listeners)} streams did not end well")
        tokens = sum(one.tokens for one in listeners)
        say(f"    {len(listeners)} streams, {tokens / taken:,.0f} tokens a second; the server took "
            f"{busy / taken:.0%} of a core, the client {mine / taken:.0%}; the longest gap was "
            f"{max(one.longest for one in listeners) * 1000:.0f} ms, the client's own pauses up to "
            f"{own[0] * 1000:.0f} ms, the model late by up to {subject.model_late_ms():.0f} ms")
        self.add("o", "token_cpu", subject.name, subject.title, [busy / tokens * 1e6], unit="µs")
        self.add("o", "longest_gap", subject.name, subject.title,
                 [one.longest * 1000 for one in listeners], extra={"streams": len(listeners)})
        if mine / taken > 0.8:
            note("the client was busy: gaps between tokens may be its own")
