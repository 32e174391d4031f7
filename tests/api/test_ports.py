"""Web servers inside of sandboxes, seen from outside: HTTP, streams and WebSocket, and servers that are hostile."""

import hashlib
import json
import os
import socket as sockets
import threading
import time

import httpx
import pytest
from harness.server import Server
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

# A server of the guest's: `answer(connection, head)` is all that differs.
RAW = """
import socket, threading
listener = socket.create_server(("127.0.0.1", {port}))
{code}
def one(connection):
    head = b""
    while b"\\r\\n\\r\\n" not in head:
        piece = connection.recv(65536)
        if not piece: return
        head += piece
    try: answer(connection, head)
    except OSError: pass
    connection.close()
print("listening", flush=True)
while True:
    threading.Thread(target=one, args=(listener.accept()[0],), daemon=True).start()
"""

ECHO = """
import base64, hashlib, http.server, json, time
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def say(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items(): self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD": self.wfile.write(body)
    def do_GET(self):
        if self.path.startswith("/redirect"): return self.say(302, Location=self.path.partition("=")[2])
        if self.path == "/cookies":
            return self.say(200, b"x", Set_Cookie="a=b", Content_Security_Policy="default-src *",
                            Access_Control_Allow_Origin="*", Access_Control_Allow_Credentials="true",
                            WWW_Authenticate="Basic", Service_Worker_Allowed="/", Clear_Site_Data='"*"', X_Own="kept")
        if self.path == "/events":
            self.send_response(200); self.send_header("Content-Type", "text/event-stream"); self.end_headers()
            for i in range(10 ** 9):
                self.wfile.write(b"data: %d\\n\\n" % i); self.wfile.flush(); time.sleep(.1)
        if self.path.startswith("/big"):
            size = int(self.path.partition("=")[2])
            self.send_response(200); self.send_header("Content-Length", str(size)); self.end_headers()
            piece = bytes(range(256)) * 256
            while size:
                self.wfile.write(piece[:size]); size -= min(size, len(piece))
            return
        if self.path.startswith("/status"): return self.say(int(self.path.partition("=")[2]))
        self.do_POST()
    def do_POST(self):
        digest, size = hashlib.md5(), 0
        length = int(self.headers.get("Content-Length") or 0)
        if self.headers.get("Transfer-Encoding") == "chunked":
            while chunk := int(self.rfile.readline(), 16):
                digest.update(self.rfile.read(chunk)); self.rfile.readline(); size += chunk
            self.rfile.readline()
        while length:
            piece = self.rfile.read(min(length, 65536)); digest.update(piece); length -= len(piece); size += len(piece)
        body = json.dumps({"method": self.command, "path": self.path, "headers": dict(self.headers.items()),
                           "md5": digest.hexdigest(), "size": size}).encode()
        self.say(200, body, Content_Type="application/json")
    do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_POST
    do_HEAD = do_GET
http.server.ThreadingHTTPServer.request_queue_size = 128  # 5 are too few for test_many_at_once
server = http.server.ThreadingHTTPServer(("127.0.0.1", 8080), Handler)
server.daemon_threads = True
print("listening", flush=True)
server.serve_forever()
"""

