"""`atoll ls`, `new`, `exec`, `run --session`, `cp`, `logs`, `rm`, `top`: the command line as a client
of a real server, as a person and as a program use it."""
import http.server
import json
import os
import signal
import subprocess
import termios
import threading
import time

import pytest

from harness.cli import ATOLL, atoll

pytestmark = pytest.mark.once


def test_new_ls_rm(client, server):
    made = client("new", "--name", "taxi \x1b[31m data")
    assert made.returncode == 2 and "name" in made.err  # the server takes no control characters
    made = client("new", "--name", "taxi data", "--metadata", "a=b", "--env", "X=y z", "--memory", "300m",
                  "--idle-to-cold", "2h")
    assert made.returncode == 0, made.err
    name = made.out.strip()
    about = server.http.get(f"/v1/sessions/{name}").json()
    assert about["metadata"] == {"a": "b"} and about["idle_to_cold_s"] == 7200
    assert client("exec", name, "--", "printenv", "X").out == "y z\n"
    table = client("ls").out.splitlines()
    assert table[0].split() == ["ID", "NAME", "STATE", "TEMPLATE", "AGE", "IDLE"]
    row = next(line for line in table if line.startswith(name))
    assert row.split()[1:5] == ["taxi", "data", "hot", "default"]
    whole = json.loads(client("ls", "--json").out)["sessions"]
    assert name in [one["id"] for one in whole]
    assert name not in client("ls", "--state", "cold").out
    assert json.loads(client("new", "--json").out)["state"] == "hot"
    gone = client("rm", name)
    assert gone.returncode == 0 and gone.out == ""
    gone = client("rm", name, "s-none")
    assert gone.returncode == 125 and gone.err.count("there is no session") == 2


def test_exec(client, session):
    done = client("exec", session, "-c", "import sys\nx = 6\nprint('out')\nprint('err', file=sys.stderr)\nx * 7")
    assert (done.returncode, done.out, done.err) == (0, "out\n42\n", "err\n")
    assert client("exec", session, "-c", "print(x)").out == "6\n"
    done = client("exec", session, "--", "sh", "-c", "printf '%s\\n' \"$1\"; exit 7", "_", "it's; $HOME `id` \\n")
    assert (done.returncode, done.out) == (7, "it's; $HOME `id` \\n\n")
    done = client("exec", session, "-c", "1/0")
    assert done.returncode == 1 and "ZeroDivisionError" in done.err
    assert client("exec", session, "-l", "shell", "-c", "kill -9 $$").returncode == 137
    done = client("exec", session, "--timeout", "300ms", "-l", "shell", "-c", "sleep 20")
    assert done.returncode == 124 and "time was up" in done.err
    answer = json.loads(client("exec", session, "--json", "-c", "print(1)").out)
    assert answer["stdout"] == "1\n" and answer["exit_code"] == 0


