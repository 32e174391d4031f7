"""A person at a terminal who starts a command: a pty here plays the terminal."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

from . import host
from .cli import ATOLL

WITHIN_S = 30


class Terminal:
    """A terminal of `rows` by `cols` on which `atoll` was started with these words."""

    def __init__(self, *words, rows: int = 30, cols: int = 100):
        self.seen = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            self._size(0, rows, cols)
            os.environ["TERM"] = "xterm"
            os.execv(ATOLL, [str(ATOLL), *words])
        self.inside = []

    def _size(self, fd, rows, cols):
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def resize(self, rows, cols):
        self._size(self.fd, rows, cols)  # the kernel tells `atoll` by SIGWINCH

    def read_some(self, wait: float) -> bool:
        ready, _, _ = select.select([self.fd], [], [], wait)
        if not ready:
            return True
        try:
            piece = os.read(self.fd, 65536)
        except OSError:  # EIO: the other side is gone
            piece = b""
        self.seen += piece.decode(errors="replace")
        return bool(piece)

    def expect(self, pattern):
        until = time.monotonic() + WITHIN_S
        while not re.search(pattern, self.seen):
            assert time.monotonic() < until, f"no {pattern!r} in {self.seen!r}"
            assert self.read_some(0.2), f"ended without {pattern!r}: {self.seen!r}"

    def at_prompt(self, prompt):
        self.expect(prompt)
        self.inside = [one for one in host.processes_in(self.pid) if one.pid != self.pid]

    def type(self, text: str):
        self.seen = ""
        os.write(self.fd, text.encode())

    def status(self) -> int:
        """Reads to the end, and says how it ended."""
        until = time.monotonic() + WITHIN_S
        while self.read_some(0.2):
            assert time.monotonic() < until, f"no end: {self.seen!r}"
        _, status = os.waitpid(self.pid, 0)
        self.pid = None
        return os.waitstatus_to_exitcode(status)

    def close(self):
        if self.pid is not None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)