SOCKETS = """
import base64, hashlib
def answer(connection, head):
    fields = dict(line.split(": ", 1) for line in head.decode().split("\\r\\n")[1:] if line)
    fields = {name.lower(): value for name, value in fields.items()}
    key = base64.b64encode(hashlib.sha1((fields["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
    connection.sendall(b"HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n"
                       b"Sec-WebSocket-Accept: " + key + b"\\r\\n\\r\\n")
    hello = ("origin " + fields.get("origin", "none") + " cookie " + fields.get("cookie", "none")).encode()
    connection.sendall(bytes([0x81, len(hello)]) + hello)
    reader = connection.makefile("rb")
    while True:
        first, second = reader.read(2)
        length = second & 127
        if length == 126: length = int.from_bytes(reader.read(2), "big")
        mask = reader.read(4)
        data = bytes(b ^ mask[i % 4] for i, b in enumerate(reader.read(length)))
        if first & 15 == 8: return connection.sendall(bytes([0x88, 2]) + data[:2])
        connection.sendall(bytes([0x80 | first & 15]) + (bytes([length]) if length < 126 else b"\\x7e" + length.to_bytes(2, "big")) + data)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("server"), "--ports-answer-timeout", "5")
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def session(server):
    made = server.session()
    listen(server, made, ECHO)
    return made


def listen(server, session, code):
    process = server.http.post(f"/v1/sessions/{session}/processes", json={"argv": ["python3", "-c", code]}).json()
    until = time.monotonic() + 30
    while True:
        output = server.http.get(f"/v1/sessions/{session}/processes/{process['id']}/output").json()
        if "listening" in output["stdout"]:
            return process["id"]
        assert output["state"] == "running" and time.monotonic() < until, output
        time.sleep(0.05)


def port(session, number=8080):
    return f"/v1/sessions/{session}/ports/{number}"


def resident(server):
    for line in open(f"/proc/{server.process.pid}/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) << 10
    return 0


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_requests_pass(server, session, method):
    body = b"" if method in ("GET", "OPTIONS") else b"hello"
    answer = server.http.request(method, port(session) + "/a%20b/c%2Fd//?x=1&y=%26", content=body)
    assert answer.status_code == 200, answer.text
    seen = answer.json()
    assert seen["method"] == method and seen["path"] == "/a%20b/c%2Fd//?x=1&y=%26", seen
    assert seen["md5"] == hashlib.md5(body).hexdigest()
    head = server.http.head(port(session) + "/")
    assert head.status_code == 200 and head.content == b"" and int(head.headers["content-length"]) > 0


def test_what_the_guest_gets_to_see(server, session):
    answer = server.http.get(port(session) + "/", headers={
        "Authorization": "Bearer secret", "X-API-Key": "secret", "Cookie": "atoll=secret", "X-Forwarded-For": "6.6.6.6",
        "Connection": "keep-alive, X-Hop", "X-Hop": "1", "TE": "trailers", "X-Own": "kept", "Origin": server.url,
        "Referer": server.url + "/?token=secret", "Proxy-Authorization": "secret"})
    seen = {name.lower(): value for name, value in answer.json()["headers"].items()}
    assert "secret" not in json.dumps(seen) and "x-hop" not in seen and "te" not in seen
    assert seen["x-own"] == "kept" and seen["host"] == "localhost:8080" and seen["origin"] == "http://localhost:8080"
    assert seen["x-forwarded-for"] == "127.0.0.1" and seen["x-forwarded-proto"] == "http"
    assert seen["x-forwarded-prefix"] == port(session)
    assert seen["x-forwarded-host"] == server.url[len("http://"):]


def test_what_the_guest_may_tell_a_browser(server, session):
    answer = server.http.get(port(session) + "/cookies")
    for name in ("set-cookie", "www-authenticate", "service-worker-allowed", "clear-site-data",
                 "access-control-allow-credentials"):
        assert name not in answer.headers, name
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox ") and "allow-same-origin" not in policy and "default-src" not in policy
    assert answer.headers["access-control-allow-origin"] == "null" and answer.headers["x-own"] == "kept"
    assert not server.http.cookies


def test_a_page_of_a_port_reaches_its_own_server_and_nothing_else(server, session):
    page = {"Origin": "null"}
    assert server.http.post(port(session) + "/data", headers=page, content=b"x").json()["size"] == 1
    preflight = server.http.options(port(session) + "/data", headers={
        **page, "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "content-type, x-own"})
    assert preflight.status_code == 204 and preflight.headers["access-control-allow-origin"] == "null"
    assert preflight.headers["access-control-allow-headers"] == "content-type, x-own"
    for path in ("/v1/run", f"/v1/sessions/{session}/run", f"/v1/sessions/{session}/processes"):
        assert server.http.post(path, headers=page, json={"code": "1"}).status_code == 403
    assert server.http.get("/v1/sessions", headers=page).status_code == 403
    assert server.http.get(port(session) + "/", headers={"Origin": "https://evil.example"}).status_code == 403


@pytest.mark.parametrize("location, becomes", [
    ("/login", "{prefix}/login"), ("http://localhost:8080/x?y", "{prefix}/x?y"), ("http://127.0.0.1:8080", "{prefix}/"),
    ("http://localhost:80801/", "http://localhost:80801/"), ("next", "next"), ("//elsewhere/x", "//elsewhere/x"),
    ("https://elsewhere/x", "https://elsewhere/x"), ("{prefix}/own", "{prefix}/own"),
])
def test_redirects_stay_behind_the_prefix(server, session, location, becomes):
    path = port(session)
    answer = server.http.get(f"{path}/redirect?to={location.format(prefix=path)}")
    assert answer.status_code == 302 and answer.headers["location"] == becomes.format(prefix=path)


def test_the_root_has_a_slash(server, session):
    answer = server.http.get(port(session) + "?x=1")
    assert answer.status_code == 308 and answer.headers["location"] == port(session) + "/?x=1"


def test_big_bodies_with_flat_memory(server, session):
    size = 48 << 20
    before = resident(server)
    digest, received = hashlib.md5(), 0
    with server.http.stream("GET", f"{port(session)}/big={size}") as answer:
        for piece in answer.iter_raw():
            digest.update(piece)
            received += len(piece)
    assert received == size and digest.hexdigest() == hashlib.md5(bytes(range(256)) * (size // 256)).hexdigest()
    block = os.urandom(1 << 20)
    for headers in ({"Content-Length": str(size)}, {}):  # with a length, and chunked
        answer = server.http.post(port(session) + "/", content=(block for _ in range(size >> 20)), headers=headers)
        assert answer.json()["size"] == size and answer.json()["md5"] == hashlib.md5(block * (size >> 20)).hexdigest()
    assert resident(server) - before < 24 << 20


def test_a_slow_reader_slows_the_guest(server, session):
    before = resident(server)
    with server.http.stream("GET", f"{port(session)}/big={1 << 30}") as answer:
        next(answer.iter_raw(65536))
        time.sleep(2)
        assert resident(server) - before < 16 << 20
    assert server.http.get(port(session) + "/").status_code == 200


def test_a_stream_without_an_end(server, session):
    with server.http.stream("GET", port(session) + "/events") as answer:
        assert answer.headers["content-type"] == "text/event-stream"
        lines = answer.iter_lines()
        began = time.monotonic()
        seen = [next(lines) for _ in range(59)]
        assert seen[0] == "data: 0" and seen[58] == "data: 29"
        assert time.monotonic() - began > 2.5, "longer than the answer's head may take, and as it came"


def test_websocket(server, session):
    listen(server, session, RAW.format(port=8090, code=SOCKETS))
    url = server.url.replace("http", "ws") + port(session, 8090) + "/chat"
    for origin in (None, "null", server.url):
        headers = {"Cookie": "atoll=secret", **({"Origin": origin} if origin else {})}
        with connect(url, additional_headers=headers, compression=None) as socket:
            assert socket.recv(timeout=10) == "origin http://localhost:8090 cookie none"
            for data in (b"x", os.urandom(50_000), b""):
                socket.send(data)
                assert socket.recv(timeout=10) == data
            socket.send("ü")
            assert socket.recv(timeout=10) == "ü"
    with pytest.raises(InvalidStatus) as refused, connect(url, additional_headers={"Origin": "https://evil.example"}):
        pass
    assert refused.value.response.status_code == 403


def test_nothing_listens(server, session):
    answer = server.http.get(port(session, 9) + "/")
    assert answer.status_code == 502 and "port 9" in answer.json()["detail"]
    assert answer.headers["content-type"].startswith("application/problem+json")


@pytest.mark.parametrize("number", ["0", "70000", "-1", "http", "80x", "8080.0", "%2e%2e", "99999999999999999999"])
def test_no_such_port(server, session, number):
    for path in (f"/v1/sessions/{session}/ports/{number}/", f"/v1/sessions/{session}/ports/{number}"):
        answer = server.http.get(path)
        assert answer.status_code == 400 and "port" in answer.text, answer.text
    assert server.http.get("/v1/sessions/s-nothing/ports/8080/").status_code == 404


HOSTILE = {
    "garbage": "def answer(c, h): c.sendall(bytes(range(256)) * 100)",
    "silence": "def answer(c, h): c.close()",
    "half a head": "def answer(c, h): c.sendall(b'HTTP/1.1 200 OK\\r\\nX: ')",
    "a megabyte of headers": "def answer(c, h): c.sendall(b'HTTP/1.1 200 OK\\r\\n' + b'X: ' + b'y' * (1 << 20) + b'\\r\\n\\r\\n')",
    "10,000 headers": "def answer(c, h): c.sendall(b'HTTP/1.1 200 OK\\r\\n' + b'X: y\\r\\n' * 10000 + b'\\r\\n')",
    "two lengths": "def answer(c, h): c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\nContent-Length: 50\\r\\n\\r\\nhello' + b'x' * 45)",
    "a length and chunks": "def answer(c, h): c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\nHTTP/1.1 200 OK\\r\\n\\r\\n')",
    "a negative length": "def answer(c, h): c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: -5\\r\\n\\r\\nhello')",
    "a folded header": "def answer(c, h): c.sendall(b'HTTP/1.1 200 OK\\r\\nX: a\\r\\n Set-Cookie: a=b\\r\\n\\r\\n')",
    "another protocol": "def answer(c, h): c.sendall(b'HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: x\\r\\nConnection: Upgrade\\r\\n\\r\\n')",
    "nothing but 100": "def answer(c, h):\n    for _ in range(1000): c.sendall(b'HTTP/1.1 100 Continue\\r\\n\\r\\n')",
    "headers for ever": "def answer(c, h):\n    c.sendall(b'HTTP/1.1 200 OK\\r\\n')\n    while True: c.sendall(b'X: ' + b'y' * 1000 + b'\\r\\n')",
}


def test_hostile_answers(server, session):
    """Each gets 502 and a sentence; the next request on the same connection is not poisoned."""
    code = "kinds = " + repr(list(HOSTILE.values())) + """
