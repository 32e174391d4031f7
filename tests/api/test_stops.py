"""A server that is told to stop while streams, transfers and guests are in the middle of something.

Each stop here goes past the grace: what is under way does not end by itself. The server must end in
good order all the same (status 0, no crash), and variables of sessions that have nothing to do with
it must be there after the next start.
"""
import contextlib
import os
import signal
import socket
import threading
import time
from pathlib import Path

import httpx
import pytest
from harness import host
from harness.analyst import Analyst
from harness.model_server import ModelServer, call
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

WITHIN_S = 90
GRACE = {"ATOLL_STOP_GRACE": "1s"}
EVENTS = {"Accept": "text/event-stream"}
SLEEP = "import time\nprint('began', flush=True)\ntime.sleep(600)"
# Takes a connection, switches protocols, and reads nothing more.
DEAF = """
import socket, time
listener = socket.create_server(("127.0.0.1", 8100))
print("listening", flush=True)
kept = []
while True:
    connection = listener.accept()[0]
    kept.append(connection)
    connection.recv(4096)
    connection.sendall(b"HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: deaf\\r\\nConnection: Upgrade\\r\\n\\r\\n")
"""


IN_TURN = host.marker()


def model(asked):
    if not asked.tool_results:
        program = f"import subprocess\nsubprocess.Popen(['sh', '-c', 'sleep 900; : {IN_TURN}'])\n"
        return {"tool_calls": [call("run_python", code=program + SLEEP)]}
    return "done"


@pytest.fixture(scope="module")
def models():
    with ModelServer(model) as running:
        yield running


@pytest.fixture
def server(tmp_path, models):
    running = Analyst(tmp_path, environment={**models.environment(), **GRACE})
    yield running
    if running.process.poll() is None:
        running.kill()


class Streams:
    """Requests that last, each on a thread and a connection of its own."""

    def __init__(self, server):
        self.server, self.threads, self.closed, self.ended = server, [], False, {}

    def add(self, name, request):
        """`request(client, begun)` returns when the server ends it; it sets `begun` when it is under way."""
        begun = threading.Event()

        def follow():
            try:
                with httpx.Client(base_url=self.server.url, timeout=WITHIN_S) as client:
                    self.ended[name] = request(client, begun)
            except (httpx.HTTPError, OSError, ConnectionClosed) as failed:
                self.ended[name] = failed
        self.threads.append((name, threading.Thread(target=follow, daemon=True), begun))
        self.threads[-1][1].start()

    def events(self, name, method, path, wait_for=b"began", **options):
        def request(client, begun):
            with client.stream(method, path, headers=EVENTS, **options) as answer:
                assert answer.status_code == 200, answer.read()
                text = b""
                for piece in answer.iter_raw():
                    text += piece
                    if wait_for in text:
                        begun.set()
                return text
        self.add(name, request)

    def wait_until_begun(self):
        for name, thread, begun in self.threads:
            assert begun.wait(WITHIN_S), f"{name} did not begin: {self.ended.get(name)}"

    def join(self):
        for name, thread, _ in self.threads:
            thread.join(WITHIN_S)
            assert not thread.is_alive(), f"{name} is not told of the end"


def start_process(server, session, *argv):
    answer = server.http.post(f"/v1/sessions/{session}/processes", json={"argv": list(argv)})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def listen(server, session, code):
    process = start_process(server, session, "python3", "-c", code)
    output = f"/v1/sessions/{session}/processes/{process}/output"
    assert host.eventually(lambda: "listening" in server.http.get(output).json()["stdout"], WITHIN_S)


def upgraded(server, session):
    """The raw connection to DEAF inside."""
    host_and_port = server.url.removeprefix("http://").split(":")
    connection = socket.create_connection((host_and_port[0], int(host_and_port[1])), timeout=WITHIN_S)
    connection.sendall(f"GET /v1/sessions/{session}/ports/8100/ HTTP/1.1\r\nHost: {':'.join(host_and_port)}\r\n"
                       "Connection: Upgrade\r\nUpgrade: deaf\r\n\r\n".encode())
    head = b""
    while b"\r\n\r\n" not in head:
        piece = connection.recv(4096)
        assert piece, head
        head += piece
    assert head.startswith(b"HTTP/1.1 101"), head
    return connection


