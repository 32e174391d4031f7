"""The works h to n: the server over HTTP. What is asked of whom, how often, in which order."""

import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass

from . import http, paths, prepare, process, serving
from .gathering import Gathering
from .peers import atoll_server
from .progress import note, say

GIB = 1 << 30
BLOCK = 1 << 20
HAS_FRAME = "assert frame.shape == (655_360, 10)"
CLIENT_BUSY = 0.8  # of one core: above it, the client may be what was measured


@dataclass(frozen=True)
class Plan:
    """How much is measured. Times are in seconds."""
    connections: tuple[int, ...]        # (h, i)
    rate_rounds: int
    rate_seconds: float                 # for each subject and round
    creates: int                        # (j)
    peer_creates: int
    prints: int                         # (k)
    file_bytes: int                     # (l)
    file_rounds: int
    idle: int                           # (m)
    thaws: int                          # (n)
    restores: int
    forks: int
    seconds_max: float                  # for each work


QUICK = Plan(connections=(1, 16), rate_rounds=1, rate_seconds=2, creates=20, peer_creates=1,
             prints=20, file_bytes=GIB // 4, file_rounds=2, idle=100, thaws=20, restores=3,
             forks=2, seconds_max=60)
FULL = Plan(connections=(1, 16, 64), rate_rounds=3, rate_seconds=10, creates=200, peer_creates=10,
            prints=200, file_bytes=GIB, file_rounds=5, idle=500, thaws=200, restores=20,
            forks=5, seconds_max=600)


