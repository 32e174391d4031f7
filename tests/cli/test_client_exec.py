"""`atoll exec` with our input and our terminal: bytes as they are, both ways, and a real terminal inside."""
import json
import os
import pty
import re
import signal
import subprocess
import termios

import pytest

from harness import host
from harness.cli import ATOLL, atoll
from harness.terminal import WITHIN_S, Terminal

pytestmark = pytest.mark.once

PROMPT = re.compile(r"\$ $")


def test_input_and_output_are_bytes(client, session):
    content = os.urandom(3 << 20)
    done = atoll("exec", session, "cat", stdin=content)
    assert done.returncode == 0 and done.stdout == content and done.stderr == b""
    assert client("exec", session, "cat", stdin=b"x\n").out == "x\n"
    assert client("exec", session, "cat", stdin=b"").out == ""
    assert client("exec", session, "-l", "shell", "-c", "wc -c", stdin=b"12345").out == "5\n"
    done = atoll("exec", session, "--", "sh", "-c", "cat >&2; printf 'out\\377'; exit 7", stdin=b"err\xfe")
    assert (done.returncode, done.stdout, done.stderr) == (7, b"out\xff", b"err\xfe")


def test_from_its_first_word_on_a_line_is_the_commands(client, session):
    assert client("exec", session, "echo", "-l", "--json", "-c", "x", "--", "y").out == "-l --json -c x -- y\n"
    assert client("exec", session, "--timeout", "30s", "echo", "--timeout").out == "--timeout\n"
    assert client("exec", session, "--", "echo", "--", "-n").out == "-- -n\n"
    wrong = client("exec", session, "--lnaguage", "shell", "-c", "ls")
    assert wrong.returncode != 0 and "--lnaguage" in wrong.err and wrong.out == ""


def test_a_file_as_input(client, session, tmp_path):
    (tmp_path / "in").write_text("from a file\n")
    with open(tmp_path / "in", "rb") as file:
        assert client("exec", session, "cat", stdin=file).out == "from a file\n"
        assert client("exec", session, "--no-stdin", "cat", stdin=file).out == ""  # and it is not read


def test_a_program_need_not_read_all(client, session):
    done = client("exec", session, "--", "head", "-c", "3", stdin=b"abc" * (4 << 20), timeout=60)
    assert (done.returncode, done.out) == (0, "abc")
    done = client("exec", session, "--timeout", "500ms", "--", "sleep", "60", stdin=b"x" * (4 << 20), timeout=60)
    assert done.returncode == 124 and "time was up" in done.err


