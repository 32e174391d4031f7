"""`atoll shell` with a real terminal: a pty here plays the person's."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import pytest

from harness import host
from harness.cli import ATOLL, atoll

WITHIN_S = 30
PROMPT = re.compile(r"sandbox.*?:\S*\$ $")


class Terminal:
    """A person at a terminal of `rows` by `cols` who started `atoll shell`."""

    def __init__(self, *words, rows: int = 30, cols: int = 100):
        self.seen = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            self._size(0, rows, cols)
            os.environ["TERM"] = "xterm"
            os.execv(ATOLL, [str(ATOLL), "shell", *words])
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

    def at_prompt(self):
        self.expect(PROMPT)
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


@pytest.fixture
def terminal():
    made = []

    def one(*words, **size):
        made.append(Terminal(*words, **size))
        made[-1].at_prompt()
        return made[-1]

    yield one
    for each in made:
        each.close()
        assert host.eventually(lambda each=each: not any(p.alive for p in each.inside))


def test_a_command_its_output_and_the_exit_status(terminal):
    shell = terminal()
    shell.type("echo hi; exit 3\r")
    assert shell.status() == 3
    assert "\rhi\r\n" in shell.seen


def test_it_is_a_sandbox_with_a_terminal(terminal):
    shell = terminal("-e", "GIVEN=yes")
    shell.type("echo $(id -un) $PWD $GIVEN $TERM; test -t 0 && echo terminal\r")
    shell.expect("\ruser /session yes xterm\r\nterminal\r\n")
    shell.type("\x04")  # Ctrl-D
    assert shell.status() == 0


def test_the_size_follows_the_window(terminal):
    shell = terminal(rows=30, cols=100)
    shell.type("stty size\r")
    shell.expect("\r30 100\r\n")
    shell.resize(44, 123)

    def asked():
        shell.type("stty size\r")
        shell.expect(r"\r\d+ \d+\r\n")
        return "\r44 123\r\n" in shell.seen

    assert host.eventually(asked)


def test_ctrl_c_ends_what_runs_and_not_the_shell(terminal):
    shell = terminal()
    shell.type("sleep 300\r")
    shell.expect("sleep 300\r\n")
    time.sleep(0.5)  # until sleep is in front
    shell.type("\x03")
    shell.at_prompt()
    shell.type("echo status $?; exit\r")
    shell.expect("\rstatus 130\r\n")


def test_programs_that_edit_lines_and_draw(terminal):
    """Python's prompt edits with the arrow keys; the terminal is raw on our side."""
    shell = terminal()
    shell.type("python -q\r")
    shell.expect(">>> $")
    shell.type("6*8\x1b[D\x1b[3~7\r")  # left, delete, 7
    shell.expect("\r\n42\r\n.*>>> $")  # at its prompt again: what comes before is not for it
    shell.type("\x04")
    shell.at_prompt()


def test_the_terminal_is_given_back_as_it_was():
    """After the shell, the person's terminal echoes and reads lines again."""
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    process = subprocess.Popen([ATOLL, "shell"], stdin=theirs, stdout=theirs, stderr=theirs,
                               start_new_session=True)
    try:
        raw = host.eventually(lambda: not termios.tcgetattr(theirs)[3] & termios.ECHO)
        assert raw
        os.write(ours, b"exit 4\r")
        assert process.wait(WITHIN_S) == 4
        assert termios.tcgetattr(theirs) == before
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(ours)
        os.close(theirs)


def test_a_terminal_that_goes_away_ends_the_sandbox(terminal):
    shell = terminal()
    shell.type("sleep 300 & sleep 300\r")
    shell.expect("sleep 300\r\n")
    shell.inside = [one for one in host.processes_in(shell.pid) if one.pid != shell.pid]
    os.kill(shell.pid, signal.SIGHUP)
    assert shell.status() != 0
    assert host.eventually(lambda: not any(one.alive for one in shell.inside))


def test_without_a_terminal_it_says_what_to_use():
    done = atoll("shell")
    assert done.returncode == 2 and b"needs a terminal" in done.stderr
    assert b"atoll run" in done.stderr


def test_bad_options_are_refused():
    done = atoll("shell", "-m", "0")
    assert done.returncode == 2 and b"at least 32 MiB" in done.stderr
    assert atoll("shell", "--no-such").returncode == 2


def test_a_command_belongs_to_run():
    done = atoll("shell", "-c", "id -u")
    assert done.returncode == 2
    assert b"atoll run -l shell -c 'id -u'" in done.stderr, done.stderr
