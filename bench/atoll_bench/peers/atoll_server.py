"""Atoll's server over HTTP: `atoll serve` with a data folder of its own."""

import json
import re
import time
from pathlib import Path

from .. import http, prepare, process, serving
from . import base

POOL = 32  # what a server with 8 GiB keeps by default
RUN = {"code": "1+1"}
SEEN = '"text/plain":"2"'
FRAME = ("import numpy, pandas\n"
         "frame = pandas.DataFrame(numpy.random.default_rng(1).random((655_360, 10)))\n"
         "frame.size * 8")


class AtollServer(base.Peer):
    name = "atoll"
    title = "Atoll"
    can = "hijklmn"

    def __init__(self, binary: Path):
        self.binary = binary

    def open(self) -> None:
        if not self.binary.exists():
            raise prepare.Unavailable(f"{self.binary.name} is not in {self.binary.parent}: "
                                      "run ./scripts/build")
        self.server = serving.AtollServer(self.binary, POOL)
        try:
            self.server.start()
            self.line = self.server.connection()
            self.routes = self.server.routes()
        except (process.Failed, http.Broken, OSError) as problem:
            self.server.remove()
            raise prepare.Unavailable(str(problem)) from None
        self.sessions: list[str] = []

    def close(self) -> None:
        self.line.close()
        self.server.remove()

    def has(self, method: str, path: str) -> bool:
        return (method, path) in self.routes

    def ready(self) -> None:
        """What its user has ready ahead: a full pool."""
        self.server.wait_for_pool(self.line)

    # --- sessions ---------------------------------------------------------------------------

    def session(self, **fields) -> str:
        return self.line.ask("POST", "/v1/sessions", fields)["id"]

    def run(self, session: str, code: str, **fields) -> dict:
        answer = self.line.ask("POST", f"/v1/sessions/{session}/run", {"code": code, **fields})
        if answer["exit_code"] != 0:
            raise process.Failed(f"the code failed: {answer['stderr']}{answer.get('error')}")
        return answer

    def change(self, session: str, what: str, body: dict | None = None):
        return self.line.ask("POST", f"/v1/sessions/{session}/{what}", body)

    def delete(self, session: str) -> None:
        self.line.ask("DELETE", f"/v1/sessions/{session}")

    def timed_run(self, session: str, code: str) -> float:
        raw = http.request("POST", f"/v1/sessions/{session}/run", {"code": code})
        start = time.perf_counter()
        answer = self.line.exchange(raw)
        taken = (time.perf_counter() - start) * 1000
        if answer[9:12] != b"200" or b'"exit_code":0' not in answer:
            raise process.Failed(f"the run failed: {bytes(answer[-400:])!r}")
        return taken

    # --- what is asked of each server ---------------------------------------------------------

    def fresh_job(self) -> dict:
        return {"script": "post", "port": self.server.port, "paths": ["/v1/run"], "body": RUN,
                "expected": SEEN}

    def running_job(self, connections: int) -> dict:
        while len(self.sessions) < connections:
            self.sessions.append(self.session(idle_to_warm="1h", idle_to_cold="2h"))
        return {"script": "post", "port": self.server.port, "body": RUN, "expected": SEEN,
                "paths": [f"/v1/sessions/{one}/run" for one in self.sessions[:connections]],
                "warm_up": 3}

    def end_running(self) -> None:
        while self.sessions:
            self.delete(self.sessions.pop())

    def create_to_result(self) -> float:
        self.ready()
        create = http.request("POST", "/v1/sessions", {})
        start = time.perf_counter()
        made = self.line.exchange(create)
        session = json.loads(http.body_of(made))["id"]
        run = http.request("POST", f"/v1/sessions/{session}/run", {"code": base.FIRST_RESULT})
        answer = self.line.exchange(run)
        taken = (time.perf_counter() - start) * 1000
        if base.FIRST_RESULT_SEEN not in answer:
            raise process.Failed(f"no result: {bytes(answer[-400:])!r}")
        self.delete(session)
        return taken

    def print_to_event(self, count: int) -> list[float]:
        session = self.session()
        raw = http.request("POST", f"/v1/sessions/{session}/run", {"code": base.PRINTS},
                           accept="text/event-stream")
        samples = []
        for _ in range(count):
            self.line.socket.sendall(raw)
            while not (found := re.search(rb'"text":"(\d+)', self.line.seen)):
                self.line.more()
            samples.append((time.time_ns() - int(found[1])) / 1e6)
            self.line.answer()
        self.delete(session)
        return samples

    # --- files --------------------------------------------------------------------------------

    def open_files(self, size: int) -> None:
        if not serving.serves_files(self.routes):
            raise prepare.Unavailable("this server has no PUT /v1/sessions/{id}/files")
        self.keeper = self.session(limits={"file_bytes_max": 2 * size, "disk_bytes_max": 4 * size})
        self.file = f"/v1/sessions/{self.keeper}/files/session/big.bin"
        self.files_pid = self.server.process.pid

    def close_files(self) -> None:
        self.delete(self.keeper)

    def connection(self) -> http.Connection:
        return self.server.connection()

    # --- idle clients -------------------------------------------------------------------------

    def idle_request(self, count: int) -> tuple[bytes, str]:
        """A request whose answer is an event stream in which nothing happens, and the path of what
        to delete in the end. The log of a job that sleeps; on a server without jobs runs that
        sleep, all in one session: each is a process in the sandbox, which is not the server's
        memory. Not a folder that is watched: the host gives out 128 watchers by default."""
        if self.has("GET", "/v1/jobs/{id}/logs"):
            job = self.line.ask("POST", "/v1/jobs", {"kind": "shell", "code": "sleep 600"})["id"]
            raw = http.request("GET", f"/v1/jobs/{job}/logs", accept="text/event-stream")
            return raw, f"/v1/jobs/{job}"
        session = self.session(limits={"processes_max": 2 * count + 100,
                                       "memory_bytes_max": 4 << 30})
        raw = http.request(
            "POST", f"/v1/sessions/{session}/run", accept="text/event-stream",
            body={"code": "exec sleep 600", "language": "shell", "timeout": "600s"})
        return raw, f"/v1/sessions/{session}"

    def forget(self, path: str) -> None:
        if path.startswith("/v1/jobs/"):
            self.line.ask("POST", path + "/cancel")
        else:
            self.line.ask("DELETE", path)
