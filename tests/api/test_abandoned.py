"""F3: clients that leave a watch or a download at each moment of it: no program, descriptor, lock or session is kept for them."""

import re
import socket

import pytest
from harness.host import eventually
from harness.server import Server

pytestmark = pytest.mark.once

WITHIN_S = 60
MEGABYTES = 48  # more than all buffers on the way hold


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("server"))
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def session(server):
    made = server.session()
    server.run(made, f"""
import os
os.makedirs('/session/many')
for i in range(200):
    with open(f'/session/many/{{i}}', 'wb') as file: file.write(os.urandom(50_000))
with open('/session/large', 'wb') as file: file.write(os.urandom({MEGABYTES} << 20))
""")
    return made


WAYS = {
    "file": "files/session/large",
    "range": "files/session/large?download=true",
    "tar": "files/session?archive=tar",
    "zip": "files/session?archive=zip",
    "tar.zst": "files/session/many?archive=tar.zst",
    "watch": "watch?path=/session&recursive=true",
}


class Leaver:
    """A client that has asked, takes next to nothing, and goes."""

    def __init__(self, server, path, **headers):
        host, port = server.url.removeprefix("http://").split(":")
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
        self.socket.settimeout(60)
        self.socket.connect((host, int(port)))
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n".encode())

    def read(self, bytes_):
        got = b""
        while len(got) < bytes_ and (piece := self.socket.recv(bytes_ - len(got))):
            got += piece
        return got

    def read_until(self, word):
        got = b""
        while word not in got and (piece := self.socket.recv(4096)):
            got += piece
        return word in got

    def leave(self, how):
        if how == "resets":
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()


def watching(server, path):
    """A client of a watch. Other tests may have taken all inotify instances of this user for a while."""
    def tried():
        one = Leaver(server, path)
        if one.read(len("HTTP/1.1 200")) == b"HTTP/1.1 200":
            return one
        one.leave("closes")
        return None
    return eventually(tried, 120)


# Nothing; the first byte of the head; all of the head and some of the body; a good part of it.
MOMENTS = {"asked": 0, "answered": 1, "begun": 2000, "amid": 3 << 20}


def free(server, session):
    """Nobody uses it, and nobody has it locked: it goes to disk."""
    answer = server.http.post(f"/v1/sessions/{session}/evict")
    assert answer.status_code in (200, 409), answer.text
    return answer.status_code == 200


def programs(server, session):
    """Those that pack are started for it, and end with it."""
    listed = server.run(session, "ps -e -o comm= | sort | tr '\\n' ' '", language="shell")["stdout"]
    return re.sub(r"\b(ps|sort|tr|bash|sh)\b ?", "", listed)


@pytest.mark.parametrize("how", ["closes", "resets"])
@pytest.mark.parametrize("way", WAYS)
def test_f3_left_behind(server, session, way, how):
    path = f"/v1/sessions/{session}/{WAYS[way]}"
    headers = {"Range": "bytes=1000-"} if way == "range" else {}
    before_programs = programs(server, session)
    assert eventually(lambda: free(server, session), WITHIN_S)
    server.run(session, "1")
    before = server.sockets()
    for moment, bytes_ in MOMENTS.items():
        if way == "tar.zst":
            bytes_ = min(bytes_, 1 << 20)
        is_watch = way == "watch" and bytes_ > 0
        leavers = [watching(server, path) if is_watch else Leaver(server, path, **headers) for _ in range(3)]
        for one in leavers:
            # A watch says one thing, and then nothing until a file changes.
            if is_watch:
                assert bytes_ == 1 or one.read_until(b"watching"), moment
            else:
                assert len(one.read(bytes_)) == bytes_, moment
        if bytes_ > 0:
            assert not free(server, session), f"{moment}: nobody uses it, so this shows nothing"
        for one in leavers:
            one.leave(how)
        assert eventually(lambda: free(server, session), WITHIN_S), f"{moment}: somebody still uses it"
        assert programs(server, session) == before_programs, moment  # and it is awake again
        assert eventually(lambda: server.sockets() <= before, WITHIN_S), moment
    assert server.run(session, "import os; print(len(os.listdir('/session/many')))")["stdout"] == "200\n"


def test_a_watch_whose_client_reads_late(server, session):
    """Changes pile up inside; then they come in bursts, for which the guest has no more credit than for others."""
    late = watching(server, f"/v1/sessions/{session}/watch?path=/session&recursive=true")
    assert late.read_until(b"watching")
    code = "y = 5\nfor i in range(100_000): open(f'/session/many/{i % 200}', 'r+b').write(b'x')"
    assert server.run(session, code)["exit_code"] == 0
    assert len(late.read(1 << 20)) == 1 << 20
    assert server.run(session, "print(y)")["stdout"] == "5\n"
    late.leave("closes")
    assert eventually(lambda: free(server, session), WITHIN_S)


def test_f3_a_watch_whose_client_left_while_much_changed(server, session):
    """It does not read, the events pile up in the guest, and then it goes."""
    server.run(session, "1")  # awake, as it is at the end
    before = server.sockets()
    leaver = watching(server, f"/v1/sessions/{session}/watch?path=/session&recursive=true")
    assert leaver.read_until(b"watching")
    code = "for i in range(20_000): open(f'/session/many/{i % 200}', 'r+b').write(b'x')"
    assert server.run(session, code)["exit_code"] == 0
    assert not free(server, session)
    leaver.leave("resets")
    assert eventually(lambda: free(server, session), WITHIN_S)
    server.run(session, "1")
    assert eventually(lambda: server.sockets() <= before, WITHIN_S)
