"""The terminal over a WebSocket: a real pty, its size, its signals, and clients that misbehave."""

import json
import re
import time

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect


@pytest.fixture(scope="module")
def session(server):
    return server.session()


def open_terminal(server, session, query="", **options):
    url = server.url.replace("http", "ws") + f"/v1/sessions/{session}/terminal{query}"
    return connect(url, compression=None, max_size=None, **options)


class Screen:
    """What came so far, and waiting for more."""

    def __init__(self, socket):
        self.socket, self.text, self.notes = socket, "", []

    def until(self, pattern, timeout=20):
        end = time.monotonic() + timeout
        while not re.search(pattern, self.text):
            try:
                message = self.socket.recv(timeout=max(0.01, end - time.monotonic()))
            except TimeoutError:
                raise AssertionError(f"no {pattern!r} in {self.text[-2000:]!r}") from None
            if isinstance(message, bytes):
                self.text += message.decode(errors="replace")
            else:
                self.notes.append(json.loads(message))
        found = re.search(pattern, self.text)
        self.text = self.text[found.end():]
        return found

    def to_the_end(self):
        try:
            while True:
                message = self.socket.recv(timeout=20)
                if isinstance(message, bytes):
                    self.text += message.decode(errors="replace")
                else:
                    self.notes.append(json.loads(message))
        except ConnectionClosed as closed:
            return closed.rcvd


def processes(server, session, pattern):
    return server.run(session, f"pgrep -fc '{pattern}' || true", language="shell")["stdout"].strip()


def until_gone(server, session, pattern):
    until = time.monotonic() + 30
    while processes(server, session, pattern) != "0":
        assert time.monotonic() < until, "it is still there"
        time.sleep(0.2)


def test_a_shell_with_a_size(server, session):
    with open_terminal(server, session, "?rows=33&cols=101&cwd=/tmp") as socket:
        screen = Screen(socket)
        socket.send(b"tty; stty size; pwd; echo $TERM-$((6*7))\n")
        screen.until(r"/dev/pts/\d+\r\n33 101\r\n/tmp\r\nxterm-256color-42")
        socket.send(json.dumps({"resize": {"rows": 50, "cols": 132}}))
        socket.send(b"stty size; echo o''k\n")
        screen.until(r"50 132\r\nok")
        socket.send(b"trap 'echo size $(stty size)' WINCH; echo se''t\n")
        screen.until("set\r\n")
        socket.send(json.dumps({"resize": {"rows": 20, "cols": 40}}))
        time.sleep(0.2)
        socket.send(b"\n")
        screen.until("size 20 40")
        socket.send("exit 7\n".encode())
        closed = screen.to_the_end()
        assert screen.notes == [{"ended": {"exit_code": 7, "signal": 0, "reason": "exited"}}]
        assert closed.code == 1000


def test_ctrl_c_and_ctrl_d(server, session):
    with open_terminal(server, session) as socket:
        screen = Screen(socket)
        socket.send(b"echo be''gin; sleep 600\n")
        screen.until("begin\r\n")
        time.sleep(0.3)
        socket.send(b"\x03")
        socket.send(b"echo status $?\n")
        screen.until("status 130")
        screen.until(r"\$ ")  # at the prompt: before it, the end of the input is nobody's
        socket.send(b"\x04")
        assert screen.to_the_end().code == 1000
        assert screen.notes[-1]["ended"]["exit_code"] in (0, 130)


def test_a_command_in_place_of_the_shell(server, session):
    with open_terminal(server, session, "?command=test%20-t%201%20%26%26%20echo%20terminal%3B%20kill%20-9%20%24%24") as socket:
        screen = Screen(socket)
        assert screen.to_the_end().code == 1000
        assert screen.text == "terminal\r\n"
        assert screen.notes == [{"ended": {"exit_code": 137, "signal": 9, "reason": "signalled"}}]


def streams(socket):
    """All that a program without a terminal wrote, and the last note."""
    seen, notes = {1: b"", 2: b""}, []
    try:
        while True:
            message = socket.recv(timeout=20)
            if isinstance(message, bytes):
                seen[message[0]] += message[1:]
            else:
                notes.append(json.loads(message))
    except ConnectionClosed as closed:
        return seen[1], seen[2], notes, closed.rcvd.code


def test_without_a_terminal_bytes_stay_as_they_are(server, session):
    query = "?pty=false&command=test%20-t%200%20%7C%7C%20cat%3B%20printf%20'%5C377'%20%3E%262%3B%20exit%205"
    with open_terminal(server, session, query) as socket:
        content = bytes(range(256)) * 3000
        for at in range(0, len(content), 100_000):
            socket.send(content[at:at + 100_000])
        socket.send(json.dumps({"resize": {"rows": 5, "cols": 5}}))  # means nothing here
        socket.send(json.dumps({"end_input": True}))
        socket.send(json.dumps({"end_input": True}))
        out, err, notes, code = streams(socket)
        assert out == content and err == b"\xff" and code == 1000
        assert notes == [{"ended": {"exit_code": 5, "signal": 0, "reason": "exited"}}]


