"""Processes over HTTP: started, fed, signalled, followed, waited for, and how each of them ends."""

import json
import os
import threading
import time

import httpx
import pytest
from harness.server import Server
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


@pytest.fixture(scope="module")
def session(server):
    return server.session()


def start(server, session, command=None, status=201, **fields):
    body = {"command": command, **fields} if command else fields
    answer = server.http.post(f"/v1/sessions/{session}/processes", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def view(server, session, process):
    return server.http.get(f"/v1/sessions/{session}/processes/{process}").json()


def wait(server, session, process, timeout="30s"):
    answer = server.http.get(f"/v1/sessions/{session}/processes/{process}/wait", params={"timeout": timeout})
    assert answer.status_code == 200, answer.text
    return answer.json()


def events(server, session, process, last=None, stop=lambda name, data: name == "ended"):
    headers = {"Accept": "text/event-stream", **({"Last-Event-ID": str(last)} if last is not None else {})}
    found = []
    with server.http.stream("GET", f"/v1/sessions/{session}/processes/{process}/output", headers=headers) as answer:
        assert answer.status_code == 200, answer.read()
        at = name = None
        for line in answer.iter_lines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("id: "):
                at = int(line[4:])
            elif line.startswith("data: "):
                found.append((name, json.loads(line[6:]), at))
            elif line == "" and name:
                if stop(found[-1][0], found[-1][1]):
                    break
                name = None
    return found


def text_of(found, kind="stdout"):
    return "".join(data["text"] for name, data, _ in found if name == kind)


def test_one_that_is_waited_for(server, session):
    ended = start(server, session, "echo out; echo err >&2; pwd; echo $X; exit 3", 200, wait=True, cwd="/tmp",
                  environment={"X": "ü = y"})
    assert (ended["stdout"], ended["stderr"]) == ("out\n/tmp\nü = y\n", "err\n")
    assert (ended["exit_code"], ended["signal"], ended["reason"]) == (3, 0, "exited")
    ended = start(server, session, argv=["cat"], wait=True, input="typed\n", status=200)
    assert ended["stdout"] == "typed\n"
    ended = start(server, session, "kill -9 $$", 200, wait=True)
    assert (ended["signal"], ended["exit_code"], ended["reason"]) == (9, 137, "signalled")
    ended = start(server, session, "sleep 60", 200, wait=True, timeout="300ms")
    assert ended["reason"] == "timeout" and ended["run_ms"] < 30_000


def test_a_lot_of_output_is_cut_and_said(server, session):
    ended = start(server, session, "head -c 12000000 /dev/zero | tr '\\0' x; echo end >&2", 200, wait=True)
    assert ended["exit_code"] == 0 and ended["output_truncated"] and len(ended["stdout"]) == 8 << 20
    whole = start(server, session, "head -c 2000000 /dev/zero | tr '\\0' x", 200, wait=True)
    assert not whole["output_truncated"] and len(whole["stdout"]) == 2_000_000


def test_in_the_background(server, session):
    made = server.http.post(f"/v1/sessions/{session}/processes", json={"argv": ["sleep", "60"]})
    process = made.json()
    assert made.headers["location"].endswith(process["id"])
    assert process["state"] == "running" and process["pid"] > 1 and process["argv"] == ["sleep", "60"]
    listed = server.http.get(f"/v1/sessions/{session}/processes").json()["processes"]
    assert listed[0]["id"] == process["id"]
    assert wait(server, session, process["id"], "100ms")["state"] == "running"
    killed = server.http.post(f"/v1/sessions/{session}/processes/{process['id']}/signal", json={"signal": "term"})
    assert killed.status_code == 200
    ended = wait(server, session, process["id"])
    assert (ended["state"], ended["signal"], ended["reason"]) == ("ended", 15, "signalled")
    again = server.http.post(f"/v1/sessions/{session}/processes/{process['id']}/signal", json={"signal": "kill"})
    assert again.status_code == 409
    assert server.http.delete(f"/v1/sessions/{session}/processes/{process['id']}").status_code == 204
    assert server.http.get(f"/v1/sessions/{session}/processes/{process['id']}").status_code == 404


def test_delete_kills_the_whole_tree(server, session):
    process = start(server, session, "sleep 987654 & sleep 987654 & wait")["id"]
    time.sleep(0.2)
    assert server.http.delete(f"/v1/sessions/{session}/processes/{process}").status_code == 204
    left = start(server, session, "pgrep -fc '^sleep 987654' || true", 200, wait=True)["stdout"]
    assert left == "0\n"


def test_input(server, session):
    process = start(server, session, "while read line; do echo \"got $line\"; done; echo done", stdin_open=True)["id"]
    path = f"/v1/sessions/{session}/processes/{process}"
    answer = server.http.post(f"{path}/stdin", content=b"one\ntwo\n")
    assert answer.json() == {"bytes": 8, "stdin_open": True}
    answer = server.http.post(f"{path}/stdin", content=b"three\n", params={"end": True})
    assert answer.json() == {"bytes": 6, "stdin_open": False}
    assert wait(server, session, process)["exit_code"] == 0
    assert server.http.get(f"{path}/output").json()["stdout"] == "got one\ngot two\ngot three\ndone\n"
    assert server.http.post(f"{path}/stdin", content=b"x").status_code == 409
    closed = start(server, session, "sleep 20")["id"]
    assert server.http.post(f"/v1/sessions/{session}/processes/{closed}/stdin", content=b"x").status_code == 409
    server.http.delete(f"/v1/sessions/{session}/processes/{closed}")


def test_much_input(server, session):
    process = start(server, session, "sleep 0.5; md5sum; wc -c < /dev/null", stdin_open=True)["id"]
    data = os.urandom(8 << 20)
    path = f"/v1/sessions/{session}/processes/{process}"
    assert server.http.post(f"{path}/stdin?end=true", content=data).json()["bytes"] == len(data)
    import hashlib
    wait(server, session, process)
    assert hashlib.md5(data).hexdigest() in server.http.get(f"{path}/output").json()["stdout"]


def test_input_that_is_read_late_or_never(server, session):
    begun = time.monotonic()
    lazy = start(server, session, "sleep 600", input="x" * 1_000_000)["id"]
    late = start(server, session, "sleep 1; wc -c", input="x" * 1_000_000, stdin_open=True)["id"]
    assert time.monotonic() - begun < 20, "it waited for the program"
    path = f"/v1/sessions/{session}/processes/{late}"
    assert server.http.post(f"{path}/stdin", content=b"y" * 10, params={"end": True}).json()["bytes"] == 10
    assert wait(server, session, late)["state"] == "ended"
    assert server.http.get(f"{path}/output").json()["stdout"].strip() == "1000010"
    assert server.http.delete(f"/v1/sessions/{session}/processes/{lazy}").status_code == 204


def test_output_as_it_comes_and_again_from_where_it_was(server, session):
    process = start(server, session, "for i in 1 2 3 4 5 6; do echo größe $i; sleep 0.15; done; echo bad >&2")["id"]
    first = events(server, session, process, stop=lambda name, data: "2" in data.get("text", ""))
    assert text_of(first) == "größe 1\ngröße 2\n"
    rest = events(server, session, process, last=first[-1][2])
    assert text_of(rest) == "".join(f"größe {i}\n" for i in (3, 4, 5, 6)) and text_of(rest, "stderr") == "bad\n"
    assert rest[-1][0] == "ended" and rest[-1][1]["exit_code"] == 0
    everything = events(server, session, process)
    assert text_of(everything) == "".join(f"größe {i}\n" for i in range(1, 7))
    assert [at for _, _, at in everything] == sorted(at for _, _, at in everything)
    beyond = server.http.get(f"/v1/sessions/{session}/processes/{process}/output", params={"after": 10**6})
    assert beyond.status_code == 400 and "after" in beyond.text


def test_a_gap_is_said(server, session):
    process = start(server, session, "echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo last")["id"]
    wait(server, session, process)
    found = events(server, session, process, last=6)
    names = [name for name, _, _ in found]
    assert names[0] == "gap" and names.count("gap") == 1 and found[0][1]["begin"] == 6
    text = text_of(found)
    assert found[0][1]["end"] + len(text) == 3_000_011 and text.endswith("xlast\n") and len(text) <= 262_144
    kept = server.http.get(f"/v1/sessions/{session}/processes/{process}/output", params={"after": 6}).json()
    assert kept["lost_bytes"] == found[0][1]["end"] - 6 and kept["end"] == 3_000_011 and kept["stdout"] == text


def test_a_flood_does_not_grow_the_server(server, session):
    def resident():
        for line in open(f"/proc/{server.process.pid}/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1]) << 10
    before = resident()
    flood = [start(server, session, "yes flood")["id"] for _ in range(4)]
    time.sleep(2)
    assert server.http.get("/healthz").status_code == 200
    assert resident() - before < 48 << 20
    for process in flood:
        assert view(server, session, process)["output_end"] > 1 << 20
        assert server.http.delete(f"/v1/sessions/{session}/processes/{process}").status_code == 204


def test_a_client_that_leaves_ends_what_it_waits_for(server, session):
    with pytest.raises(httpx.TimeoutException):
        server.http.post(f"/v1/sessions/{session}/processes", json={"command": "sleep 5555", "wait": True}, timeout=1)
    until = time.monotonic() + 20
    while time.monotonic() < until:
        newest = server.http.get(f"/v1/sessions/{session}/processes").json()["processes"][0]
        if newest["state"] == "ended":
            break
        time.sleep(0.05)
    assert newest["reason"] == "killed" and "sleep 5555" in newest["argv"]


def test_memory(server):
    session = server.session(limits={"memory_bytes_max": 256 << 20})
    ended = start(server, session, argv=["python3", "-c", "x = bytearray(1 << 30)\nfor i in range(0, 1 << 30, 4096): x[i] = 1"],
                  wait=True, status=200)
    if ended["reason"] == "exited":
        assert "MemoryError" in ended["stderr"]  # a host without cgroups limits the data size
    else:
        assert ended["reason"] == "memory", ended


def can_freeze(server, session):
    return server.http.post(f"/v1/sessions/{session}/pause").status_code == 200


def test_a_frozen_session_freezes_its_processes(server):
    session = server.session()
    process = start(server, session, "while true; do echo tick; sleep 0.05; done")["id"]
    if not can_freeze(server, session):
        pytest.skip("this host cannot freeze a sandbox")
    frozen = view(server, session, process)
    assert frozen["state"] == "frozen"
    time.sleep(0.5)
    assert view(server, session, process)["output_end"] == frozen["output_end"], "it went on"
    # Reaching into it wakes it.
    assert wait(server, session, process, "300ms")["state"] == "running"
    assert view(server, session, process)["output_end"] > frozen["output_end"]
    server.http.delete(f"/v1/sessions/{session}")


@pytest.mark.parametrize("how", ["evict", "restart"])
def test_they_end_with_the_sandbox_and_say_so(server, how):
    session = server.session()
    process = start(server, session, "echo before; sleep 600")["id"]
    followed = []
    if how == "restart":  # who follows it keeps the session awake, so it could not be evicted
        thread = threading.Thread(target=lambda: followed.extend(events(server, session, process)))
        thread.start()
        time.sleep(0.5)
    else:
        time.sleep(0.2)
    assert server.http.post(f"/v1/sessions/{session}/{how}").status_code == 200
    if how == "restart":
        thread.join(30)
        assert followed[-1][0] == "ended" and followed[-1][1]["reason"] == "sandbox"
    ended = view(server, session, process)
    assert (ended["state"], ended["reason"], ended["signal"]) == ("ended", "sandbox", 9)
    assert "sandbox" in ended["note"]
    output = server.http.get(f"/v1/sessions/{session}/processes/{process}/output").json()
    assert output["stdout"] == "before\n"
    if how == "evict":
        assert server.http.get(f"/v1/sessions/{session}").json()["state"] == "cold", "looking woke it"


def until_asleep(server, session, state="cold"):
    until = time.monotonic() + 60
    while server.http.get(f"/v1/sessions/{session}").json()["state"] != state:
        assert time.monotonic() < until, "it did not fall asleep"
        time.sleep(0.2)


def test_what_runs_keeps_its_session_awake(server):
    """Started by a client, or left running by a run; without it the same session falls asleep."""
    sleepy = {"idle_to_warm": "1s", "idle_to_cold": "2s"}
    kept, started, left, bare = (server.session(**sleepy) for _ in range(4))
    process = start(server, kept, "sleep 600", keep_awake=True)["id"]
    other = start(server, started, "sleep 600")["id"]
    server.run(left, "import subprocess; child = subprocess.Popen(['sleep', '600'])")
    server.run(bare, "1")  # the last that is used
    until_asleep(server, bare)
    for session in (kept, started, left):
        assert server.http.get(f"/v1/sessions/{session}").json()["state"] == "hot"
    assert view(server, kept, process)["state"] == view(server, started, other)["state"] == "running"
    assert server.http.post(f"/v1/sessions/{kept}/evict").status_code == 409, "it is in use until the program ends"
    server.http.delete(f"/v1/sessions/{kept}/processes/{process}")
    assert server.http.post(f"/v1/sessions/{kept}/evict").status_code == 200
    # Once nothing runs any more, they fall asleep as others do.
    server.http.delete(f"/v1/sessions/{started}/processes/{other}")
    until_asleep(server, started)


def test_background_work_keeps_it_awake_for_a_bounded_time_and_sleep_says_what_it_stopped(tmp_path):
    running = Server(tmp_path, environment={"ATOLL_BACKGROUND_AWAKE": "3s"})
    try:
        session = running.session(idle_to_warm="1s", idle_to_cold="2s")
        process = start(running, session, "python3 -m http.server 8123")["id"]
        until_asleep(running, session)
        ended = view(running, session, process)
        assert (ended["state"], ended["reason"]) == ("ended", "sandbox")
        assert "the session went to sleep" in ended["note"] and "start it again" in ended["note"]
        nobody = running.http.get(f"/v1/sessions/{session}/ports/8123/")
        assert nobody.status_code == 502
        detail = nobody.json()["detail"]
        assert "went to sleep at 20" in detail and "http.server 8123" in detail and "start it again" in detail, detail
        lost = running.run(session, "1")["lost"]
        assert any(one["type"] == "process" and "http.server" in one["name"] for one in lost)
        # Told once; the port still says why, as long as this sandbox lives.
        assert "went to sleep" in running.http.get(f"/v1/sessions/{session}/ports/8123/").json()["detail"]
        fresh = running.session()
        assert "went to sleep" not in running.http.get(f"/v1/sessions/{fresh}/ports/8123/").json()["detail"]
    finally:
        assert running.stop() == 0


def test_the_lifetime_goes_before_keep_awake(server):
    session = server.session(lifetime="2s")
    start(server, session, "sleep 600", keep_awake=True)
    until = time.monotonic() + 30
    while server.http.get(f"/v1/sessions/{session}/processes").status_code != 404:
        assert time.monotonic() < until, "it outlives its time"
        time.sleep(0.2)


def test_the_server_stops_in_order_whatever_is_open(own_server):
    session = own_server.session()
    process = start(own_server, session, "yes | head -c 1000; sleep 600", keep_awake=True)["id"]
    seen = []

    def follow():
        try:
            seen.extend(events(own_server, session, process))
        except httpx.TransportError:
            seen.append("cut")

    def ask(*request, **fields):
        answers.append(own_server.http.request(*request, **fields).json())

    answers = []
    threads = [threading.Thread(target=follow),
               threading.Thread(target=ask, args=("POST", f"/v1/sessions/{session}/processes"),
                                kwargs={"json": {"command": "sleep 600", "wait": True}}),
               threading.Thread(target=ask, args=("GET", f"/v1/sessions/{session}/processes/{process}/wait"),
                                kwargs={"params": {"timeout": "60s"}})]
    for thread in threads:
        thread.start()
    url = own_server.url.replace("http", "ws") + f"/v1/sessions/{session}/terminal"
    with connect(url, close_timeout=1) as socket:
        socket.recv(timeout=20)
        time.sleep(0.5)
        own_server.process.send_signal(15)
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                socket.recv(timeout=30)
        assert closed.value.rcvd.code == 1001
    assert own_server.process.wait(60) == 0
    for thread in threads:
        thread.join(30)
    assert "cut" not in seen and "y\n" * 500 == text_of(seen)
    assert sorted((one.get("reason", ""), one.get("state", "")) for one in answers) == [("", "running"), ("killed", "")]


def test_a_run_under_way_survives_the_end_of_its_sandbox_with_an_answer(server):
    session = server.session()
    answers = []
    thread = threading.Thread(target=lambda: answers.append(server.http.post(
        f"/v1/sessions/{session}/run", json={"code": "sleep 60", "language": "shell"})))
    thread.start()
    time.sleep(0.5)
    assert server.http.post(f"/v1/sessions/{session}/restart").status_code == 200
    thread.join(30)
    assert answers and (answers[0].status_code == 503 or answers[0].json()["reason"] == "killed"), answers[0].text


def test_so_many_and_no_more(server):
    session = server.session()
    for _ in range(32):
        start(server, session, "sleep 600")
    answer = server.http.post(f"/v1/sessions/{session}/processes", json={"command": "true"})
    assert answer.status_code == 429 and "32" in answer.json()["detail"]
    for one in server.http.get(f"/v1/sessions/{session}/processes").json()["processes"][:2]:
        server.http.delete(f"/v1/sessions/{session}/processes/{one['id']}")
    for _ in range(40):
        start(server, session, "true", 200, wait=True)
    states = [one["state"] for one in server.http.get(f"/v1/sessions/{session}/processes").json()["processes"]]
    assert states.count("running") == 30 and states.count("ended") == 32
    server.http.delete(f"/v1/sessions/{session}")


@pytest.mark.parametrize("body, status, says", [
    ({}, 400, "argv"), ({"argv": []}, 400, "argv"), ({"argv": [""]}, 400, "argv"), ({"argv": ["a"], "command": "b"}, 400, "argv"),
    ({"argv": ["a\0b"]}, 400, "argv[0]"), ({"command": "x\0"}, 400, "command"), ({"command": 5}, 400, "command"),
    ({"command": "true", "environment": {"A=B": "c"}}, 400, "environment"),
    ({"command": "true", "environment": {"A": "c\0"}}, 400, "environment"),
    ({"command": "true", "cwd": "/nowhere"}, 404, "/nowhere"), ({"argv": ["/nothing/here"]}, 404, "/nothing/here"),
    ({"argv": ["no-such-program"]}, 404, "no-such-program"), ({"argv": ["/etc/passwd"]}, 403, "/etc/passwd"),
    ({"command": "true", "timeout": -1}, 400, "timeout"), ({"command": "true", "wiat": True}, 400, "wiat"),
    ({"argv": ["x"] + ["y" * 100_000] * 4}, 400, "256 KiB"),
])
def test_bad_input(server, session, body, status, says):
    answer = server.http.post(f"/v1/sessions/{session}/processes", json=body)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith("application/problem+json") and says in answer.text


@pytest.mark.parametrize("method, path, body, status", [
    ("GET", "processes/p-nothing", None, 404), ("DELETE", "processes/p-nothing", None, 404),
    ("GET", "processes/p-nothing/wait", None, 404), ("GET", "processes/p-nothing/output", None, 404),
    ("POST", "processes/p-nothing/stdin", None, 404), ("POST", "processes/p-nothing/signal", {"signal": "int"}, 404),
    ("POST", "processes/p-nothing/signal", {"signal": "bang"}, 400), ("GET", "processes/p-nothing/wait?timeout=2h", None, 400),
    ("GET", "processes/p-nothing/output?after=x", None, 400), ("GET", "processes/p-nothing/output?after=-1", None, 400),
])
def test_what_is_not_there(server, session, method, path, body, status):
    answer = server.http.request(method, f"/v1/sessions/{session}/{path}", json=body)
    assert answer.status_code == status, answer.text


def test_a_process_of_another_session_is_not_there(server, session):
    process = start(server, session, "sleep 5")["id"]
    other = server.session()
    assert server.http.get(f"/v1/sessions/{other}/processes/{process}").status_code == 404
    assert server.http.delete(f"/v1/sessions/{other}/processes/{process}").status_code == 404
    assert view(server, session, process)["state"] == "running"
    server.http.delete(f"/v1/sessions/{session}/processes/{process}")
