"""The server against clients that mean harm: slow, huge, many, malformed (rows R8 and A5), over raw sockets."""

import json
import resource
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from harness.host import memory_of
from harness.server import Server

pytestmark = pytest.mark.once

HOST = b"Host: localhost\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("server"), environment={"ATOLL_HEADER_TIMEOUT": "1s",
                                                                     "ATOLL_CONNECTIONS_PER_ADDRESS": "700"})
    yield running
    assert running.stop() == 0


def connect(server) -> socket.socket:
    host, port = server.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=30)


def everything(one: socket.socket) -> bytes:
    said = b""
    try:
        while piece := one.recv(65536):
            said += piece
    except ConnectionError:
        pass
    return said


def statuses(said: bytes) -> list[int]:
    return [int(part[:3]) for part in said.split(b"HTTP/1.1 ")[1:]]


def ask(server, text: bytes) -> list[int]:
    """Sends it all, hangs up its half, and says how often what was answered."""
    with connect(server) as one:
        try:
            one.sendall(text)
            one.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it was refused before all was sent
        return statuses(everything(one))


def still_serves(server):
    assert server.http.get("/healthz").status_code == 200
    assert server.http.post("/v1/run", json={"code": "print(1)"}).json()["stdout"] == "1\n"


# ---- R8 --------------------------------------------------------------------------------------------------------------


def test_r8_slow_loris(server):
    """A hundred clients that never finish their heads; others are served meanwhile, and they are told to go."""
    slow = [connect(server) for _ in range(100)]
    for one in slow:
        one.sendall(b"GET /healthz HTTP/1.1\r\n" + HOST)
    until, told = time.monotonic() + 40, 0
    while told < len(slow):
        assert server.http.get("/healthz").status_code == 200
        assert time.monotonic() < until, told
        for one in list(slow):
            try:
                one.sendall(b"X-Slow: 1\r\n")
            except OSError:
                pass
        told = sum(not one.fileno() < 0 and ended(one) for one in slow)
        time.sleep(0.25)
    for one in slow:
        one.close()
    still_serves(server)


def ended(one: socket.socket) -> bool:
    """Whether the server has answered or hung up, without taking it away."""
    one.setblocking(False)
    try:
        seen = one.recv(64, socket.MSG_PEEK)
        return seen == b"" or seen.startswith(b"HTTP/1.1 408")
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
    finally:
        one.setblocking(True)


