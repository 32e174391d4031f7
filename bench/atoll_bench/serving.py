"""Starts what serves HTTP, waits until it does, and ends it by its pid; watches its memory."""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from . import http
from .prepare import clean_environment
from .process import Failed

START_S = 180
STOP_S = 60


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def own_folder(name: str) -> Path:
    """On a real disk: /tmp may be memory, and a file of 1 GiB is written here."""
    return Path(tempfile.mkdtemp(prefix=f"atoll-bench-{name}-", dir="/var/tmp"))


class Service:
    """A server in a folder of its own. A subclass says what to start and when it is ready."""

    def __init__(self, name: str):
        self.folder = own_folder(name)
        self.process: subprocess.Popen | None = None
        self.port = 0

    def command(self) -> list:
        raise NotImplementedError

    def is_ready(self) -> bool:
        """By default: something accepts connections."""
        try:
            http.connected(self.port, 1).close()
            return True
        except OSError:
            return False

    def start(self, environment: dict | None = None) -> None:
        self.log = open(self.folder / "log", "ab")
        self.log_begin = self.log.seek(0, os.SEEK_END)
        self.process = subprocess.Popen(
            [str(part) for part in self.command()], stdin=subprocess.DEVNULL, stdout=self.log,
            stderr=self.log, start_new_session=True,
            env={**clean_environment(), **(environment or {})})
        deadline = time.monotonic() + START_S
        while not self.is_ready():
            if self.process.poll() is not None:
                raise Failed(f"{self.process.args[0]} ended: {self.said()[-400:]}")
            if time.monotonic() > deadline:
                raise Failed(f"{self.process.args[0]} does not serve after {START_S} s")
            time.sleep(0.02)

    def said(self) -> str:
        """Its log since it was last started."""
        with open(self.folder / "log", "rb") as log:
            log.seek(self.log_begin)
            return log.read().decode(errors="replace")

    def kill(self) -> None:
        """At once, as a power cut would. What it started is its own affair."""
        self.process.kill()
        self.process.wait()
        self.log.close()

    def end(self) -> int | None:
        """As an administrator ends it; by force when that does not work."""
        if self.process is None or self.process.poll() is not None:
            return None
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            return None
        finally:
            self.log.close()

    def remove(self) -> None:
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def connection(self) -> http.Connection:
        return http.Connection(self.port)


class AtollServer(Service):
    def __init__(self, binary: Path, pool: int, port: int = 0):
        super().__init__("atoll")
        self.binary, self.pool, self.wanted_port = binary, pool, port
        self.data = self.folder / "data"

    def command(self) -> list:
        return [self.binary, "serve", "--listen", f"127.0.0.1:{self.wanted_port}", "--data-dir",
                self.data, "--pool", self.pool]

    def is_ready(self) -> bool:
        found = re.search(r"listening on 127\.0\.0\.1:(\d+)", self.said())
        if found:
            self.port = int(found[1])
        return found is not None

    def routes(self) -> set[tuple[str, str]]:
        """(method, path) of all that the server says it can do."""
        with self.connection() as line:
            paths = line.ask("GET", "/openapi.json")["paths"]
        return {(method.upper(), path) for path, methods in paths.items() for method in methods}

    def wait_for_pool(self, line: http.Connection) -> None:
        deadline = time.monotonic() + 60
        while line.ask("GET", "/v1/info")["sandboxes_ready"] < self.pool:
            if time.monotonic() > deadline:
                raise Failed("the pool did not fill within 60 s")
            time.sleep(0.005)


def serves_files(routes: set[tuple[str, str]]) -> bool:
    return any(method == "PUT" and path.startswith("/v1/sessions/{id}/files/")
               for method, path in routes)


def resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class MemoryWatch:
    """The most memory that a process had while the block ran, in bytes above that at its start."""

    def __init__(self, pid: int, every_s: float = 0.01):
        self.pid, self.every_s = pid, every_s

    def __enter__(self):
        self.before = self.most = resident_bytes(self.pid)
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._watch)
        self.thread.start()
        return self

    def _watch(self) -> None:
        while not self.over.wait(self.every_s):
            self.most = max(self.most, resident_bytes(self.pid))

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        self.grown = max(self.most, resident_bytes(self.pid)) - self.before