def send_until_stuck(connection):
    """More than all buffers on the way hold."""
    connection.settimeout(1)
    with contextlib.suppress(TimeoutError):
        while True:
            connection.send(b"x" * 65536)


def terminal_of(server, session, query=""):
    return connect(server.url.replace("http", "ws") + f"/v1/sessions/{session}/terminal{query}", compression=None,
                   max_size=None)


def add_all_streams(streams, server):
    """One of each kind that the server has, none of which ends by itself."""
    session = server.session()
    base = f"/v1/sessions/{session}"
    streams.events("run", "POST", f"{base}/run", json={"code": SLEEP})
    streams.events("run of another context", "POST", f"{base}/run", json={"code": SLEEP, "context": "b"})
    streams.events("run that goes on without its client", "POST", f"{base}/run",
                   json={"code": SLEEP, "context": "c", "keep_running": True})
    streams.events("shell", "POST", f"{base}/run", json={"code": "echo began; sleep 600", "language": "shell"})
    streams.events("ephemeral", "POST", "/v1/run", json={"code": SLEEP})
    streams.events("ephemeral shell", "POST", "/v1/run", json={"code": "echo began; sleep 600", "language": "shell"})
    streams.events("watch", "GET", f"{base}/watch?path=/session", wait_for=b"watching")
    process = start_process(server, session, "sh", "-c", "echo began; sleep 600")
    streams.events("follow", "GET", f"{base}/processes/{process}/output")
    job = server.http.post("/v1/jobs", json={"kind": "python", "code": SLEEP}).json()
    streams.events("job", "GET", f"/v1/jobs/{job['id']}/logs")
    thread = server.thread()
    streams.events("turn", "POST", f"/thread/{thread}/message/stream", wait_for=b"event", json={"message": "sleep"})

    def once(client, begun):
        begun.set()
        return client.post(f"{base}/run", json={"code": SLEEP, "context": "d"})
    streams.add("run without events", once)

    def shell(client, begun):
        with terminal_of(server, session) as opened:
            opened.send(b"cat > /dev/null\n")
            begun.set()
            while True:
                opened.recv(timeout=WITHIN_S)
    streams.add("terminal", shell)

    def upload(client, begun):
        def pieces():
            for _ in range(10 * WITHIN_S):
                yield b"x" * 1000
                begun.set()
                time.sleep(0.1)
        return client.put(f"{base}/files/session/slow", content=pieces())
    streams.add("upload", upload)

    server.run(session, "open('/session/large', 'wb').truncate(256 << 20)", context="files")

    def download(client, begun):
        with client.stream("GET", f"{base}/files/session/large") as answer:
            begun.set()
            streams.over.wait(WITHIN_S)  # and reads nothing meanwhile
            return answer.status_code
    streams.over = threading.Event()
    streams.add("download", download)

    listen(server, session, DEAF)

    def tunnel(client, begun):
        with upgraded(server, session) as connection:
            send_until_stuck(connection)
            begun.set()
            connection.settimeout(WITHIN_S)
            return connection.recv(1)
    streams.add("tunnel", tunnel)
    return session


def kept_variable(server):
    """A session that nobody touches while the server stops."""
    session = server.session()
    server.run(session, "kept = 'kept ' * 2")
    return session


def stop(server, streams):
    server.process.send_signal(signal.SIGTERM)
    status = server.process.wait(WITHIN_S)
    if hasattr(streams, "over"):
        streams.over.set()
    streams.join()
    log = (server.folder / "log").read_text()
    assert status == 0, log[-4000:]
    assert "this must not be" not in log and "does not end" not in log, log[-4000:]


def assert_kept(server, session):
    server.start()
    answer = server.run(session, "print(kept)")
    assert (answer["stdout"], answer["lost"], answer["state_lost"]) == ("kept kept \n", [], False)
    assert server.stop() == 0


def test_past_the_grace_on_every_stream(server):
    kept = kept_variable(server)
    streams = Streams(server)
    add_all_streams(streams, server)
    streams.wait_until_begun()
    stop(server, streams)
    assert_kept(server, kept)