def test_a_time_for_the_program(server, session):
    with open_terminal(server, session, "?pty=false&timeout=300ms&command=sleep%2060") as socket:
        assert streams(socket)[2][-1]["ended"]["reason"] == "timeout"
    with open_terminal(server, session, "?timeout=300ms&command=sleep%2060") as socket:
        screen = Screen(socket)
        screen.to_the_end()
        assert screen.notes[-1]["ended"]["reason"] == "timeout"


def test_input_after_its_end(server, session):
    with open_terminal(server, session, "?pty=false&command=cat") as socket:
        socket.send(b"before")
        socket.send(json.dumps({"end_input": True}))
        socket.send(b"after")
        out, _, notes, _ = streams(socket)
        assert out == b"before" and notes[-1]["ended"]["exit_code"] == 0


@pytest.mark.parametrize("goodbye, typed", [
    (True, b"sleep 76543 & (exec -a front-76543 sleep 300)\n"),
    (False, b"sleep 76543 & (exec -a front-76543 sleep 300)\n"),
    (False, b"trap '' HUP; sleep 76543 & exec -a front-76543 sleep 300\n"),  # will not hear the hang-up
])
def test_a_client_that_leaves_ends_the_shell(server, session, goodbye, typed):
    with open_terminal(server, session) as socket:
        socket.send(typed)
        until = time.monotonic() + 20
        while processes(server, session, "^front-76543") == "0":
            assert time.monotonic() < until
            time.sleep(0.1)
        if goodbye:
            socket.close()
        else:
            socket.socket.shutdown(2)
    until_gone(server, session, "^sleep 76543|^front-76543")


def test_a_slow_reader_does_not_grow_the_server(server, session):
    def resident():
        for line in open(f"/proc/{server.process.pid}/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1]) << 10
    with open_terminal(server, session, "?command=yes%20flood", max_queue=1, close_timeout=1) as socket:
        socket.recv(timeout=20)
        before = resident()
        time.sleep(2)  # nothing is read meanwhile
        assert resident() - before < 8 << 20
        assert server.http.get("/healthz").status_code == 200
        took = 0
        while took < 4 << 20:  # it goes on where it was
            took += len(socket.recv(timeout=20))
    until_gone(server, session, "^yes flood")


def test_much_input_arrives(server, session):
    with open_terminal(server, session, "?command=stty%20raw%20-echo%3B%20echo%20ready%3B%20head%20-c%20300000%20%7C%20md5sum") as socket:
        import hashlib
        data = bytes(range(33, 127)) * 3200
        screen = Screen(socket)
        screen.until("ready")
        for at in range(0, 300_000, 10_000):
            socket.send(data[at:at + 10_000])
        screen.until(hashlib.md5(data[:300_000]).hexdigest())


def test_a_restart_closes_it(server):
    session = server.session()
    with open_terminal(server, session) as socket:
        screen = Screen(socket)
        socket.send(b"echo he''re\n")
        screen.until("here")
        assert server.http.post(f"/v1/sessions/{session}/restart").status_code == 200
        assert screen.to_the_end().code == 1001
        assert screen.notes[-1]["ended"]["reason"] == "sandbox"


@pytest.mark.parametrize("text, says", [
    ("{", "line 1"), ("[]", "object"), ('{"resize": {"rows": 0, "cols": 5}}', "rows"), ('{"resize": {"rows": 5}}', "cols"),
    ('{"resise": {}}', "resise"), ('{"resize": {"rows": 99999999999, "cols": 5}}', "rows"), ("x" * 5000, ""),
])
def test_bad_control_messages_change_nothing(server, session, text, says):
    with open_terminal(server, session, "?rows=10&cols=20") as socket:
        screen = Screen(socket)
        socket.send(text)
        socket.send(b"stty size\n")
        screen.until(r"10 20\r\n")
        assert len(screen.notes) == 1 and says in screen.notes[0]["error"]


@pytest.mark.parametrize("query, status, says", [
    ("?rows=0", 400, "rows"), ("?rows=x", 400, "rows"), ("?cols=70000", 400, "cols"), ("?cwd=/nowhere", 404, "/nowhere"),
    ("?colour=1", 400, "colour"), ("?command=", 400, "command"),
])
def test_bad_parameters(server, session, query, status, says):
    with pytest.raises(InvalidStatus) as refused, open_terminal(server, session, query):
        pass
    assert refused.value.response.status_code == status and says in refused.value.response.body.decode()


def test_without_websocket_and_without_session(server, session):
    answer = server.http.get(f"/v1/sessions/{session}/terminal")
    assert answer.status_code == 426 and answer.headers["upgrade"] == "websocket"
    with pytest.raises(InvalidStatus) as refused, open_terminal(server, "s-nothing"):
        pass
    assert refused.value.response.status_code == 404


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
def test_pages_of_others_get_no_terminal(server, session, origin):
    with pytest.raises(InvalidStatus) as refused, open_terminal(server, session, additional_headers={"Origin": origin}):
        pass
    assert refused.value.response.status_code == 403


def test_a_message_that_is_too_large_closes_it(server, session):
    with open_terminal(server, session) as socket:
        screen = Screen(socket)
        socket.send(b"echo he''re\n")
        screen.until("here")
        socket.send(b"x" * (2 << 20))
        assert screen.to_the_end().code == 1009
    assert server.run(session, "print(1)")["stdout"] == "1\n"