def test_output_is_live_and_ctrl_c_cancels(client, session):
    process = subprocess.Popen([ATOLL, "exec", session, "-c",
                                "import time\nprint('up')\nwhile True: time.sleep(0.1)"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"up\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and b"interrupted" in err
    # The kernel is free again, so the run was ended.
    assert client("exec", session, "-c", "print('free')").out == "free\n"


def test_run_in_a_session(client, session, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("y = 5\nprint('from a script')\n")
    done = client("run", "--session", session, str(script))
    assert (done.returncode, done.out) == (0, "from a script\n")
    assert client("run", "--session", session, "-c", "print(y)").out == "5\n"
    assert client("run", "--session", session, stdin=b"print(y + 1)").out == "6\n"
    (tmp_path / "s.sh").write_text("exit 4")
    assert client("run", "--session", session, str(tmp_path / "s.sh")).returncode == 4
    (tmp_path / "s.ts").write_text("const n: number = 8; console.log(n)")
    assert client("run", "--session", session, str(tmp_path / "s.ts")).out == "8\n"
    for words, says in [(("--memory", "1g", str(script)), "--memory"), ((str(script), "argument"), "no arguments"),
                        (("--", "ls"), "atoll exec"), ((str(tmp_path / "none.py"),), "no such file")]:
        done = client("run", "--session", session, *words)
        assert done.returncode == 2 and says in done.err, done.err


def test_logs(client, server):
    job = server.http.post("/v1/jobs", json={"kind": "shell", "code": "echo one; echo two >&2; sleep 1; echo three; exit 3"})
    job = job.json()["id"]
    done = client("logs", job)
    assert (done.returncode, done.out, done.err) == (0, "one\nthree\n", "two\n")
    done = client("logs", "--no-follow", job)
    assert (done.returncode, done.out, done.err) == (0, "one\nthree\n", "two\n")
    long = server.http.post("/v1/jobs", json={"kind": "shell", "code": "echo up; sleep 600"}).json()["id"]
    process = subprocess.Popen([ATOLL, "logs", long], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"up\n"
    server.http.post(f"/v1/jobs/{long}/cancel")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0 and b"cancelled" in err
    session = server.session()
    process = server.http.post(f"/v1/sessions/{session}/processes", json={"command": "echo one; echo two >&2; sleep 1; echo three"})
    process = process.json()["id"]
    done = client("logs", "-f", session, process)
    assert (done.returncode, done.out, done.err) == (0, "one\nthree\n", "two\n")
    done = client("logs", "--no-follow", session, process)
    assert (done.returncode, done.out, done.err) == (0, "one\nthree\n", "two\n")
    done = client("logs", session)
    assert done.returncode == 125 and "name a process too" in done.err
    done = client("logs", session, "p-none")
    assert done.returncode == 125 and "p-none" in done.err
    done = client("logs", "no-such-job")
    assert done.returncode == 125 and "no-such-job" in done.err


def test_top(client, session):
    done = client("top", "--once")
    assert done.returncode == 0
    assert done.out.splitlines()[0].split() == ["SESSION", "STATE", "MEMORY", "CPU", "PROCESSES", "IDLE"]
    row = next(line for line in done.out.splitlines() if line.startswith(session))
    assert len(row) <= 80
    name = f"top-{os.getpid()}"
    named = client("new", "--name", name).out.strip()
    shown = client("top", "--once").out
    assert any(line.startswith(name + " ") for line in shown.splitlines()) and named not in shown
    found = {one["id"]: one for one in json.loads(client("top", "--json").out)["sessions"]}
    if os.geteuid() == 0:
        assert found[session]["usage"]["memory_bytes"] > 0
    assert client("top").returncode == 0  # not a terminal: once


# ---- What people hear when something is wrong ----

@pytest.mark.parametrize("words, status, says", [
    (("exec", "s-none", "-c", "1"), 125, "there is no session s-none"),
    (("run", "--session", "s-none", "-c", "1"), 125, "there is no session s-none"),
    (("exec", "../x", "--", "ls"), 125, "there is no session"),
    (("exec", "s"), 2, "say what to run"), (("exec", "s", "-c", "1", "--", "ls"), 2, "not both"),
    (("exec", "s", "-t", "-c", "1"), 2, "--terminal"),
    (("logs", "-f", "--no-follow", "j"), 2, "--follow"), (("cp", "s:/a", "b", "--max-size", "lots"), 2, "--max-size"),
    (("exec", "s", "-l", "cobol", "-c", "1"), 2, "cobol"), (("exec",), 2, "session"), (("rm",), 2, "name a session"),
    (("new", "--memory", "lots"), 2, "--memory"), (("new", "--env", "X"), 2, "NAME=VALUE"),
    (("new", "--cpus=-1"), 2, "--cpus"), (("ls", "--state", "odd"), 2, "hot"), (("cp", "-", "s:/session/"), 2, "name of a file"),
    (("new", "--lifetime", "soon"), 2, "lifetime"), (("new", "--template", "none-such"), 125, "none-such"),
    (("cp", "a", "b"), 2, "ID:/path"), (("cp", "s:/a", "t:/b"), 2, "ID:/path"), (("cp", "s:a", "b"), 125, "there is no session s"),
    (("cp", ":/a", "b"), 2, "no session"), (("cp", "/no/such/file", "s:/session/"), 125, "No such file")])
def test_wrong_words(client, words, status, says):
    done = client(*words)
    assert done.returncode == status and says in done.err and done.out == "", (done.returncode, done.err)


@pytest.mark.parametrize("words", [("ls",), ("new",), ("rm", "s"), ("exec", "s", "-c", "1"), ("logs", "j"),
                                   ("top", "--once"), ("cp", "s:/a", "out")])
def test_no_server(words, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ATOLL_URL", "http://127.0.0.1:1")
    done = atoll(*words)
    assert done.returncode == 125 and b"no server answers at http://127.0.0.1:1" in done.stderr
    assert b"atoll serve" in done.stderr and list(tmp_path.iterdir()) == []


def test_no_server_is_said_once(monkeypatch):
    monkeypatch.setenv("ATOLL_URL", "http://127.0.0.1:1")
    done = atoll("rm", "s-1", "s-2", "s-3")
    assert done.returncode == 125 and len(done.stderr.splitlines()) == 1, done.stderr


@pytest.mark.parametrize("url", ["nonsense", "ftp://127.0.0.1", "file:///etc/passwd", "http://"])
def test_no_address(url, monkeypatch):
    monkeypatch.setenv("ATOLL_URL", url)
    done = atoll("ls")
    assert done.returncode in (2, 125) and b"atoll:" in done.stderr and b"root:" not in done.stdout


class Other(http.server.BaseHTTPRequestHandler):
    """A server that is none of ours, and one whose files stand in for those of a session."""
    files: dict = {}
    seen: list = []
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="application/json", length=None):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def do_GET(self):
        self.seen.append((self.command, self.path, self.headers.get("Authorization")))
        if self.path.startswith("/v1/sessions?"):
            if self.headers.get("Authorization") != "Bearer good":
                return self.answer(401, b'{"detail": "who are you?"}', "application/problem+json")
            return self.answer(200, b"<html>not ours</html>", "text/html")
        name = self.path.partition("/files/")[2]
        if name == "session/cut":
            return self.answer(200, b"half", "application/octet-stream", 1000)
        if name not in self.files:
            return self.answer(404, b'{"detail": "there is no such file"}', "application/problem+json")
        self.answer(200, self.files[name], "application/octet-stream")

    def do_HEAD(self):
        if self.path.endswith("/locked"):
            self.send_response(401)
            self.end_headers()
        else:
            self.send_error(501)

    def do_PUT(self):
        size = int(self.headers["Content-Length"])
        self.files[self.path.partition("/files/")[2]] = self.rfile.read(size)
        self.answer(200, b"{}")


@pytest.fixture
def other(monkeypatch):
    Other.files, Other.seen = {}, []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Other)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("ATOLL_URL", f"http://127.0.0.1:{server.server_port}/")
    yield Other
    server.shutdown()
    server.server_close()


def test_keys_and_strangers(other, monkeypatch):
    monkeypatch.delenv("ATOLL_API_KEY", raising=False)
    done = atoll("ls")
    assert done.returncode == 125 and b"set ATOLL_API_KEY" in done.stderr
    monkeypatch.setenv("ATOLL_API_KEY", "wrong")
    done = atoll("ls")
    assert done.returncode == 125 and b"does not know the key" in done.stderr and b"wrong" not in done.stderr
    assert b"(who are you?)" in done.stderr
    done = atoll("cp", "s:/locked", "there")  # asked for without a body, so there is no reason to quote
    assert done.returncode == 125 and done.stderr.endswith(b"does not know the key in ATOLL_API_KEY\n")
    monkeypatch.setenv("ATOLL_API_KEY", "")
    assert b"set ATOLL_API_KEY" in atoll("ls").stderr
    monkeypatch.setenv("ATOLL_API_KEY", "good")
    done = atoll("ls")
    assert done.returncode == 125 and b"is that an Atoll server" in done.stderr
    assert [one[2] for one in other.seen] == [None, "Bearer wrong", None, "Bearer good"]


def test_copies_by_the_shape_of_the_routes(other, tmp_path, monkeypatch):
    """A copy is whole or not there. Names have any characters."""
    monkeypatch.chdir(tmp_path)
    content = os.urandom(3 << 20)
    (tmp_path / "a b%#?é.bin").write_bytes(content)
    assert atoll("cp", "a b%#?é.bin", "s-1:/session/").returncode == 0
    assert other.files == {"session/a%20b%25%23%3F%C3%A9.bin": content}
    assert atoll("cp", "./a b%#?é.bin", "s-1:/data/x:y").returncode == 0
    assert other.files["data/x%3Ay"] == content
    assert atoll("cp", "s-1:/data/x:y", "./back").returncode == 0 and (tmp_path / "back").read_bytes() == content
    (tmp_path / "folder").mkdir()
    assert atoll("cp", "s-1:/data/x:y", "folder").returncode == 0
    assert (tmp_path / "folder" / "x:y").read_bytes() == content
    assert atoll("cp", "s-1:/data/x:y", "-").stdout == content
    (tmp_path / "empty").touch()
    assert atoll("cp", "empty", "s-1:/session/empty").returncode == 0 and other.files["session/empty"] == b""
    (tmp_path / "target").write_text("old")
    for name, says in [("cut", b"broke"), ("none", b"no such file")]:
        done = atoll("cp", f"s-1:/session/{name}", "target")
        assert done.returncode == 125 and says in done.stderr, done.stderr
    assert (tmp_path / "target").read_text() == "old"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a b%#?é.bin", "back", "empty", "folder", "target"]


def test_from_stdin_and_as_people_type_it(client, session, tmp_path):
    content = os.urandom(1 << 20)
    assert client("cp", "-", f"{session}:/session/piped", stdin=content).returncode == 0
    assert atoll("cp", f"{session}:/session/piped", "-").stdout == content
    with open(tmp_path / "empty", "wb"), open(tmp_path / "empty", "rb") as empty:
        assert client("cp", "-", f"{session}:/session/empty", stdin=empty).returncode == 0
    assert client("exec", session, "wc", "-c", "/session/empty").out.split()[0] == "0"
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a").write_text("a")
    assert client("cp", "-r", str(tmp_path / "folder"), f"{session}:/session/").returncode == 0
    assert client("exec", session, "cat", "/session/folder/a").out == "a"


def test_columns_of_names_that_are_wide(client, server):
    """A Chinese character takes two columns; what follows stands below its head all the same."""
    made = [client("new", "--name", name).out.strip() for name in ("出租车数据", "plain")]
    lines = client("ls").out.splitlines()
    rows = [next(line for line in lines if line.startswith(one)) for one in made]

    def column(row):
        return sum(2 if ord(c) > 0x2E80 else 1 for c in row[:row.index(" hot ") + 1])
    assert column(rows[0]) == column(rows[1])


@pytest.mark.parametrize("cols", [60, 30, 8])
def test_progress_stays_in_one_row(other, tmp_path, monkeypatch, cols):
    monkeypatch.chdir(tmp_path)
    name = "a-name-that-is-long-" * 4
    (tmp_path / name).write_bytes(b"x" * (4 << 20))
    master, slave = os.openpty()
    termios.tcsetwinsize(slave, (24, cols))
    done = subprocess.run([ATOLL, "cp", name, "s:/session/a"], stdin=subprocess.DEVNULL, stderr=slave, timeout=60)
    text = os.read(master, 65536).decode()
    os.close(slave)
    os.close(master)
    assert done.returncode == 0
    rows = [row.removesuffix("\r\n") for row in text.split("\r\x1b[K")[1:]]
    assert rows and all(0 < len(row) < cols for row in rows), rows
    assert all("%" in row for row in rows)  # whatever else gives way


def test_progress_is_for_terminals(other, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_bytes(b"x" * (4 << 20))
    assert atoll("cp", "a", "s:/session/a").stderr == b""
    master, slave = os.openpty()
    done = subprocess.run([ATOLL, "cp", "a", "s:/session/a"], stdin=subprocess.DEVNULL, stderr=slave, timeout=60)
    os.close(slave)
    assert done.returncode == 0
    text = b""
    until = time.monotonic() + 10
    while b"100 %" not in text and time.monotonic() < until:
        text += os.read(master, 4096)
    os.close(master)
    assert b"100 %" in text and b"4 MiB" in text
