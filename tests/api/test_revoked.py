"""A key that is revoked and a token whose time is over end what they have open: terminals, streams, ports, waits."""

import contextlib
import json
import socket as sockets
import threading
import time

import httpx
import pytest
from harness.cli import atoll
from harness.model_server import ModelServer, call
from harness.server import Server
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

pytestmark = pytest.mark.once

ADMIN = "an-administrators-key-for-these-tests-0123456789"
SCOPES = ["sessions:read", "sessions:write", "run", "files", "jobs", "threads"]
# Endings are waited for, and what shall not end is looked at after this: several looks of the server's.
SOON_S, LATER_S = 30, 3

WEB = """
import base64, hashlib, socket, threading, time
def one(connection):
    head = b""
    while b"\\r\\n\\r\\n" not in head: head += connection.recv(65536)
    fields = dict(line.lower().split(": ", 1) for line in head.decode().split("\\r\\n")[1:] if line)
    try:
        if "upgrade" in fields:
            connection.sendall(b"HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: echo\\r\\nConnection: Upgrade\\r\\n\\r\\nhello")
            while piece := connection.recv(65536): connection.sendall(piece)
            return
        connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/event-stream\\r\\n\\r\\n")
        silent = b"silent" in head
        while True:
            connection.sendall(b"" if silent else b"data: tick\\n\\n"); time.sleep(.2)
    except OSError: pass
listener = socket.create_server(("127.0.0.1", 8080))
print("listening", flush=True)
while True: threading.Thread(target=one, args=(listener.accept()[0],), daemon=True).start()
"""


@pytest.fixture(scope="module")
def model():
    with ModelServer(lambda asked: {"tool_calls": [call("run_python", code="import time; time.sleep(60)")]}) as running:
        yield running


@pytest.fixture(scope="module")
def keyed(tmp_path_factory, model):
    running = Server(tmp_path_factory.mktemp("keyed"), environment={
        "ATOLL_ADMIN_KEY": ADMIN, **model.environment()})
    running.http.headers["Authorization"] = f"Bearer {ADMIN}"
    yield running
    assert running.stop() == 0


class Holder:
    """Somebody with a credential, and what they have open with it."""

    def __init__(self, server, credential):
        self.server, self.credential, self.open = server, credential, {}
        self.sockets = contextlib.ExitStack()
        self.headers = {"Authorization": f"Bearer {credential}"}
        self.http = httpx.Client(base_url=server.url, timeout=120, headers=self.headers)

    @property
    def key_id(self):
        return self.credential.split("_")[1]

    def session(self):
        return self.http.post("/v1/sessions").json()["id"]

    def stream(self, name, method, path, first, **request):
        """Reads it in the background; returns when `first` was in a line."""
        begun, ended = threading.Event(), threading.Event()
        self.open[name] = ended

        def read():
            try:
                with httpx.stream(method, self.server.url + path, timeout=120,
                                  headers={**self.headers, "Accept": "text/event-stream"}, **request) as answer:
                    assert answer.status_code == 200, answer.read()
                    for line in answer.iter_lines():
                        if first in line:
                            begun.set()
            except httpx.HTTPError:
                pass
            ended.set()

        threading.Thread(target=read, daemon=True).start()
        assert begun.wait(60), name

    def ask(self, name, method, path, **request):
        """A plain request that takes long; its answer, or None when the connection was cut."""
        ended = threading.Event()
        ended.answer = None
        self.open[name] = ended

        def wait():
            try:
                ended.answer = httpx.request(method, self.server.url + path, timeout=120, headers=self.headers, **request)
            except httpx.HTTPError:
                pass
            ended.set()

        threading.Thread(target=wait, daemon=True).start()
        return ended

    def terminal(self, session, query="", **headers):
        url = self.server.url.replace("http", "ws") + f"/v1/sessions/{session}/terminal{query}"
        opened = connect(url, compression=None, additional_headers=headers or self.headers)
        socket = self.sockets.enter_context(opened)
        socket.send(b"echo rea''dy\n")
        seen = b""
        while b"ready" not in seen:
            seen += socket.recv(timeout=30)
        return socket

    def still_open(self):
        return sorted(name for name, ended in self.open.items() if not ended.is_set())

    def ends(self):
        until = time.monotonic() + SOON_S
        while self.still_open() and time.monotonic() < until:
            time.sleep(0.05)
        assert self.still_open() == []