@pytest.mark.parametrize("head, status", [
    (b"X-Huge: " + b"a" * 100_000 + b"\r\n", {431, 413, 400}),
    (b"".join(b"X-%d: 1\r\n" % i for i in range(500)), {431, 413, 400}),
    (b"Cookie: " + b"a=b; " * 20_000 + b"\r\n", {431, 413, 400}),
])
def test_r8_oversized_heads(server, head, status):
    (said,) = ask(server, b"GET /healthz HTTP/1.1\r\n" + HOST + head + b"\r\n")
    assert said in status
    (said,) = ask(server, b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n")
    assert said in {414, 431, 413, 400}
    still_serves(server)


def test_r8_ten_gigabytes_are_refused_before_they_come(server):
    began = time.monotonic()
    with connect(server) as one:
        one.sendall(b"POST /v1/run HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"
                    b"Content-Length: 10737418240\r\n\r\n{")
        head = one.recv(4096)
    assert statuses(head) == [413] and time.monotonic() - began < 20
    with connect(server) as one:  # the same without saying so: chunks without end
        one.sendall(b"POST /v1/run HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n")
        sent = 0
        try:
            while sent < 64 << 20:
                one.sendall(b"100000\r\n" + b"x" * (1 << 20) + b"\r\n")
                sent += 1 << 20
        except OSError:
            pass
        assert sent < 64 << 20 and statuses(everything(one)) in ([413], [])
    still_serves(server)


def test_r8_many_idle_event_streams(server):
    """Streams that nobody reads much from cost little and keep nobody else out."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    session = server.session()
    before = memory_of(server.process.pid)
    body = json.dumps({"code": "import time; time.sleep(600)"}).encode()
    request = (b"POST /v1/sessions/%s/run HTTP/1.1\r\n" % session.encode() + HOST + b"Accept: text/event-stream\r\n"
               b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    waiting = []
    try:
        for _ in range(300):  # one runs, the others wait for the same kernel
            one = connect(server)
            one.sendall(request)
            waiting.append(one)
        assert b"text/event-stream" in waiting[0].recv(4096)
        still_serves(server)
        grown = memory_of(server.process.pid) - before
        assert grown < 300 * 256 * 1024, f"{grown / 300} bytes a stream"
    finally:
        for one in waiting:
            one.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    server.http.delete(f"/v1/sessions/{session}")
    still_serves(server)


def test_r8_more_connections_than_one_address_may_have(server):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    held = []
    try:
        with httpx.Client(base_url=server.url, timeout=30) as client:
            assert client.get("/healthz").status_code == 200  # keeps its connection
            for _ in range(800):
                held.append(connect(server))
            assert client.get("/healthz").status_code == 200
            refused = sum(one in (503,) for held_one in held[-50:] for one in statuses(peek(held_one)))
            assert refused > 0
    finally:
        for one in held:
            one.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    until = time.monotonic() + 30
    while True:
        try:
            still_serves(server)
            break
        except (httpx.HTTPError, AssertionError, KeyError):
            assert time.monotonic() < until
            time.sleep(0.1)


def peek(one: socket.socket) -> bytes:
    one.settimeout(0.5)
    try:
        return one.recv(4096)
    except OSError:
        return b""


# ---- A5 --------------------------------------------------------------------------------------------------------------

POST = b"POST /v1/run HTTP/1.1\r\n" + HOST
GOOD = json.dumps({"code": "print(1)"}).encode()


@pytest.mark.parametrize("body", [
    b"", b"{", b"}", b"null", b"[]", b'"x"', b"1", b"{'code': '1'}", b'{"code": "1",}', b'{"code": "1"} x',
    b'{"code": "1", "code": "2"}', b'{"code": "\xff\xfe"}', b'{"code": "\xed\xa0\x80"}', b'{"code": "\\ud800"}',
    b'{"code": NaN}', b'{"timeout": 1e999, "code": "1"}', b'{"code": "1", "limits": {"cpus_max": -1}}',
    b"[" * 100_000, b'{"a":' * 100_000, b'{"code": "' + b"\\u0000" * 200_001 + b'"}', b"\xef\xbb\xbf{}", b"\x00" * 100,
    b'{"code": "1", "environment": {"": "x"}}', b'{"code": "1", "environment": {"A=B": "x"}}',
    b'{"code": "1", "environment": {"A": "\\u0000"}}', b'{"code": ["1"]}', b'{"code": "1", "language": "PYTHON"}'])
def test_a5_bodies_that_are_no_request(server, body):
    answer = server.http.post("/v1/run", content=body, headers={"Content-Type": "application/json"})
    assert 400 <= answer.status_code < 500, answer.text
    told = answer.json()
    assert answer.headers["content-type"].startswith("application/problem+json") and told["detail"]
    assert len(answer.content) < 20_000


def test_a5_a_hundred_megabytes_of_json(server):
    before = memory_of(server.process.pid)

    def pieces():
        yield b'{"code": "'
        for _ in range(100):
            yield b"x" * (1 << 20)
        yield b'"}'
    try:
        answer = server.http.post("/v1/run", content=pieces())
        assert answer.status_code == 413
    except httpx.TransportError:
        pass  # it stopped reading; that the rest came to nothing is what counts
    assert memory_of(server.process.pid) - before < 64 << 20
    still_serves(server)


@pytest.mark.parametrize("head", [
    b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    b"Content-Length: 5\r\nContent-Length: 6\r\n", b"Content-Length: 5, 5\r\n", b"Content-Length: -1\r\n",
    b"Content-Length: +5\r\n", b"Content-Length: 0x5\r\n", b"Content-Length: 99999999999999999999\r\n",
    b"Content-Length: 5 \r\nX: \x00\r\n", b"Transfer-Encoding: xchunked\r\n", b"Transfer-Encoding: chunked, identity\r\n",
    b"Transfer-Encoding: identity\r\n", b"Transfer-Encoding : chunked\r\n", b"Transfer-Encoding: chunked\r\n X: folded\r\n",
    b"Transfer-Encoding:\x0bchunked\r\n", b"Content-Length: 5\n X: 1\r\n"])
def test_a5_smuggling(server, head):
    """What another server could read as two requests is refused, and nothing behind it is carried out."""
    hidden = b"GET /v1/info HTTP/1.1\r\n" + HOST + b"\r\n"
    said = ask(server, POST + head + b"\r\n0\r\n\r\n" + hidden)
    assert len(said) == 1 and 400 <= said[0] < 502 and said[0] != 500, said
    still_serves(server)


@pytest.mark.parametrize("chunks", [
    b"5\r\nhello", b"5\r\nhello\r\n", b"ffffffffffffffff1\r\nx\r\n", b"-1\r\nx\r\n0\r\n\r\n", b"5;" + b"a" * 100_000 + b"\r\n",
    b"5\r\nhelloX\r\n0\r\n\r\n", b"g\r\nx\r\n0\r\n\r\n", b"\r\n\r\n", b"5 \r\nhello\r\n0\r\n\r\n", b"0\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
    b"1\nx\n0\n\n", b"1\r\nx\r\n" * 50_000])
def test_a5_chunks(server, chunks):
    said = ask(server, POST + b"Transfer-Encoding: chunked\r\n\r\n" + chunks)
    assert said == [] or (len(said) <= 2 and all(400 <= one < 500 for one in said)), said
    still_serves(server)


@pytest.mark.parametrize("text", [
    b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n" + HOST + b"\r\n", b"GET / HTTP/1.1\r\n\r\n", b"get / HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET  / HTTP/1.1\r\n" + HOST + b"\r\n", b"GET / HTTP/1.1\r\n" + HOST + HOST + b"\r\n", b"G\x00T / HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET http://evil.example/ HTTP/1.1\r\n" + HOST + b"\r\n", b"CONNECT evil.example:80 HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET /%00 HTTP/1.1\r\n" + HOST + b"\r\n", b"GET /%zz HTTP/1.1\r\n" + HOST + b"\r\n", b"GET /v1/sessions/..%2f..%2fetc HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET / HTTP/1.1\r\n" + HOST + b"Bad Header: 1\r\n\r\n", b"GET / HTTP/1.1\r\n" + HOST + b": none\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64,
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"TRACE / HTTP/1.1\r\n" + HOST + b"\r\n", b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n"])
def test_a5_heads(server, text):
    said = ask(server, text)
    assert all(400 <= one <= 505 and one not in (500, 502, 503) for one in said) and len(said) <= 1, said
    still_serves(server)


def test_a5_pipelined_requests_are_answered_in_order(server):
    text = b"".join(b"GET /v1/info HTTP/1.1\r\n" + HOST + b"X-Request-Id: r%d\r\n\r\n" % i for i in range(50))
    with connect(server) as one:
        one.sendall(text)
        one.shutdown(socket.SHUT_WR)
        said = everything(one)
    assert statuses(said) == [200] * 50
    found = [line.split(b": ")[1] for line in said.split(b"\r\n") if line.lower().startswith(b"x-request-id")]
    assert found == [b"r%d" % i for i in range(50)]


def test_a5_a_client_that_leaves_anywhere(server):
    """Cut off after every few bytes of a good request: no answer is wrong, nothing stays behind."""
    request = POST + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(GOOD) + GOOD

    def leave(at):
        with connect(server) as one:
            one.sendall(request[:at])
            if at % 2:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(leave, range(0, len(request), 3)))
    still_serves(server)
