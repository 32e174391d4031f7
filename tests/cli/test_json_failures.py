"""`--json` when something goes wrong: stdout holds one object with the error, for every command that has it."""
import json
import os
import signal
import subprocess

import pytest
from harness import host
from harness.cli import ATOLL, atoll

pytestmark = pytest.mark.once


def failure(done, status):
    """The one object on stdout; for people nothing is said besides."""
    assert done.returncode == status and done.stderr == b"", (done.returncode, done.stderr)
    assert done.stdout.count(b"\n") == 1
    whole = json.loads(done.stdout)
    assert set(whole) == {"error"}
    return whole["error"]


@pytest.mark.parametrize("words, status, code, http, says", [
    (("exec", "s-none", "--json", "-c", "1"), 125, "not_found", 404, "there is no session s-none"),
    (("run", "--session", "s-none", "--json", "-c", "1"), 125, "not_found", 404, "there is no session s-none"),
    (("new", "--json", "--template", "none-such"), 125, "not_found", 404, "none-such"),
    (("new", "--json", "--lifetime", "soon"), 2, "invalid_argument", 400, "lifetime"),
    (("bench", "stream", "t-none", "why?", "--json"), 125, "not_found", 404, "t-none")])
def test_what_a_server_refused(client, words, status, code, http, says):
    error = failure(client(*words), status)
    assert (error["code"], error["status"]) == (code, http) and says in error["message"]
    assert error["request_id"]


@pytest.mark.parametrize("words", [
    ("new", "--json", "--memory", "lots"), ("new", "--json", "--env", "X"), ("exec", "s", "--json"), ("exec", "s", "-t", "--json", "ls"),
    ("exec", "s", "--json", "-c", "1", "--", "ls"), ("exec", "s", "--json", "-l", "cobol", "-c", "1"),
    ("ls", "--json", "more"), ("ls", "--json", "--state", "odd"), ("top", "--json", "--interval", "0"),
    ("run", "--json", "--session", "s", "--memory", "1g", "-c", "1"), ("run", "--json", "--memory", "0", "-c", "1"),
    ("config", "--json", "--pool", "x"), ("key", "create", "--json", "--owner", "a b")])
def test_wrong_words(client, words):
    error = failure(client(*words), 2)
    assert error["code"] == "invalid_argument" and error["message"]
    assert "status" not in error and "request_id" not in error  # nobody was asked


@pytest.mark.parametrize("words", [("ls",), ("new",), ("exec", "s", "-c", "1"), ("top",),
                                   ("run", "--session", "s", "-c", "1")])
def test_no_server(words, monkeypatch):
    monkeypatch.setenv("ATOLL_URL", "http://127.0.0.1:1")
    error = failure(atoll(words[0], "--json", *words[1:]), 125)
    assert error["code"] == "unavailable" and "atoll serve" in error["message"] and "status" not in error


def test_a_file_that_is_not_there(tmp_path):
    error = failure(atoll("run", "--json", str(tmp_path / "none.py")), 2)
    assert error["code"] == "not_found" and "no such file" in error["message"]


def test_bytes_that_are_no_text(client):
    error = failure(client("exec", b"s-\xff\xfe", "--json", "-c", "1"), 125)
    assert error["code"] == "not_found"


def test_ctrl_c(client, session, tmp_path):
    process = subprocess.Popen([ATOLL, "exec", session, "--json", "-c",
                                "open('/session/up', 'w').close()\nimport time\ntime.sleep(600)"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        # A shell answers beside the run that is under way.
        assert client("exec", session, "--no-stdin", "-l", "shell", "-c",
                      "until test -e /session/up; do sleep 0.1; done").returncode == 0
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    assert process.returncode == 130 and err == b"" and json.loads(out)["error"]["code"] == "interrupted"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_build_that_is_stopped(tmp_path, number):
    """It ends by the signal, as ever, and has said so before."""
    installer = tmp_path / "uv"
    installer.write_text(f"#!/bin/sh\ntouch {tmp_path}/up\nexec sleep 600\n")
    installer.chmod(0o755)
    (tmp_path / "mine.json").write_text('{"python": {"packages": ["pandas"]}}')
    environment = {**os.environ, "ATOLL_DATA_DIR": str(tmp_path / "data"), "ATOLL_UV": str(installer)}
    # Whoever runs the tests may ignore the signal, as nohup does.
    process = subprocess.Popen([ATOLL, "template", "build", "--json", "mine", tmp_path / "mine.json"], env=environment,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    try:
        assert host.eventually((tmp_path / "up").exists)
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    assert process.returncode == -number and json.loads(out)["error"]["code"] == "interrupted"


def test_people_get_sentences(client):
    """And a word of the command behind `exec ID` is that command's, also this one."""
    done = client("exec", "s-none", "grep", "--json")
    assert done.returncode == 125 and done.out == "" and done.err == "atoll: there is no session s-none\n"
    done = client("ls", "more")
    assert done.returncode == 2 and done.out == "" and len(done.err.splitlines()) == 2
