"""process.start: programs with pipes or a terminal, their ends, and what is left of them."""
import base64
import os
import signal
import time

import pytest

from harness import host
from harness.driver import Refused

ARCHIVE = "/opt/atoll/guest/atoll-archive"


def piped(sandbox, content: str, *argv: str, **fields):
    """Runs it with `content` on stdin, then the end of input. Latin-1 stands for bytes."""
    request = {"op": "process.start", "argv": list(argv), "stdin": True, **fields}
    return sandbox.ask(request, data=content)


# Ends

def test_exit_codes(sandbox):
    for code in (0, 1, 42, 255):
        end = sandbox.shell(f"exit {code}").end
        assert end["exit_code"] == code
        assert "signal" not in end and not end["timed_out"] and not end["cancelled"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT])
def test_a_signal_is_told_from_an_exit(sandbox, number):
    end = sandbox.shell(f"kill -{int(number)} $$").end
    assert (end["signal"], end["exit_code"]) == (number, 128 + number)


def test_started_says_the_pid_inside(sandbox):
    answer = sandbox.shell("echo $$")
    (started,) = answer.events_named("started")
    assert answer.out == f"{started['pid']}\n"


def test_a_signal_of_the_caller_reaches_the_group(sandbox):
    word = host.marker()
    answer = sandbox.ask(
        {"op": "process.start",
         "argv": ["bash", "-c", "trap 'echo heard; exit 5' USR1; sleep 300 & wait", word]},
        controls=[{"do": "signal", "signal": int(signal.SIGUSR1), "after_ms": 500}])
    assert answer.out == "heard\n" and answer.end["exit_code"] == 5
    assert host.eventually(lambda: not host.with_argument(word))


def test_what_cannot_be_started_is_named(sandbox):
    with pytest.raises(Refused, match="no-such-program.*No such file"):
        sandbox.run("no-such-program")
    with pytest.raises(Refused, match="/no/where.*No such file"):
        sandbox.run("true", cwd="/no/where")
    with pytest.raises(Refused, match="argv is empty"):
        sandbox.run()
    sandbox.write("/work/plain", b"text")
    with pytest.raises(Refused, match="/work/plain.*Permission denied"):
        sandbox.run("/work/plain")
    assert sandbox.run("true").end["exit_code"] == 0


# Streams

def test_stdout_and_stderr_apart_and_merged(sandbox):
    script = "echo out; echo err >&2; echo again"
    answer = sandbox.shell(script)
    assert (answer.out, answer.err) == ("out\nagain\n", "err\n")
    merged = sandbox.shell(script, merge=True)
    assert (merged.out, merged.err) == ("out\nerr\nagain\n", "")


def test_stdin_until_its_end(sandbox):
    assert piped(sandbox, "b\na\n", "sort").out == "a\nb\n"
    assert piped(sandbox, "", "wc", "-c").out == "0\n"


def test_without_stdin_there_is_nothing_to_read(sandbox):
    assert sandbox.run("cat").end["exit_code"] == 0


def test_a_program_that_does_not_read_its_input_ends(sandbox):
    answer = piped(sandbox, "x" * 5_000_000, "true")
    assert answer.end["exit_code"] == 0


def test_fifty_megabytes_through_cat(sandbox):
    content = base64.b64encode(os.urandom(37_500_000)).decode()  # text: cheap in the driver's JSON
    answer = piped(sandbox, content, "cat")
    assert answer["bytes"] == len(content) == 50_000_000
    assert answer.out == content


def test_bytes_survive_as_they_are(sandbox):
    content = bytes(range(256)) * 1000
    assert piped(sandbox, content.decode("latin-1"), "cat").out.encode("latin-1") == content


def test_output_of_a_child_that_outlives_the_program_does_not_hold_the_answer(sandbox):
    began = time.monotonic()
    answer = sandbox.shell("sleep 60 & echo done")
    assert answer.out == "done\n" and time.monotonic() - began < 20


# Surroundings

def test_working_folder_environment_and_user(sandbox):
    assert sandbox.shell("pwd").out == "/session\n"
    assert sandbox.shell("pwd", cwd="/data/outputs").out == "/data/outputs\n"
    answer = sandbox.shell('echo "$GREETING|$HOME|$(id -un)"', env={"GREETING": "hé =\nx"})
    assert answer.out.encode("latin-1").decode() == "hé =\nx|/home/user|user\n"
    assert sandbox.shell('echo "[$GREETING]"').out == "[]\n"  # of that program alone


def test_python_has_the_packages_and_bash_the_usual_tools(sandbox):
    assert sandbox.run("python", "-c", "import pandas; print(pandas.Series([1, 2]).sum())").out == \
        "3\n"
    assert sandbox.shell("printf 'b\\na\\n' | sort | sed s/a/c/ | awk '{print NR $1}'").out == \
        "1c\n2b\n"


