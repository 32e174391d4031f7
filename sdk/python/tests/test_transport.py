"""What happens when a server is slow, busy or gone: a scripted server on loopback."""

import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from atoll import (
    Client,
    ConnectionFailed,
    InvalidRequest,
    RateLimited,
    Retry,
    Sandbox,
    ServerError,
    StreamEnded,
    Unauthenticated,
    Unavailable,
)
from atoll._retry import retry_after_of

INFO = (
    b'{"version": "1", "runtimes": [], "walls": "", "networks": [], "datasets": [],'
    b' "data_root": "/data", "sandboxes_ready": 0, "sessions_hot": 0, "sessions_warm": 0,'
    b' "model": "", "model_note": "", "new in a later version": 1}'
)
AT_ONCE = Retry(times=2, first_pause=0.0)


def problem(code, status, **more):
    import json

    return json.dumps({"code": code, "status": status, "detail": "no", "title": "x", **more}).encode()


class Scripted:
    """Plays (status, headers, body) one after the other; None cuts the connection."""

    def __init__(self, *answers):
        script = self
        self.answers, self.requests = list(answers), []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                script.requests.append((self.command, self.path, dict(self.headers),
                                        self.rfile.read(length)))
                given = script.answers.pop(0)
                if given is None:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                status, headers, body = given
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if "Connection" not in headers:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = do_DELETE = answer

            def log_message(self, *unused):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def test_reading_is_tried_again():
    with Scripted((503, {}, b""), None, (200, {}, INFO)) as script:
        assert Client(script.url, retry=AT_ONCE).info().version == "1"
        assert len(script.requests) == 3


def test_not_for_ever():
    with Scripted(*[(503, {}, problem("unavailable", 503))] * 3) as script:
        with pytest.raises(Unavailable):
            Client(script.url, retry=AT_ONCE).info()
        assert script.answers == []


@pytest.mark.parametrize("answer", [(503, {}, problem("unavailable", 503)), None])
def test_code_never_runs_twice(answer):
    with Scripted(answer) as script:
        with pytest.raises((Unavailable, ConnectionFailed)):
            Client(script.url, retry=AT_ONCE).run("1")
        assert len(script.requests) == 1


def test_retry_after():
    busy = (429, {"Retry-After": "0"}, problem("rate_limited", 429))
    with Scripted(busy, (200, {}, b'{"tools": []}'), busy, (201, {}, b"{}")) as script:
        client = Client(script.url, retry=AT_ONCE)
        assert client.tools() == []
        with pytest.raises(Exception, match="incomplete"):  # it was sent again, though a POST
            client.jobs.create("1")
        assert [one[0] for one in script.requests] == ["GET", "GET", "POST", "POST"]
    with Scripted((429, {"Retry-After": "3600"}, problem("rate_limited", 429))) as script:
        with pytest.raises(RateLimited) as refused:  # and not in an hour
            Client(script.url).tools()
        assert refused.value.retry_after == 3600
    assert retry_after_of("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
    assert retry_after_of("soon") is None and retry_after_of("nan") is None
    assert Retry().pause(3, None) is None and Retry().pause(0, 61.0) is None
    assert 4.0 <= Retry(times=99).pause(50, None) <= 8.0


def test_problems_become_exceptions():
    issues = [{"path": "limits.cpus_max", "message": "is too much"}]
    with Scripted(
        (400, {}, problem("invalid_argument", 400, errors=issues, request_id="r-1")),
        (401, {}, problem("unauthenticated", 401)),
        (500, {}, b"<html>a proxy's page"),
        (502, {}, b""),
        (200, {}, b"<html>no API"),
        (302, {"Location": "http://elsewhere.example/"}, b""),
    ) as script:
        client = Client(script.url, retry=Retry(times=0))
        with pytest.raises(InvalidRequest, match="limits.cpus_max: is too much") as refused:
            client.info()
        assert refused.value.request_id == "r-1" and refused.value.issues[0].path
        with pytest.raises(Unauthenticated, match="ATOLL_API_KEY .*atoll key create"):
            client.info()
        with pytest.raises(ServerError, match="a proxy's page"):
            client.info()
        with pytest.raises(Unavailable):
            client.info()
        for sentence in ("is that an Atoll server", "redirects to"):
            with pytest.raises(Exception, match=sentence):
                client.info()


def test_streams_go_on_where_they_were():
    job = b'{"id": "j", "kind": "python", "state": "%s", "priority": 0, "attempts": 1,'
    job += b'"interruptions": 0, "retries": 0, "after_crash": "fail", "timeout_s": 0, "metadata":'
    job += b'{}, "created_at": "2024-01-01T00:00:00Z", "cancel_requested": false, "log_bytes": 0,'
    job += b'"log_truncated": false}'
    chunk = b'event: stdout\nid: 7\ndata: {"sequence": 7, "stream": "stdout", "time":'
    chunk += b' "2024-01-01T00:00:00Z", "text": "a"}\n\n: heartbeat\n\n'
    open_end = {"Content-Type": "text/event-stream", "Connection": "close"}
    ended = b"event: ended\ndata: " + job % b"succeeded" + b"\n\n"
    with Scripted((200, open_end, chunk), None, (200, open_end, ended)) as script:
        seen = list(Client(script.url, retry=AT_ONCE).jobs.follow("j"))
        assert seen[0].text == "a" and seen[1].state == "succeeded"
        assert [one[2].get("Last-Event-ID") for one in script.requests] == [None, "7", "7"]
    begun = b'event: stdout\ndata: {"text": "a"}\n\n'
    with Scripted((200, open_end, begun)) as script:  # a run is never begun again
        with pytest.raises(StreamEnded):
            list(Client(script.url, retry=AT_ONCE).stream("print('a')"))


def test_no_server():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ConnectionFailed, match="atoll serve"):
            Sandbox(client=Client(url, retry=AT_ONCE))


def test_where_and_with_which_key(monkeypatch):
    with Scripted(*[(200, {}, INFO)] * 3) as script:
        monkeypatch.setenv("SANDBOX_API_URL", script.url + "/")
        Client().info()
        monkeypatch.setenv("SANDBOX_API_URL", "http://127.0.0.1:9")
        monkeypatch.setenv("ATOLL_URL", script.url)
        monkeypatch.setenv("ATOLL_API_KEY", "from the environment")
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # not for this machine
        Client().info()
        Client(api_key="given").info()
        keys = [one[2].get("Authorization") for one in script.requests]
        assert keys == [None, "Bearer from the environment", "Bearer given"]
    with pytest.raises(ValueError, match="not an address"):
        Client("localhost:8000")