def test_runs_whose_client_left_do_not_hold_up_a_stop(server):
    """One that asked for it goes on without its client; a server that stops saves what it had made."""
    session = server.session()
    server.run(session, "early = 1")
    leaves = httpx.Client(base_url=server.url, timeout=WITHIN_S)
    with leaves.stream("POST", f"/v1/sessions/{session}/run", headers=EVENTS,
                       json={"code": "late = 2\n" + SLEEP, "keep_running": True}) as answer:
        for piece in answer.iter_raw():
            if b"began" in piece:
                break
    leaves.close()
    assert server.stop() == 0
    server.start()
    answer = server.run(session, "print(early, late)")
    assert (answer["stdout"], answer["lost"]) == ("1 2\n", [])
    assert server.stop() == 0


# ---- Guests that answer nothing ----

def pid_1_of(server, session):
    """As the host counts."""
    word = host.marker()
    start_process(server, session, "sh", "-c", f"sleep 900; : {word}")
    return pid_1_above(word)


def pid_1_above(word):
    """A process inside leads to it."""
    assert host.eventually(lambda: host.with_argument(word), WITHIN_S)
    pid = host.with_argument(word)[0].pid
    while True:
        inside = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("NSpid")]
        if inside[0].split()[-1] == "1":
            return pid
        pid = host.look_at(pid).parent


@pytest.fixture
def stopped_guests():
    """Stops PID 1 of sandboxes; whoever is left is let go on at the end."""
    pids = []

    def stop_guest(pid):
        os.kill(pid, signal.SIGSTOP)
        pids.append(pid)
    yield stop_guest
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def questions(session):
    """What a client can ask of a guest that somebody else waits for, too."""
    base = f"/v1/sessions/{session}"
    return {
        "stat": lambda client: client.head(f"{base}/files/session/there"),
        "get": lambda client: client.get(f"{base}/files/session/there"),
        "put": lambda client: client.put(f"{base}/files/session/new", content=b"x" * (4 << 20)),
        "list": lambda client: client.get(f"{base}/files/session/"),
        "contexts": lambda client: client.get(f"{base}/contexts"),
        "interrupt": lambda client: client.post(f"{base}/contexts/default/interrupt"),
        "process": lambda client: client.post(f"{base}/processes", json={"argv": ["true"]}),
        "run": lambda client: client.post(f"{base}/run", json={"code": "1"}),
    }


@pytest.mark.root_only
def test_a_stop_with_guests_that_have_hung(server, stopped_guests):
    kept = kept_variable(server)
    streams = Streams(server)
    busy = add_all_streams(streams, server)
    streams.wait_until_begun()
    stopped_guests(pid_1_of(server, busy))
    stopped_guests(pid_1_above(IN_TURN))
    for what in ("stat", "put", "contexts", "interrupt", "run", "evict", "fork"):
        session = server.session()
        pid = pid_1_of(server, session)
        for one in server.http.get(f"/v1/sessions/{session}/processes").json()["processes"]:
            server.http.delete(f"/v1/sessions/{session}/processes/{one['id']}")
        stopped_guests(pid)

        def ask(client, begun, what=what, session=session):
            begun.set()
            if what in ("evict", "fork"):
                return client.post(f"/v1/sessions/{session}/{what}")
            return questions(session)[what](client)
        streams.add(what, ask)
    streams.wait_until_begun()
    stop(server, streams)
    assert_kept(server, kept)


@pytest.mark.root_only
def test_t6_whatever_is_asked_of_a_hung_guest_ends(server, stopped_guests):
    """Each call ends, with an error; the session can be used again, and one like it deleted."""
    session, deleted, bystander = server.session(), server.session(), kept_variable(server)
    server.run(session, "open('/session/there', 'w').write('x' * 300000)")
    stopped_guests(pid_1_of(server, session))
    stopped_guests(pid_1_of(server, deleted))
    assert server.http.delete(f"/v1/sessions/{deleted}").status_code == 204
    streams = Streams(server)
    for name, ask in questions(session).items():
        def request(client, begun, ask=ask):
            begun.set()
            return ask(client)
        streams.add(name, request)

    def shell(client, begun):
        with terminal_of(server, session) as opened:
            begun.set()
            opened.recv(timeout=WITHIN_S)
        return httpx.Response(503)

    streams.add("terminal", shell)
    streams.join()
    for name, answer in streams.ended.items():
        assert isinstance(answer, Exception) or answer.status_code >= 500, (name, answer)
    assert server.run(bystander, "print(kept)")["stdout"] == "kept kept \n"
    again = server.run(session, "print(open('/session/there').read()[:1])")
    assert again["stdout"] == "x\n" and "did not answer" in again["lost"][0]["reason"], again["lost"]
    assert server.stop() == 0