# Terminal

def test_a_terminal_follows_its_size(sandbox):
    answer = sandbox.ask(
        {"op": "process.start", "pty": {"rows": 30, "cols": 100}, "argv": ["bash", "-c", """
            stty size
            for i in $(seq 200); do
                [ "$(stty size)" = '30 100' ] || break
                sleep 0.05
            done
            stty size"""]},
        controls=[{"do": "resize", "rows": 50, "cols": 132, "after_ms": 500}])
    assert answer.out == "30 100\r\n50 132\r\n"


def test_a_terminal_is_one_for_the_program(sandbox):
    answer = sandbox.shell("test -t 0 && test -t 1 && test -t 2 && echo hi > $(tty)",
                           pty={"rows": 24, "cols": 80})
    assert answer.out == "hi\r\n" and answer.end["exit_code"] == 0
    assert sandbox.shell("test -t 0").end["exit_code"] == 1


def test_typing_into_a_terminal(sandbox):
    answer = piped(sandbox, "echo $((40 + 2))\nexit 3\n", "bash", "--norc", "-i",
                   pty={"rows": 24, "cols": 80})
    assert "\n42\r\n" in answer.out and answer.end["exit_code"] == 3


def test_ctrl_c_in_a_terminal_ends_the_program_in_front(sandbox):
    answer = piped(sandbox, "\x03", "bash", "-c", "trap 'echo caught; exit 9' INT; sleep 30 & wait",
                   pty={"rows": 24, "cols": 80})
    assert "caught" in answer.out and answer.end["exit_code"] == 9 \
        or answer.end.get("signal") == signal.SIGINT  # it came before bash had its trap


# Time and cancel

def test_at_the_end_of_its_time_a_program_is_asked_first(sandbox):
    answer = sandbox.shell("trap 'echo asked; exit 7' TERM; sleep 300 & wait",
                           timeout_ms=700, grace_ms=10_000)
    assert answer.end["timed_out"] and answer.end["exit_code"] == 7 and answer.out == "asked\n"


def test_who_does_not_listen_is_killed_after_the_grace(sandbox):
    word = host.marker()
    answer = sandbox.run("bash", "-c", "trap '' TERM; echo on; while :; do sleep 1; done", word,
                         timeout_ms=500, grace_ms=500)
    assert answer.end["timed_out"] and answer.end["signal"] == signal.SIGKILL
    assert answer.out == "on\n"
    assert host.eventually(lambda: not host.with_argument(word))


def test_time_without_grace(sandbox):
    answer = sandbox.run("sleep", "300", timeout_ms=300)
    assert answer.end["timed_out"] and answer.end["signal"] == signal.SIGKILL


def test_cancel_ends_the_whole_tree(sandbox):
    word = host.marker()
    script = (f"bash -c 'sleep 300; : {word}' & setsid bash -c 'sleep 300; : {word}' & "
              f"(setsid setsid bash -c 'sleep 300; : {word}' &) ; wait")
    running = sandbox.start({"op": "process.start", "argv": ["bash", "-c", script]},
                            controls=[{"do": "cancel", "after_ms": 1500}])
    assert host.eventually(lambda: len(host.with_argument(word)) >= 4)
    end = running.result(30).end
    assert end["cancelled"] and not end["timed_out"]
    assert host.eventually(lambda: not host.with_argument(word))
    assert sandbox.run("true").end["exit_code"] == 0


# Archives

@pytest.mark.parametrize("kind", ["tar", "tar.zst", "zip"])
def test_a_folder_goes_into_another_sandbox(driver, sandbox, kind):
    sandbox.shell("mkdir -p tree/deep && seq 100000 > tree/deep/numbers && echo é > 'tree/a b' && "
                  "chmod 755 'tree/a b'")
    packed = sandbox.run(ARCHIVE, "pack", "--format", kind, "/session/tree")
    assert packed.end["exit_code"] == 0, packed.err
    other = driver.create()
    try:
        done = piped(other, packed.out, ARCHIVE, "unpack", "--into", "/work")
        assert done.end["exit_code"] == 0 and '"ok":true' in done.out
        sums = "find . -type f -printf '%m ' -exec sha256sum {} \\; | sort"
        assert other.shell(sums, cwd="/work").out == sandbox.shell(sums, cwd="/session/tree").out
        assert other.shell("stat -c %U /work/deep/numbers").out == "user\n"
    finally:
        other.destroy()


def test_a_damaged_archive_is_said_to_be(sandbox):
    done = piped(sandbox, "this is no archive", ARCHIVE, "unpack", "--into", "/work")
    assert done.end["exit_code"] == 1 and '"ok":false' in done.out
    assert sandbox.shell("ls -A", cwd="/work").out == "artifacts\n"
