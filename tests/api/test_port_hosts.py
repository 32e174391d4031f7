"""Web servers in sandboxes by host name: an origin of their own, and nothing of the API behind it (row B5)."""

import json
import time

import httpx
import pytest
from harness.server import Server
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

pytestmark = pytest.mark.once

ADMIN = "atl_" + "0123456789abcdef" * 3

# Says what it was asked, sets cookies, redirects, and echoes one WebSocket message.
INSIDE = """
import base64, hashlib, http.server, json
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def say(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers: self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        if "Sec-WebSocket-Key" in self.headers:
            key = base64.b64encode(hashlib.sha1((self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
            self.send_response(101)
            for name, value in [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", key)]: self.send_header(name, value)
            self.end_headers()
            self.wfile.write(b"\\x81\\x02hi"); self.wfile.flush()
            self.close_connection = True
            return
        if self.path.startswith("/redirect"): return self.say(302, headers=[("Location", self.path.partition("=")[2])])
        body = json.dumps({"path": self.path, "headers": dict(self.headers.items())}).encode()
        self.say(200, body, [("Set-Cookie", "own=1; Path=/"), ("Set-Cookie", "wide=1; Domain=localhost"),
                             ("Set-Cookie", "atoll_port_token=forged"), ("Content-Security-Policy", "default-src 'self'"),
                             ("Strict-Transport-Security", "max-age=1"), ("Access-Control-Allow-Origin", "*")])
    do_POST = do_GET
server = http.server.ThreadingHTTPServer(("127.0.0.1", 8080), Handler)
print("listening", flush=True)
server.serve_forever()
"""


def listen(client, session):
    process = client.post(f"/v1/sessions/{session}/processes", json={"argv": ["python3", "-c", INSIDE]}).json()
    until = time.monotonic() + 60
    while True:
        output = client.get(f"/v1/sessions/{session}/processes/{process['id']}/output").json()
        if "listening" in output["stdout"]:
            return
        assert output["state"] == "running" and time.monotonic() < until, output
        time.sleep(0.05)


@pytest.fixture(scope="module")
def session(server):
    made = server.session()
    listen(server.http, made)
    return made


def at(server, session, number=8080, domain="localhost"):
    return f"{number}-{session}.{domain}:{server.url.rsplit(':', 1)[1]}"


def test_a_port_is_the_root_of_its_host(server, session):
    host = at(server, session)
    answer = server.http.get("/style.css?a=b&c", headers={"Host": host, "Cookie": "mine=1", "X-Own": "yes", "Authorization": "Bearer x"})
    assert answer.status_code == 200, answer.text
    seen = answer.json()
    assert seen["path"] == "/style.css?a=b&c"
    headers = {name.lower(): value for name, value in seen["headers"].items()}
    assert headers["host"] == host and headers["cookie"] == "mine=1" and headers["x-own"] == "yes"
    assert "authorization" not in headers and "x-forwarded-prefix" not in headers
    posted = server.http.post("/", headers={"Host": host.upper().replace("LOCALHOST", "LocalHost"), "Origin": f"http://{host}"})
    assert posted.status_code == 200, "a name is the same in capitals"


def test_what_the_guest_may_tell_a_browser(server, session):
    answer = httpx.get(server.url + "/", headers={"Host": at(server, session)})
    assert answer.headers.get_list("set-cookie") == ["own=1; Path=/", "wide=1"], "no cookie beyond its own host, none in our name"
    assert answer.headers["content-security-policy"] == "default-src 'self'", "its policy is its own"
    assert "strict-transport-security" not in answer.headers and "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("location, becomes", [
    ("/login", "/login"), ("http://localhost:8080/x?y", "/x?y"), ("next", "next"), ("https://elsewhere/x", "https://elsewhere/x")])
def test_redirects(server, session, location, becomes):
    answer = server.http.get(f"/redirect?to={location}", headers={"Host": at(server, session)})
    assert answer.status_code == 302 and answer.headers["location"] == becomes


def test_b5_such_a_host_reaches_its_port_and_nothing_else(server, session):
    """Whatever the path says: the API is not there, so a page of the sandbox cannot use it from its own origin."""
    host = at(server, session)
    for path in ("/v1/sessions", "/v1/run", "/openapi.json", "/", "/docs", f"/v1/sessions/{session}/run", "//v1/run", "/../v1/run"):
        for method in ("GET", "POST"):
            with httpx.Client() as client:
                request = client.build_request(method, server.url + path, headers={"Host": host})
                request.url = request.url.copy_with(raw_path=path.encode())
                answer = client.send(request)
            assert answer.status_code == 200 and answer.json()["path"].startswith("/"), (method, path, answer.text)
    assert server.http.get("/v1/sessions", headers={"Host": at(server, session, 9)}).status_code == 502


