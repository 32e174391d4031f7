"""`atoll shell` with a real terminal: a pty here plays the person's."""
import os
import pty
import re
import signal
import subprocess
import termios
import time

import pytest

from harness import host
from harness.cli import ATOLL, atoll
from harness.terminal import WITHIN_S, Terminal

PROMPT = re.compile(r"sandbox.*?:\S*\$ $")


@pytest.fixture
def terminal():
    made = []

    def one(*words, **size):
        made.append(Terminal("shell", *words, **size))
        made[-1].at_prompt(PROMPT)
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
    shell.expect("\ruser /session yes xterm\r\nterminal\r\n.*" + PROMPT.pattern)  # before it, Ctrl-D is the terminal's
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
    shell.at_prompt(PROMPT)
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
    shell.at_prompt(PROMPT)


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


def test_its_time_is_limited_only_if_somebody_says_so(terminal):
    shell = terminal("--timeout", "2s")
    assert shell.status() == 124
    assert "atoll: stopped after 2.0 s (--timeout)" in shell.seen
    text = atoll("shell", "--help").stdout
    assert b"2m (default: none)" in text and b"--output" not in text


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
