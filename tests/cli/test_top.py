"""`atoll top` on a terminal: q and Ctrl-C end it, and what was on the screen is there again."""
import os
import pty
import re
import signal
import subprocess
import termios
import time

import pytest
from harness import host
from harness.cli import ATOLL
from harness.terminal import WITHIN_S, Terminal

pytestmark = pytest.mark.once

ENTER, LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"


class Top:
    """`atoll top` on a pty that outlives it, so that its modes can be looked at afterwards."""

    def __init__(self, rows, cols, *words):
        self.ours, self.theirs = pty.openpty()
        termios.tcsetwinsize(self.theirs, (rows, cols))
        self.before = termios.tcgetattr(self.theirs)
        self.seen = ""
        self.process = subprocess.Popen([ATOLL, "top", *words], stdin=self.theirs, stdout=self.theirs,
                                        stderr=self.theirs, start_new_session=True)

    def read(self):
        os.set_blocking(self.ours, False)
        try:
            self.seen += os.read(self.ours, 65536).decode(errors="replace")
        except BlockingIOError:
            pass
        return self.seen

    def until(self, pattern):
        assert host.eventually(lambda: re.search(pattern, self.read()), WITHIN_S), self.seen

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.ours)
        os.close(self.theirs)


@pytest.fixture
def top(client, session):
    made = []

    def make(*words, rows=24, cols=80):
        made.append(Top(rows, cols, *words))
        return made[-1]
    yield make
    for one in made:
        one.close()


def frames(seen):
    """What was drawn, each as the lines on the screen."""
    drawn = seen.split("\x1b[H")[1:]
    return [re.sub(r"\x1b\[\??[0-9]*[a-zA-Z]", "", one).replace("\r", "").split("\n") for one in drawn]


@pytest.mark.parametrize("rows, cols", [(24, 80), (5, 20), (2, 4)])
@pytest.mark.parametrize("end", ["q", "ctrl-c", "ctrl-c twice", "terminated"])
def test_it_ends_and_leaves_the_terminal_as_it_was(top, session, rows, cols, end):
    running = top(rows=rows, cols=cols)
    running.until(r"\x1b\[J")
    assert not termios.tcgetattr(running.theirs)[3] & termios.ECHO
    if end == "terminated":
        running.process.send_signal(signal.SIGTERM)
    elif end == "q":
        os.write(running.ours, b"xq")
    else:
        running.process.send_signal(signal.SIGINT)  # as the terminal does where it is the controlling one
        if end == "ctrl-c twice":
            running.process.send_signal(signal.SIGINT)
    assert running.process.wait(WITHIN_S) == 0
    running.until(re.escape(LEAVE) + "$")
    assert termios.tcgetattr(running.theirs) == running.before
    assert running.seen.startswith(ENTER) and running.seen.count(ENTER) == running.seen.count(LEAVE) == 1
    for lines in frames(running.seen):
        assert len(lines) <= rows and all(len(line) <= cols for line in lines), lines


def test_keys_of_the_terminal_itself(client, session, monkeypatch):
    """Ctrl-C as a person presses it, on a terminal that is the command's own."""
    running = Terminal("top")
    try:
        running.expect(session)
        running.expect("q ends")
        os.write(running.fd, b"\x03")
        assert running.status() == 0 and running.seen.endswith(LEAVE)
    finally:
        running.close()


def test_a_small_window_says_what_it_hides(top, client, server):
    made = [client("new").out.strip() for _ in range(3)]
    running = top(rows=3)
    running.until(r"\d+ more; q ends")
    termios.tcsetwinsize(running.theirs, (60, 100))  # it follows the window
    running.until("|".join(made))
    for one in made:
        running.until(one)


def test_it_goes_on_and_says_when_the_server_is_gone(client, session, monkeypatch, tmp_path):
    from harness.server import Server
    own = Server(tmp_path)
    monkeypatch.setenv("ATOLL_URL", own.url)
    running = Top(24, 80, "--interval", "0.2")
    try:
        running.until(r"(?s)\x1b\[J.*\x1b\[J")  # drawn twice
        own.stop()
        assert running.process.wait(WITHIN_S) == 125
        running.until(re.escape(LEAVE) + ".*no server answers")  # on the screen that stays
        assert termios.tcgetattr(running.theirs) == running.before
    finally:
        running.close()
        if own.process.poll() is None:
            own.kill()


def test_what_is_no_terminal_gets_it_once(client, session):
    began = time.monotonic()
    done = client("top", "--interval", "3600")
    assert done.returncode == 0 and "\x1b" not in done.out and time.monotonic() - began < 600
    assert done.out.count("PROCESSES") == 1 and session in done.out