table = []
for text in kinds:
    space = {}
    exec(text, space)
    table.append(space["answer"])
def answer(connection, head): table[int(head.split()[1][1:])](connection, head)
"""
    listen(server, session, RAW.format(port=8091, code=code))
    for number, name in enumerate(HOSTILE):
        answer = server.http.get(f"{port(session, 8091)}/{number}")
        assert answer.status_code == 502, (name, answer.status_code, answer.text[:200])
        assert answer.headers["content-type"].startswith("application/problem+json"), name
        assert "set-cookie" not in answer.headers
        assert server.http.get(port(session) + "/").json()["path"] == "/", name


def test_bodies_that_end_early_do_not_look_complete(server, session):
    code = "def answer(c, h): c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 500\\r\\n\\r\\nhello')"
    listen(server, session, RAW.format(port=8092, code=code))
    with pytest.raises(httpx.TransportError):
        server.http.get(port(session, 8092) + "/")
    code = "def answer(c, h): c.sendall(b'HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n5\\r\\nhello\\r\\nzz\\r\\n')"
    listen(server, session, RAW.format(port=8093, code=code))
    with pytest.raises(httpx.TransportError):
        server.http.get(port(session, 8093) + "/")


@pytest.mark.parametrize("number, code", [
    (8094, "import time\ndef answer(c, h): time.sleep(600)"),
    (8095, "import time\ndef answer(c, h):\n    for letter in b'HTTP/1.1 200 OK' + b' ' * 10000: c.sendall(bytes([letter])); time.sleep(.1)"),
])
def test_one_that_never_answers(server, session, number, code):
    listen(server, session, RAW.format(port=number, code=code))
    answer = server.http.get(port(session, number) + "/")
    assert answer.status_code == 504 and "in time" in answer.json()["detail"]


def test_a_client_that_leaves_frees_the_guest(server, session):
    code = "closed = 0\ndef answer(c, h):\n    global closed\n    if b'/count' in h:\n        return c.sendall(b'HTTP/1.1 200 OK\\r\\n\\r\\n%d' % closed)\n" \
           "    c.sendall(b'HTTP/1.1 200 OK\\r\\n\\r\\n')\n    try:\n        while True: c.sendall(b'x' * 1000)\n    except OSError: closed += 1"
    listen(server, session, RAW.format(port=8096, code=code))
    with server.http.stream("GET", port(session, 8096) + "/") as answer:
        next(answer.iter_raw())
    until = time.monotonic() + 20
    while server.http.get(port(session, 8096) + "/count").text != "1":
        assert time.monotonic() < until, "the connection inside stays open"
        time.sleep(0.1)


def test_a_request_cannot_smuggle_another_one(server, session):
    """The client's framing is read strictly and written anew."""
    host, number = server.url[len("http://"):].split(":")
    for framing in (b"Content-Length: 5\r\nContent-Length: 60\r\n", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                    b"Transfer-Encoding: chunked, identity\r\n", b"Transfer-Encoding : chunked\r\n", b"Content-Length: +5\r\n"):
        with sockets.create_connection((host, int(number)), timeout=20) as client:
            client.sendall(b"POST " + port(session).encode() + b"/a HTTP/1.1\r\nHost: localhost\r\n" + framing +
                           b"\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = client.recv(65536)
        assert answer.startswith(b"HTTP/1.1 400") or answer.startswith(b"HTTP/1.1 501"), (framing, answer)
        assert b"smuggled" not in answer


def test_n3_a_sandbox_cannot_reach_the_servers_own_port(server, session):
    """Only its own loopback is there, so nothing of ours and nothing of another session answers."""
    number = server.url.rpartition(":")[2]
    code = f"""
import socket
for address in ("127.0.0.1", "::1", "localhost", "0.0.0.0"):
    for port in ({number}, 8080, 8000):
        try: socket.create_connection((address, port), timeout=1).close(); print("reached", address, port)
        except OSError as error: pass
print([line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line])
"""
    other = server.session()
    assert server.run(other, code)["stdout"] == "['lo']\n"
    assert server.http.get(port(other) + "/").status_code == 502, "the port of another session answers"
    inside = server.http.get(port(session, int(number)) + "/")
    assert inside.status_code == 502, "dialling leads out of the sandbox"


def test_it_works_after_a_sleep(server):
    session = server.session()
    listen(server, session, ECHO)
    if server.http.post(f"/v1/sessions/{session}/pause").status_code == 200:
        assert server.http.get(port(session) + "/").status_code == 200
    assert server.http.post(f"/v1/sessions/{session}/evict").status_code == 200
    answer = server.http.get(port(session) + "/")
    assert answer.status_code == 502, "the server went with its sandbox"


def test_many_at_once(server, session):
    answers = []

    def ask(number):
        with httpx.Client(base_url=server.url, timeout=60) as http:
            answers.extend(http.post(f"{port(session)}/{number}", content=b"y" * 100_000).text for _ in range(5))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 80
    assert [answer for answer in answers if json.loads(answer).get("size") != 100_000] == []
