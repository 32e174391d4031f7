"""A server of this process's own, for whoever has none running.

Owns      the server's process and its data folder; both are gone at exit. Templates are those of
          this user's data folder, since they are large and take a while to build: the first
          server makes the one that is missing.
If the server dies, calls fail with ConnectionFailed; the next `local_url()` starts another.
"""

from __future__ import annotations

import atexit
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO

import httpx

from ._config import DEFAULT_URL, variable
from .errors import LocalServerError

_logger = logging.getLogger("atoll")
# A start takes about a second; on a machine with other things to do it was seen to take a hundred.
_READY_S = 300.0
# The first start on a machine downloads a Python environment; the server itself gives up on it
# after half an hour for each of its steps.
_FIRST_READY_S = 3600.0
_STOP_S = 60.0  # sessions are saved; after that it is killed
_POOL = "2"  # sandboxes kept ready: one program uses few at a time
_SEEN_BYTES_MAX = 64 << 10
_STEP = re.compile(rb"^\S+ info template default: (.*)\n", re.MULTILINE)
_LISTENING = re.compile(rb"listening on (\S+?);")


def find_program() -> Path:
    """The server's program: ATOLL_BIN, the one that came with this package, or `atoll` in PATH."""
    named = variable("ATOLL_BIN")
    if named:
        if not os.access(named, os.X_OK):
            raise LocalServerError(f"ATOLL_BIN is {named}, which is no program")
        return Path(named)
    carried = _carried(Path(__file__).resolve().parent)
    if carried is not None:
        return carried
    found = shutil.which("atoll")
    if found is None:
        raise LocalServerError(
            "there is no program `atoll`: it did not come with this package, is not in PATH, and "
            "ATOLL_BIN names none. Install a wheel that carries it, or build Atoll with "
            "./scripts/build and set ATOLL_BIN to its build/release/atoll"
        )
    return Path(found)


def _carried(package: Path) -> Path | None:
    """The program of the wheel that carries it. It lies below the prefix of the environment, which
    is above lib/python3.X/site-packages, or beside the package after `pip install --target`."""
    for root in (package.parent, *package.parents[3:4]):
        program = root / "libexec" / "atoll" / "atoll"
        if os.access(program, os.X_OK):
            return program
    return None


class LocalServer:
    """`atoll serve` on a free port of loopback. `stop()` ends it; so does the end of a `with`."""

    def __init__(
        self,
        program: str | os.PathLike[str] | None = None,
        *,
        data_dir: str | os.PathLike[str] | None = None,
        options: tuple[str, ...] = (),
    ) -> None:
        self.program = Path(program) if program is not None else find_program()
        self._folder = None if data_dir is not None else tempfile.mkdtemp(prefix="atoll-")
        self.data_dir = Path(data_dir if data_dir is not None else str(self._folder))
        self._log: IO[bytes] = tempfile.TemporaryFile()
        self._owner = os.getpid()
        command = [str(self.program), "serve", "--listen", "127.0.0.1:0"]
        command += ["--data-dir", str(self.data_dir)]
        if "--pool" not in options and variable("ATOLL_POOL") is None:
            command += ["--pool", _POOL]
        command += options
        try:
            # A session of its own: Ctrl-C in a terminal is for this program, which stops it then.
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            self._clean()
            raise LocalServerError(f"{self.program} cannot be started: {error}") from error
        try:
            self.url = self._wait_until_ready()
        except BaseException:
            self.stop()
            raise

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    def stop(self) -> None:
        """Ends it, and removes its data unless `data_dir` was named. Twice does no harm."""
        if os.getpid() != self._owner:
            return  # a fork of the process that started it
        if self.running:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._clean()

    def __enter__(self) -> LocalServer:
        return self

    def __exit__(self, *unused: object) -> None:
        self.stop()

    def _clean(self) -> None:
        self._log.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _said(self) -> bytes:
        return os.pread(self._log.fileno(), _SEEN_BYTES_MAX, 0)

    def _wait_until_ready(self) -> str:
        began = time.monotonic()
        ready_s = _READY_S
        steps = 0
        url = ""
        while time.monotonic() < began + ready_s:
            ended = not self.running  # before what it said last is read
            said = self._said()
            for step in _STEP.findall(said)[steps:]:
                ready_s = _FIRST_READY_S
                steps += 1
                _tell(step.decode(errors="replace"))
            if ended:
                last = said.decode(errors="replace").strip()[-2000:]
                raise LocalServerError(
                    f"{self.program} ended with status {self.process.returncode}: {last}"
                )
            if not url and (found := _LISTENING.search(said)):
                url = f"http://{found[1].decode()}"
            if url and _ready(url):
                return url
            time.sleep(0.02)
        raise LocalServerError(f"{self.program} is not ready after {ready_s:g} s")


def _tell(step: str) -> None:
    """On a terminal for the person who waits there; elsewhere for the program's log."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"atoll: {step}", file=sys.stderr, flush=True)
    else:
        _logger.info("%s", step)


def _ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz", timeout=5, trust_env=False).status_code == 204
    except httpx.TransportError:
        return False


def _answers(url: str) -> bool:
    """Whether an Atoll server is there that serves this user."""
    try:
        answer = httpx.get(f"{url}/v1/info", timeout=2, trust_env=False)
        return answer.status_code == 200 and "walls" in answer.json()
    except (httpx.HTTPError, ValueError):
        return False


_lock = threading.Lock()
_shared: LocalServer | None = None


def local_url() -> str:
    """The address of a server on this machine: the one that runs at the usual address, or one of
    this process's own, which is started when it is first needed and ends with the process."""
    global _shared
    with _lock:
        if _shared is not None and _shared.running and _shared._owner == os.getpid():
            return _shared.url
        if _answers(DEFAULT_URL):
            return DEFAULT_URL
        _shared = LocalServer()
        atexit.register(_shared.stop)
        return _shared.url
