"""`atoll mcp` as a program: what it says without a server, what it makes of its stdin."""

import json
import os
import subprocess

import pytest
from harness.cli import ATOLL, atoll
from harness.server import Server

pytestmark = pytest.mark.each_user

HELLO = {"jsonrpc": "2.0", "id": 0, "method": "initialize",
         "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}


class Program:
    def __init__(self, url, *words):
        self.process = subprocess.Popen([ATOLL, "mcp", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env={**os.environ, "ATOLL_URL": url})

    def send(self, message):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def hear(self) -> dict:
        return json.loads(self.process.stdout.readline())

    def ask(self, method, number=1, **params):
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return self.hear()

    def begin(self):
        self.send(HELLO)
        assert self.hear()["result"]["serverInfo"]["name"] == "atoll"
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self


@pytest.fixture
def start(server):
    begun = []

    def one(*words, url=server.url):
        begun.append(Program(url, *words))
        return begun[-1]
    yield one
    for program in begun:
        program.process.stdin.close()
        assert program.process.wait(60) == 0
        program.process.stdout.close()


def test_without_a_server_it_says_so():
    ended = atoll("mcp", env={**os.environ, "ATOLL_URL": "http://127.0.0.1:1"})
    assert ended.returncode == 125 and ended.stdout == b""
    assert b"start one with `atoll serve`, or set ATOLL_URL" in ended.stderr


def test_what_was_asked_before_the_end_of_stdin_is_answered(server):
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "code_sandbox", "arguments": {"code": "print('hi')"}}}
    lines = b"\n".join(json.dumps(one).encode() for one in (HELLO, call))
    done = atoll("mcp", stdin=lines + b"\n", env={**os.environ, "ATOLL_URL": server.url})
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and [one["id"] for one in answers] == [0, 1]
    assert answers[1]["result"]["content"] == [{"type": "text", "text": "hi"}]


def test_lines_that_are_no_messages(start):
    program = start().begin()
    for line, code in ((b"{", -32700), (b"[]", -32700), (b'{"jsonrpc":"2.0","id":3}', None),
                       (b'{"id":3,"method":"ping"}', -32000), (b"x" * (9 << 20), -32700)):
        program.send(line)
        if code is not None:
            assert program.hear()["error"]["code"] == code, line[:40]
    assert program.ask("ping", "last") == {"jsonrpc": "2.0", "id": "last", "result": {}}


def test_before_initialize_the_server_says_what_is_missing(start):
    answer = start().ask("tools/list")
    assert "initialize" in answer["error"]["message"]


def test_the_session_that_it_was_told(start, server):
    program = start("--session", "by-option").begin()
    program.ask("tools/call", name="run_python", arguments={"code": "here = 1"})
    told = server.http.post("/v1/tools/run_python", json={"session_id": "by-option", "code": "here"})
    assert told.json()["output"] == "1"


def test_a_server_that_was_restarted_is_greeted_again(tmp_path, start):
    server = Server(tmp_path)
    program = start(url=server.url).begin()
    assert not program.ask("tools/call", name="write_file", arguments={"path": "a", "content": "b"})["result"]["isError"]
    server.listen = server.url.removeprefix("http://")
    assert server.stop() == 0
    assert "error" in program.ask("ping")
    server.start()
    read = program.ask("tools/call", 2, name="read_file", arguments={"path": "a"})
    assert read["result"]["content"][0]["text"] == "b"
    assert server.stop() == 0


def test_a_signal_ends_it_with_what_runs(start, server):
    program = start().begin()
    code = "open('/session/started', 'w').close()\nimport time\ntime.sleep(3600)"
    program.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                  "params": {"name": "run_python", "arguments": {"session_id": "stopped", "code": code}}})
    while server.http.get("/v1/sessions/stopped/files/session/started").status_code != 200:
        assert program.process.poll() is None
    program.process.terminate()
    assert program.process.wait(60) == 0
    after = server.http.post("/v1/tools/run_python", json={"session_id": "stopped", "code": "6 * 7"})
    assert after.json()["output"] == "42"