def test_b5_other_origins_are_refused_there_and_it_is_refused_elsewhere(server, session):
    host = at(server, session)
    other = at(server, "s-" + "a" * 32)
    for origin in ("https://evil.example", f"http://{other}", server.url, f"https://{host}", f"http://{host}1"):
        assert server.http.get("/", headers={"Host": host, "Origin": origin}).status_code == 403, origin
    assert server.http.get("/", headers={"Host": host, "Origin": f"http://{host}"}).status_code == 200
    for path in ("/v1/sessions", f"/v1/sessions/{session}/ports/8080/"):
        assert server.http.get(path, headers={"Origin": f"http://{host}"}).status_code == 403
    assert server.http.post("/v1/run", json={"code": "1"}, headers={"Origin": f"http://{host}"}).status_code == 403


@pytest.mark.parametrize("name", ["8080-{s}.evil.example", "8080-{s}.localhost.evil.example", "x.8080-{s}.localhost", "8080-.localhost",
                                  "{s}.localhost", "08080-{s}.localhost", "0-{s}.localhost", "70000-{s}.localhost", "evil.localhost",
                                  "8080-{s}.127.0.0.1"])
def test_b5_names_that_are_no_port_are_foreign_hosts(server, session, name):
    answer = server.http.get("/v1/sessions", headers={"Host": name.format(s=session)})
    assert answer.status_code == 403, answer.text


def test_sessions_that_are_not_there(server):
    answer = server.http.get("/", headers={"Host": at(server, "s-" + "b" * 32)})
    assert answer.status_code == 404


def test_websocket(server, session):
    host, port = at(server, session), int(server.url.rsplit(":", 1)[1])
    import socket
    with socket.create_connection(("127.0.0.1", port)) as raw, connect(f"ws://{host}/live", sock=raw, origin=f"http://{host}") as live:
        assert live.recv(30) == "hi"
    with pytest.raises(InvalidStatus) as refused, socket.create_connection(("127.0.0.1", port)) as raw, \
            connect(f"ws://{host}/live", sock=raw, origin="https://evil.example"):
        pass
    assert refused.value.response.status_code == 403


def test_with_keys_a_token_becomes_a_cookie_of_that_host(tmp_path):
    """And the server in the sandbox sees neither; another domain by a setting."""
    running = Server(tmp_path, environment={"ATOLL_ADMIN_KEY": ADMIN, "ATOLL_PORTS_DOMAIN": "ports.example.org"})
    try:
        with httpx.Client(base_url=running.url, headers={"Authorization": f"Bearer {ADMIN}"}, timeout=60) as admin:
            session = admin.post("/v1/sessions").json()["id"]
            other = admin.post("/v1/sessions").json()["id"]
            listen(admin, session)
            token = admin.post(f"/v1/sessions/{session}/tokens", json={"scopes": ["ports"], "seconds": 600}).json()["token"]
            terminal = admin.post(f"/v1/sessions/{session}/tokens", json={"scopes": ["terminal"], "seconds": 600}).json()["token"]
        host = {"Host": at(running, session, domain="ports.example.org")}

        def get(path, cookie=None, **headers):
            sent = {**host, **headers, **({"Cookie": cookie} if cookie else {})}
            return httpx.get(running.url + path, headers=sent, timeout=60)

        assert get("/").status_code == 401 and get(f"/?token={terminal}").status_code == 403
        assert get("/", Host=at(running, session)).status_code == 403, "localhost is no domain of ports here"
        entered = get(f"/a/b?x=1&token={token}&y=2")
        assert entered.status_code == 303 and entered.headers["location"] == "/a/b?x=1&y=2"
        assert get(f"//evil.example/?token={token}").headers["location"] == "/.//evil.example/", "it stays on this host"
        cookie = entered.headers["set-cookie"]
        assert all(word in cookie for word in ("HttpOnly", "SameSite=Lax", "Path=/")) and "Domain" not in cookie
        pair = cookie.split(";")[0]
        seen = get("/a/b?x=1", cookie=f"first=1; {pair}; last=2")
        assert seen.status_code == 200, seen.text
        assert seen.json()["path"] == "/a/b?x=1" and seen.json()["headers"]["Cookie"] == "first=1; last=2"
        assert "att_" not in json.dumps(seen.json())
        assert get("/", cookie=pair + "x").status_code == 401
        assert get("/", cookie=pair, Host=at(running, other, domain="ports.example.org")).status_code == 403
        with httpx.Client(base_url=running.url, headers={"Cookie": pair}) as holder:
            assert holder.get("/v1/sessions").status_code == 401, "it is a cookie of that host alone"
    finally:
        assert running.stop() == 0