def holder(server, **fields):
    made = server.http.post("/v1/keys", json={"owner": "ann", "scopes": SCOPES, **fields})
    assert made.status_code == 201, made.text
    return Holder(server, made.json()["key"])


def closed_with(socket):
    try:
        while True:
            socket.recv(timeout=SOON_S)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else None


def upgraded(server, session, headers):
    """The raw connection to a server in the sandbox that switched protocols."""
    host, port = server.url[len("http://"):].split(":")
    link = sockets.create_connection((host, int(port)), timeout=SOON_S)
    fields = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    link.sendall(f"GET /v1/sessions/{session}/ports/8080/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                 f"Upgrade: echo\r\n{fields}\r\n".encode())
    seen = b""
    while b"hello" not in seen:
        piece = link.recv(65536)
        assert piece, seen
        seen += piece
    return link


def listens(holder, session):
    process = holder.http.post(f"/v1/sessions/{session}/processes", json={"argv": ["python3", "-c", WEB]}).json()["id"]
    until = time.monotonic() + 30
    while "listening" not in holder.http.get(f"/v1/sessions/{session}/processes/{process}/output").text:
        assert time.monotonic() < until
        time.sleep(0.05)


def opens_everything(holder, session):
    holder.http.post(f"/v1/sessions/{session}/run", json={"code": "1"})
    place = f"/v1/sessions/{session}"
    process = holder.http.post(f"{place}/processes", json={"command": "echo hi; sleep 300"}).json()["id"]
    holder.stream("process output", "GET", f"{place}/processes/{process}/output", "hi")
    holder.ask("process wait", "GET", f"{place}/processes/{process}/wait", params={"timeout": "100s"})
    holder.stream("watch", "GET", f"{place}/watch?path=/session", "watching")
    job = holder.http.post("/v1/jobs", json={"code": "echo begun; sleep 100", "kind": "shell"}).json()["id"]
    holder.stream("job log", "GET", f"/v1/jobs/{job}/logs", "begun")
    holder.stream("port", "GET", f"{place}/ports/8080/", "tick")
    holder.ask("silent port", "GET", f"{place}/ports/8080/silent")
    thread = holder.http.post("/thread/new").json()["thread_id"]
    holder.stream("thread", "POST", f"/thread/{thread}/message/stream", "data:", json={"message": "wait"})
    holder.ask("run alone", "POST", "/v1/run", json={"code": "import time; time.sleep(60)"})
    return job


def test_a_revoked_key_ends_everything_that_it_has_open_and_nothing_of_another(keyed):
    leaves, stays = holder(keyed), holder(keyed)  # of one owner
    session = leaves.session()
    listens(leaves, session)
    job = opens_everything(leaves, session)
    stays.stream("port", "GET", f"/v1/sessions/{session}/ports/8080/", "tick")
    shells = leaves.terminal(session), stays.terminal(session)
    links = upgraded(keyed, session, leaves.headers), upgraded(keyed, session, stays.headers)
    assert len(leaves.still_open()) == 8
    assert keyed.http.delete(f"/v1/keys/{leaves.key_id}").status_code == 200
    assert closed_with(shells[0]) == 1008
    assert links[0].recv(100) == b""
    leaves.ends()
    assert leaves.open["run alone"].answer is None and leaves.open["process wait"].answer is None
    time.sleep(LATER_S)
    assert stays.still_open() == ["port"]
    shells[1].send(b"echo sti''ll\n")
    seen = b""
    while b"still" not in seen:
        seen += shells[1].recv(timeout=30)
    links[1].sendall(b"echo")
    assert links[1].recv(100) == b"echo"
    shells[1].close()
    links[1].close()
    # What nobody needs to be there for goes on.
    assert stays.http.get(f"/v1/jobs/{job}").json()["state"] == "running"
    assert stays.http.post(f"/v1/jobs/{job}/cancel").status_code == 200
    until = time.monotonic() + SOON_S
    while True:
        ends = [one for one in keyed.http.get("/v1/audit?limit=100").json()["records"]
                if one["action"] == "access.end" and one["key_id"] == leaves.key_id]
        if len(ends) == 10:
            break
        assert time.monotonic() < until, ends
        time.sleep(0.2)
    assert all("revoked" in one["detail"]["why"] and one["owner"] == "ann" for one in ends)
    keyed.http.delete(f"/v1/keys/{stays.key_id}")
    stays.ends()


def test_a_run_of_a_revoked_key_ends_unless_it_is_kept_running(keyed):
    leaves, stays = holder(keyed), holder(keyed)
    session = leaves.session()
    run = f"/v1/sessions/{session}/run"
    code = "import time\nprint('begun', flush=True)\ntime.sleep(8)\nopen('/session/{}', 'w').close()"
    leaves.stream("run", "POST", run, "begun", json={"code": code.format("plain"), "context": "one"})
    leaves.stream("kept", "POST", run, "begun", json={"code": code.format("kept"), "context": "two", "keep_running": True})
    # `atoll key` asks the server that has the folder.
    ended = atoll("key", "--data-dir", str(keyed.folder / "data"), "revoke", leaves.key_id)
    assert ended.returncode == 0, ended.stderr
    leaves.ends()
    # The same contexts again: their turn comes when those have ended.
    for context in ("one", "two"):
        done = stays.http.post(run, json={"code": "import os; print(sorted(os.listdir('/session')))", "context": context})
        assert done.status_code == 200, done.text
    assert "kept" in done.json()["stdout"] and "plain" not in done.json()["stdout"]


@pytest.mark.parametrize("what", ["token", "key"])
def test_time_that_runs_out_ends_a_terminal(keyed, what):
    owner = holder(keyed)
    session = owner.session()
    owner.http.post(f"/v1/sessions/{session}/run", json={"code": "1"})
    if what == "token":
        token = owner.http.post(f"/v1/sessions/{session}/tokens", json={"scopes": ["terminal"], "seconds": 4}).json()["token"]
        shell = owner.terminal(session, f"?token={token}", **{"X-Nothing": "1"})
    else:
        shell = holder(keyed, lifetime="4s").terminal(session)
    began = time.monotonic()
    assert closed_with(shell) == 1008
    assert time.monotonic() - began > 0.5  # not at once: while it was good it was open


def test_a_token_ends_with_its_key(keyed):
    owner = holder(keyed)
    session = owner.session()
    token = owner.http.post(f"/v1/sessions/{session}/tokens", json={"scopes": ["terminal"], "seconds": 600}).json()["token"]
    shell = owner.terminal(session, f"?token={token}", **{"X-Nothing": "1"})
    keyed.http.delete(f"/v1/keys/{owner.key_id}")
    assert closed_with(shell) == 1008


def test_a_key_that_revokes_itself_hears_so(keyed):
    own = holder(keyed, scopes=["admin"])
    answer = own.http.delete(f"/v1/keys/{own.key_id}")
    assert answer.status_code == 200 and json.loads(answer.text)["revoked_at"]


def test_the_first_key_ends_what_was_open_to_everybody(own_server):
    session = own_server.session()
    nobody = Holder(own_server, "anything")
    shell = nobody.terminal(session)
    made = atoll("key", "--data-dir", str(own_server.folder / "data"), "create", "--name", "first")
    assert made.returncode == 0, made.stderr
    assert closed_with(shell) == 1008
