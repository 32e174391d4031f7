"""Slips of people who are new to the command line, or who know another: what they hear, and what works anyway."""
import json
import os
import re

import pytest

from harness import host
from harness.cli import atoll

pytestmark = pytest.mark.once


@pytest.mark.parametrize("words, says, says_not", [
    (("new", "--cpus", "0"), "--cpus: a session needs more than 0", "179769"),
    (("new", "--memory", "1"), "--memory", "memory_bytes_max"),
    (("run", "-m", "512", "-c", "1"), "did you mean 512m?", "memory_bytes_max"),
    (("exec", "s", "--timeout"), "needs a value", "required TEXT"),
    (("key",), "a command is missing", "subcommand"),
    (("completion", "tcsh"), "bash, zsh and fish", "sessions"),
    (("shell", "taxi"), "`atoll exec taxi`", "--help"),
    (("run", "x.ipynb"), "notebooks", "not clear"),
    (("cp", "s.sh", "taxi"), "did you mean taxi:?", "\x1b"),
    (("kill", "taxi"), "atoll kill SESSION PROCESS", "required"),
    (("exec", "-l", "rust", "s", "-c", "1"), '--language: "rust" is none of python, shell, javascript and typescript', "{"),
    (("ls", "--state", "wram"), '--state: "wram" is none of hot, warm, cold and failed', "{"),
])
def test_a_sentence_that_helps(client, tmp_path, monkeypatch, words, says, says_not):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.ipynb").write_text("{}")
    (tmp_path / "s.sh").write_text("echo")
    done = client(*words)
    assert done.returncode == 2 and says in done.err and says_not not in done.err and done.out == "", done.err


def test_https_where_http_is_spoken(client, server, monkeypatch):
    monkeypatch.setenv("ATOLL_URL", server.url.replace("http:", "https:"))
    done = client("ls")
    assert done.returncode == 125 and "begins with http://" in done.err, done.err


@pytest.mark.parametrize("words, same", [
    (("list",), ("ls",)), (("template", "ls"), ("template", "list")), (("help", "run"), ("run", "--help")),
    (("help",), ("--help",)), (("version",), ("--version",))])
def test_other_words_for_the_same(client, words, same):
    one, other = client(*words), client(*same)
    assert one.returncode == other.returncode == 0 and one.out.split() == other.out.split() and one.out


@pytest.mark.parametrize("how, signal", [(("-9",), 9), (("-KILL",), 9), (("-s", "9"), 9), (("--signal", "SIGUSR1"), 10),
                                         (("-s", "alrm"), 14), ((), 15)])
@pytest.mark.parametrize("first", [True, False])
def test_kill_takes_signals_as_people_write_them(client, session, how, signal, first):
    process = client("exec", "-d", session, "sleep", "600").out.strip()
    words = (*how, session, process) if first else (session, process, *how)
    assert client("kill", *words).returncode == 0
    assert client("logs", session, process).returncode == 0  # until it ends
    [one] = [one for one in json.loads(client("ps", "--json", session).out)["processes"] if one["id"] == process]
    assert one["signal"] == signal


def test_a_signal_that_is_none_is_quoted_as_typed(client, session):
    process = client("exec", "-d", session, "sleep", "600").out.strip()
    done = client("kill", session, process, "-s", "FooBar")
    assert done.returncode == 2 and "foobar" not in done.err, done.err
    assert client("kill", "-9", session, process).returncode == 0


def test_ps_shows_names(client):
    name = f"named-{os.getpid()}"
    session = client("new", "--name", name).out.strip()
    process = client("exec", "-d", name, "sleep", "600").out.strip()
    row = next(line for line in client("ps").out.splitlines() if process in line)
    assert row.startswith(name + " ") and session not in row
    assert client("rm", name).returncode == 0


def test_jobs_by_the_beginning_of_their_id(client, server):
    job = server.http.post("/v1/jobs", json={"kind": "shell", "code": "echo up; sleep 600"}).json()["id"]
    assert host.eventually(lambda: client("logs", "--no-follow", job[:12]).out == "up\n")
    done = client("kill", job)
    assert done.returncode == 2 and f"atoll cancel {job}" in done.err
    assert client("cancel", job[:12]).returncode == 0
    assert host.eventually(lambda: server.http.get(f"/v1/jobs/{job}").json()["state"] == "cancelled")
    done = client("cancel", "no-such-job")
    assert done.returncode == 125 and "no-such-job" in done.err
    done = client("logs", "p-abcdef")
    assert done.returncode == 125 and "is a process: name its session too" in done.err


def test_numbers_are_plain_decimals(client, session):
    for done in (client("exec", "--json", session, "-c", "1"), client("run", "--json", "-c", "1")):
        assert not re.search(r"\d[eE][-+]?\d", done.out), done.out
        assert all(value >= 0 for value in json.loads(done.out)["timings_ms"].values())
    found = json.loads(client("exec", "--json", session, "-c", "class A:\n"
                              "    def _repr_mimebundle_(self, include=None, exclude=None):\n"
                              "        return {'application/json': [0.1, 1e300, 1/3, 2.0, -0.04]}\nA()").out)
    assert found["results"][0]["data"]["application/json"] == [0.1, 1e300, 1 / 3, 2.0, -0.04]


def test_the_builtin_default_is_not_replaced_by_a_slip(tmp_path):
    file = tmp_path / "geo.json"
    file.write_text('{"python": {"packages": ["nothing-of-this-name"]}}')
    done = atoll("template", "build", "default", str(file))
    assert done.returncode == 2 and b"--replace-default" in done.stderr and b"building" not in done.stderr
    # In a folder without one, a file may say what it is.
    env = {**os.environ, "ATOLL_DATA_DIR": str(tmp_path / "data"), "UV_OFFLINE": "1"}
    file.write_text(json.dumps({"python": {"packages": [f"absent @ file://{tmp_path}/absent-1.0-py3-none-any.whl"]}}))
    done = atoll("template", "build", "default", str(file), env=env)
    assert done.returncode == 1 and b"building template default" in done.stderr


def test_a_slip_among_templates_removes_nothing():
    done = atoll("template", "rm", "default", "nope")
    assert done.returncode == 1 and b"template nope does not exist; nothing was removed" in done.stderr
    assert "default" in atoll("template", "list").stdout.decode().split()


def test_a_server_says_what_to_open_once_it_listens(server):
    log = (server.folder / "log").read_text()
    assert f"open {server.url}/, the API's documentation is at {server.url}/docs" in log


def test_a_second_server_is_told_of_the_first(server):
    done = atoll("serve", "--listen", "127.0.0.1:0", "--data-dir", str(server.folder / "data"), env=server.environment)
    assert done.returncode == 1, done.stderr
    assert f"an Atoll server is already running (process {server.process.pid})".encode() in done.stderr