def test_what_nobody_reads_here_waits_there(client, session):
    """A reader that stands still is no reason to keep, or lose, what a program writes."""
    process = subprocess.Popen([ATOLL, "exec", session, "--", "sh", "-c", "cat; seq 400000"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.close()
    assert process.stdout.read(2) == b"1\n"
    rest = process.stdout.read()
    assert process.wait(WITHIN_S) == 0 and rest.endswith(b"399999\n400000\n") and rest.count(b"\n") == 399999
    process.stdout.close()


def test_input_that_never_ends_does_not_keep_it(client, session):
    ours, theirs = os.pipe()
    process = subprocess.Popen([ATOLL, "exec", session, "echo", "done"], stdin=ours, stdout=subprocess.PIPE)
    assert process.communicate(timeout=WITHIN_S)[0] == b"done\n" and process.returncode == 0
    os.close(ours), os.close(theirs)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_it_ends_with_the_command(client, server, session, number):
    process = subprocess.Popen([ATOLL, "exec", session, "--", "sh", "-c", "echo up; exec sleep 34567"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"up\n"
    process.send_signal(number)
    assert process.wait(WITHIN_S) in (128 + number, -number)
    process.stdin.close(), process.stdout.close()
    ended = lambda: server.run(session, "pgrep -fc '^sleep 34567' || true", language="shell")["stdout"] == "0\n"
    assert host.eventually(ended, within=20)


def test_refusals_have_words(client, monkeypatch):
    done = client("exec", "s-none", "cat", stdin=b"x")
    assert done.returncode == 125 and "there is no session s-none" in done.err
    done = client("exec", "s", "--timeout", "soon", "cat", stdin=b"x")
    assert done.returncode == 2 and "timeout" in done.err
    done = client("exec", "s", "--context", "x", "cat", stdin=b"x")
    assert done.returncode == 2 and "--context" in done.err
    monkeypatch.setenv("ATOLL_URL", "http://127.0.0.1:1")
    done = client("exec", "s", "cat", stdin=b"x")
    assert done.returncode == 125 and "no server answers" in done.err and "atoll serve" in done.err
    monkeypatch.setenv("ATOLL_URL", "nonsense")
    assert client("exec", "s", "cat", stdin=b"x").returncode == 2


# ---- At a terminal ----

@pytest.fixture
def terminal(client, session):
    made = []

    def one(*words, **size):
        made.append(Terminal("exec", session, *words, **size))
        return made[-1]

    yield one
    for each in made:
        each.close()


def test_a_shell(terminal):
    shell = terminal(rows=30, cols=100)
    shell.expect(PROMPT)
    shell.type("stty size; test -t 0 && echo \"$TERM\" $PWD; exit 3\r")
    assert shell.status() == 3
    assert "30 100\r\n" in shell.seen and "xterm-256color /session\r\n" in shell.seen


def test_the_size_follows_the_window_and_ctrl_c_is_the_programs(terminal):
    shell = terminal()
    shell.expect(PROMPT)
    shell.resize(44, 123)

    def asked():
        shell.type("stty size\r")
        shell.expect(r"\r\d+ \d+\r\n")
        return "\r44 123\r\n" in shell.seen
    assert host.eventually(asked)
    # The program says it itself: between two commands of a list the terminal is the shell's.
    shell.type("sh -c 'echo up; exec sleep 300'\r")
    shell.expect("\rup\r\n")
    shell.type("\x03")
    shell.expect(PROMPT)
    shell.type("echo status $?; exit\r")
    shell.expect("\rstatus 130\r\n")
    assert shell.status() == 0


def test_a_command_on_a_terminal(terminal):
    shell = terminal("--", "sh", "-c", "test -t 1 && echo \"it's\" a terminal; read line; echo \"<$line>\"; exit 5")
    shell.expect("it's a terminal\r\n")
    shell.type("typed\r")
    assert shell.status() == 5
    assert "<typed>\r\n" in shell.seen


def test_python_code_needs_none(terminal):
    shell = terminal("-c", "import sys; print(sys.stdout.isatty())")
    assert shell.status() == 0 and "False" in shell.seen


@pytest.mark.parametrize("end", ["exit", "server's refusal", "signal"])
def test_the_terminal_is_given_back(client, session, end):
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    words = ["exec", "s-none" if end == "server's refusal" else session]
    process = subprocess.Popen([ATOLL, *words], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    try:
        if end != "server's refusal":
            assert host.eventually(lambda: not termios.tcgetattr(theirs)[3] & termios.ECHO)
        if end == "exit":
            os.write(ours, b"exit 4\r")
        if end == "signal":
            process.send_signal(signal.SIGTERM)
        assert process.wait(WITHIN_S) == {"exit": 4, "signal": 128 + signal.SIGTERM}.get(end, 125)
        assert termios.tcgetattr(theirs) == before
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(ours)
        os.close(theirs)


def test_a_terminal_where_none_would_be_chosen(client, session):
    done = client("exec", "-t", session, "--", "sh", "-c", "test -t 0 && cat", stdin=b"piped\n")
    assert done.returncode == 0 and done.out.count("piped\r\n") == 2  # once echoed, once by cat


# ---- What a person hears besides the output ----

def test_what_was_lost_is_said_once(client, session):
    """A client that hangs up as soon as it has the end has heard it."""
    for _ in range(3):
        assert client("exec", session, "-c", "g = (i for i in range(3))").returncode == 0
        assert client("pause", "--to-disk", session).returncode == 0
        said = [client("exec", session, "-c", "1").err.count("not restored: g") for _ in range(4)]
        assert said == [1, 0, 0, 0]


PICTURE = """
class Picture:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"image/png": "aGk=", "text/html": "<img>", "text/plain": "<Figure>"}
class Page:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": "<div>", "application/vnd.plotly.v1+json": {}}
class Table:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": "<table>", "text/plain": "a table"}
"""


def test_charts_say_how_to_get_them(client, session):
    assert client("exec", session, "-c", PICTURE).returncode == 0
    done = client("exec", session, "-c", "Picture()")
    assert done.out == "<Figure>\n"
    assert done.err == "atoll: 1 chart (PNG, HTML): --json has it; or save to artifacts/ and `atoll cp`\n"
    done = client("exec", session, "-c", "display(Picture())\nPage()")
    assert "atoll: 2 charts (PNG, HTML): --json has them" in done.err
    done = client("exec", session, "-c", "Table()")
    assert (done.out, done.err) == ("a table\n", "")


def test_artifacts_say_how_to_get_them(client, server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = f"art-{os.getpid()}"
    assert client("new", "--name", name).returncode == 0
    code = "import os\nos.makedirs('artifacts', exist_ok=True)\nopen('artifacts/x y.png', 'w').write('hi')\n" \
           "open('plain.txt', 'w').write('no artifact')"
    done = client("exec", name, "-c", code + "\nopen('artifacts/b.csv', 'w').write('1')")
    lines = sorted(done.err.splitlines())
    assert lines == [f"atoll: artifacts/b.csv: atoll cp {name}:artifacts/b.csv .",
                     f"atoll: artifacts/x y.png: atoll cp '{name}:artifacts/x y.png' ."], done.err
    copied = subprocess.run(["sh", "-c", lines[1].partition(".png: atoll ")[2].join([f"{ATOLL} ", ""])], timeout=60)
    assert copied.returncode == 0 and (tmp_path / "x y.png").read_text() == "hi"
    many = "import os\nos.makedirs('artifacts', exist_ok=True)\nfor i in range(8): open(f'artifacts/{i}', 'w').write('x')"
    done = client("exec", name, "-c", many)
    assert len(done.err.splitlines()) == 6 and done.err.endswith("atoll: and 3 more\n")


def test_code_on_stdin(client, session):
    assert client("exec", session, stdin=b"z = 6\nprint(z * 7)").out == "42\n"
    assert client("exec", session, stdin=b"z").out == "6\n"
    assert client("exec", session, "-l", "shell", stdin=b"echo $((1 + 2))").out == "3\n"
    assert json.loads(client("exec", session, "--json", stdin=b"print(z)").out)["stdout"] == "6\n"
    done = client("exec", session, stdin=b"")
    assert done.returncode == 2 and "no code on stdin" in done.err
    done = client("exec", session, "--no-stdin", stdin=b"print(1)")
    assert done.returncode == 2 and "say what to run" in done.err


@pytest.mark.parametrize("options, value", [((), "1"), (("--env", "PYTHONUNBUFFERED="), "")])
def test_background_python_shows_output_as_it_comes(client, options, value):
    session = client("new", *options).out.strip()
    code = "import os, time\nseen = repr(os.environ.get('PYTHONUNBUFFERED'))\nprint(seen)\n" \
           "with open('/session/seen', 'w') as file: file.write(seen)\ntime.sleep(600)"
    process = client("exec", "-d", session, "-c", code).out.strip()
    assert host.eventually(lambda: client("exec", session, "cat", "/session/seen").out == f"{value!r}")
    if value:  # else the user's own word stands, and nothing comes before the end
        assert host.eventually(lambda: client("logs", "--no-follow", session, process).out == f"{value!r}\n")
    assert client("rm", session).returncode == 0


def test_one_form_of_json_with_a_session_and_without(client, session):
    """A program that reads what `run --json` prints can read what `exec --json` prints."""
    code = ("import os, sys\nprint('out'); print('err', file=sys.stderr)\n"
            "os.makedirs('/session/artifacts', exist_ok=True)\nopen('/session/artifacts/made', 'w').write('12345')")
    alone = json.loads(client("run", "--json", "-c", code).out)
    there = json.loads(client("exec", "--json", session, "-c", code).out)
    same = ("stdout", "stderr", "exit_code", "signal", "reason", "output_truncated", "files", "files_complete")
    assert {name: alone[name] for name in same} == {name: there[name] for name in same}
    assert alone["files"] == [{"path": "/session/artifacts/made", "change": "created", "type": "file", "size": 5}]
    ended = ("--timeout", "1s", "--json")
    alone = json.loads(client("run", *ended, "--", "sleep", "600").out)
    there = json.loads(client("exec", *ended, session, "--", "sleep", "600").out)
    assert [alone[name] for name in ("signal", "reason")] == [there[name] for name in ("signal", "reason")] == [9, "timeout"]