# ---- Clients that leave ----

def falls_asleep(server, session):
    """Nobody uses it, so it can be put to sleep."""
    answer = server.http.post(f"/v1/sessions/{session}/evict")
    assert answer.status_code in (200, 409), answer.text
    return answer.status_code == 200


@pytest.fixture(scope="module")
def impatient(tmp_path_factory):
    running = Analyst(tmp_path_factory.mktemp("impatient"),
                      environment={**GRACE, "ATOLL_PORTS_ANSWER_TIMEOUT": "3s"})
    yield running
    assert running.stop() == 0


@pytest.mark.parametrize("how", ["closes", "ends its side", "resets"])
def test_f3_a_tunnel_whose_client_left_while_nobody_read(impatient, how):
    session = impatient.session()
    listen(impatient, session, DEAF)
    connection = upgraded(impatient, session)
    send_until_stuck(connection)
    assert not falls_asleep(impatient, session)
    if how == "resets":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    if how == "ends its side":
        connection.shutdown(socket.SHUT_WR)
    else:
        connection.close()
    assert host.eventually(lambda: falls_asleep(impatient, session), WITHIN_S), "somebody still uses it"
    connection.close()


def test_a_client_that_ended_its_side_hears_the_rest(impatient):
    """As long as something comes, however long after."""
    session = impatient.session()
    listen(impatient, session, DEAF + """
    while connection.recv(4096): pass
    for _ in range(16):
        time.sleep(.5)
        connection.sendall(b"still here\\n")
    connection.close()
""")
    with upgraded(impatient, session) as connection:
        connection.sendall(b"that is all")
        connection.shutdown(socket.SHUT_WR)
        text = b""
        while piece := connection.recv(4096):
            text += piece
    assert text == b"still here\n" * 16


@pytest.mark.parametrize("query", ["", "?pty=false&command=sleep+600"])
def test_f3_a_terminal_whose_client_left_while_its_program_did_not_read(impatient, query):
    session, left = impatient.session(), threading.Event()
    with contextlib.suppress(ConnectionClosed, OSError), terminal_of(impatient, session, query) as opened:
        if not query:
            opened.send(b"stty -icanon -echo; sleep 600\n")

        def type_on():
            with contextlib.suppress(ConnectionClosed, OSError):
                while not left.is_set():
                    opened.send(b"x" * 65536)
        threading.Thread(target=type_on, daemon=True).start()
        time.sleep(2)  # until the program's buffers are full: nothing outside shows it
        left.set()
        # A reset: an orderly end would wait behind what nobody reads, until the server misses its pings.
        opened.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        opened.socket.shutdown(socket.SHUT_RDWR)  # whoever waits in it lets go, and closes it
    assert left.is_set()

    def programs():
        return impatient.run(session, "pgrep -xc sleep || true", language="shell")["stdout"].strip()
    assert host.eventually(lambda: programs() == "0", WITHIN_S), "its program is left"
    assert host.eventually(lambda: falls_asleep(impatient, session), WITHIN_S), "somebody still uses it"


# ---- A client that pipelines and does not read ----

def test_failing_calls_that_nobody_reads(impatient):
    """Each fails, its answer finds no room, and the client ends its side: nobody may be told any more."""
    host_and_port = impatient.url.removeprefix("http://").split(":")
    body = b'{"code": "1", "session_id": "s-' + b"0" * 60000 + b'"}'
    request = (f"POST /v1/tools/code_sandbox HTTP/1.1\r\nHost: {':'.join(host_and_port)}\r\n"
               f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body
    for _ in range(4):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect((host_and_port[0], int(host_and_port[1])))
        connection.settimeout(1)
        with contextlib.suppress(TimeoutError, ConnectionError):
            for _ in range(400):
                connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        assert impatient.http.get("/healthz").status_code == 200
        connection.close()
    assert impatient.http.get("/healthz").status_code == 200