class ServerWorks(Gathering):
    def __init__(self, plan: Plan, peers: list):
        super().__init__(plan.seconds_max, peers)
        self.plan = plan

    def works(self) -> dict:
        return {"h": self.fresh_rate, "i": self.running_rate, "j": self.create_to_result,
                "k": self.print_to_event, "l": self.files, "m": self.idle_streams,
                "n": self.asleep_and_back}

    # --- requests per second ------------------------------------------------------------------

    def fresh_rate(self) -> None:
        self._rates("h", "fresh_rate", "fresh state", lambda subject, _: subject.fresh_job())

    def running_rate(self) -> None:
        try:
            self._rates("i", "running_rate", "running kernel",
                        lambda subject, connections: subject.running_job(connections))
        finally:
            for subject in self.able("i"):
                self.guarded(subject, "tidying up", subject.end_running)

    def _rates(self, work: str, metric: str, what: str, job) -> None:
        for connections in self.plan.connections:
            able = self.able(work)
            # Made before the clock, and before the first turn: running kernels run already.
            jobs = {subject.name: self.guarded(subject, what, lambda: job(subject, connections))
                    for subject in able}
            for _, turn in self.turns(able, self.plan.rate_rounds):
                for subject in turn:
                    found = jobs[subject.name] and self.guarded(
                        subject, f"{what}, {connections} connections",
                        lambda: self._load(subject, jobs[subject.name], connections))
                    if not found:
                        continue
                    rate = found["done"] / found["seconds"]
                    say(f"    {connections} connections, {subject.title}: {rate:.1f} /s")
                    self.add(work, f"{metric}_{connections}", subject.name, subject.title, [rate],
                             unit="/s", better="higher",
                             extra={"connections": connections, "last": self._about(found)})

    def _load(self, subject, job: dict, connections: int) -> dict:
        subject.ready()
        job = {**job, "connections": connections, "seconds": self.plan.rate_seconds}
        environment = {**prepare.clean_environment(), "PYTHONPATH": str(paths.BENCH),
                       "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([sys.executable, "-m", "atoll_bench.load"], input=json.dumps(job),
                              text=True, capture_output=True, env=environment)
        if done.returncode != 0:
            raise process.Failed(" | ".join(done.stderr.strip().splitlines()[-3:]))
        found = json.loads(done.stdout)
        if found["client_busy"] > CLIENT_BUSY:
            note(f"{subject.title}, {connections} connections: the client used "
                 f"{found['client_busy']:.0%} of a core, so the server may be quicker than shown")
        return found

    @staticmethod
    def _about(found: dict) -> dict:
        samples = sorted(found["samples_ms"])
        return {"done": found["done"], "client_busy": round(found["client_busy"], 2),
                "p50_ms": samples[len(samples) // 2]}

    # --- times --------------------------------------------------------------------------------

    def create_to_result(self) -> None:
        counts = {"atoll": self.plan.creates}
        for subject in self.able("j"):
            count = counts.get(subject.name, self.plan.peer_creates)
            end = time.monotonic() + self.seconds_max
            self.guarded(subject, "create to first result", subject.create_to_result)  # warm-up
            for _ in range(count):
                if time.monotonic() > end:
                    note(f"(j) {subject.title}: stopped early, the work's time was up")
                    break
                taken = self.guarded(subject, "create to first result", subject.create_to_result)
                if taken is None:
                    break
                self.add("j", "create_http", subject.name, subject.title, [taken])

    def print_to_event(self) -> None:
        for subject in self.able("k"):
            samples = self.guarded(subject, "print to event",
                                   lambda: subject.print_to_event(self.plan.prints))
            self.add("k", "print_to_event", subject.name, subject.title, samples or [])

    # --- files --------------------------------------------------------------------------------

    def files(self) -> None:
        subjects = [subject for subject in self.able("l")
                    if self.guarded(subject, "files", lambda: self._open_files(subject))]
        block = memoryview(os.urandom(BLOCK))  # nothing in between can make less of it
        for _, turn in self.turns(subjects, self.plan.file_rounds):
            for subject in turn:
                self.guarded(subject, "files", lambda: self._transfer(subject, block))
        for subject in subjects:
            self.guarded(subject, "what came back", lambda: self._compare(subject, block))
            self.guarded(subject, "tidying up", subject.close_files)

    def _open_files(self, subject) -> bool:
        subject.open_files(self.plan.file_bytes)
        return True

    def _transfer(self, subject, block: memoryview) -> None:
        size = self.plan.file_bytes
        os.sync()  # or one subject would pay for what the one before it wrote
        with subject.connection() as line:
            with serving.MemoryWatch(subject.files_pid) as up:
                taken = line.send_file(subject.file, block, size // BLOCK)
            self.add("l", "upload", subject.name, subject.title, [size / taken / 2**20],
                     unit="MiB/s", better="higher", extra={"bytes": size})
            with serving.MemoryWatch(subject.files_pid) as down:
                taken = line.take_file(subject.file, size)
            self.add("l", "download", subject.name, subject.title, [size / taken / 2**20],
                     unit="MiB/s", better="higher", extra={"bytes": size})
        self.add("l", "transfer_memory", subject.name, subject.title,
                 [max(up.grown, down.grown) / 2**20], unit="MiB")

    def _compare(self, subject, block: memoryview) -> None:
        with subject.connection() as line:
            line.take_file(subject.file, self.plan.file_bytes, expected=bytes(block))

    # --- idle clients -------------------------------------------------------------------------

    def idle_streams(self) -> None:
        for subject in self.able("m"):
            samples = self.guarded(subject, "idle streams", lambda: self._idle(subject))
            self.add("m", "idle_stream", subject.name, subject.title, samples or [], unit="KiB",
                     extra={"clients": self.plan.idle})

    def _idle(self, subject) -> list[float]:
        """What each idle client adds to the server's own memory. Some come and go first, so that
        what is only paid once is paid before."""
        count, pid = self.plan.idle, subject.server.process.pid
        raw, made = subject.idle_request(count)
        try:
            with ExitStack() as few:
                self._listen(few, subject, raw, max(10, count // 10))
            time.sleep(1)
            with ExitStack() as many:
                before = process.pss_bytes([pid])
                lines = self._listen(many, subject, raw, count)
                time.sleep(2)
                after = process.pss_bytes([pid])
                if ended := sum(line.has_ended() for line in lines):
                    raise process.Failed(f"{ended} of {count} streams did not stay open")
        finally:
            subject.forget(made)
        return [(after - before) / 1024 / count]

    @staticmethod
    def _listen(stack: ExitStack, subject, raw: bytes, count: int) -> list[http.Connection]:
        lines = []
        for _ in range(count):
            line = stack.enter_context(subject.connection())
            lines.append(line)
            line.socket.sendall(raw)
            while (head := http.head_of(line.seen)) is None:
                line.more()
            if head[0] != 200:
                raise process.Failed(f"no event stream: {bytes(line.seen[:400])!r}")
        return lines

    # --- sleep --------------------------------------------------------------------------------

    def asleep_and_back(self) -> None:
        for subject in self.able("n"):
            self.guarded(subject, "thaw", lambda: self._thaw(subject))
            self.guarded(subject, "restore", lambda: self._restore(subject))
            self.guarded(subject, "fork", lambda: self._fork(subject))

    def _thaw(self, subject) -> None:
        """What a run takes longer when the session was frozen."""
        session = subject.session()
        for _ in range(5):
            subject.timed_run(session, "1")
        for _ in range(self.plan.thaws):
            subject.change(session, "pause")
            frozen = subject.timed_run(session, "1")
            awake = subject.timed_run(session, "1")
            self.add("n", "thaw", subject.name, subject.title, [frozen - awake])
        subject.delete(session)

    def _with_frame(self, subject) -> str:
        session = subject.session(limits={"memory_bytes_max": 1 << 30,
                                          "file_bytes_max": 1 << 30, "disk_bytes_max": 1 << 30})
        subject.run(session, atoll_server.FRAME)
        return session

    def _restore(self, subject) -> None:
        """From cold, with a DataFrame of 50 MB, to the first result that needs it."""
        session = self._with_frame(subject)
        for _ in range(self.plan.restores):
            subject.change(session, "evict")
            subject.ready()
            taken = subject.timed_run(session, f"{HAS_FRAME}; frame[9].sum()")
            self.add("n", "restore", subject.name, subject.title, [taken])
        subject.delete(session)

    def _fork(self, subject) -> None:
        """Until all ten are there; that each has the DataFrame is looked at off the clock."""
        if not subject.has("POST", "/v1/sessions/{id}/fork"):
            note("(n) fork: this server has no POST /v1/sessions/{id}/fork")
            return
        session = self._with_frame(subject)
        for _ in range(self.plan.forks):
            subject.ready()
            start = time.perf_counter()
            answer = subject.change(session, "fork", {"count": 10})
            taken = (time.perf_counter() - start) * 1000
            forks = [one["id"] for one in answer["sessions"]]
            if len(forks) != 10:
                raise process.Failed(f"{len(forks)} forks and not 10")
            for fork in forks:
                subject.run(fork, HAS_FRAME)
                subject.delete(fork)
            self.add("n", "fork_10", subject.name, subject.title, [taken])
        subject.delete(session)
