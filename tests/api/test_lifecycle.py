"""Fork, and guests that do not let themselves be put to sleep."""

import concurrent.futures
import time
from pathlib import Path

import httpx
from harness import host

NEVER_SAVED = """
class Forever:
    def __reduce__(self):
        while True: pass
held = Forever()
"""


def test_forks_have_files_and_variables_of_their_own(server):
    session = server.session(name="parent", metadata={"team": "x"})
    server.run(session, "import pandas as pd; df = pd.DataFrame({'a': range(1000)}); x = 1")
    server.run(session, "open('/session/f', 'w').write('kept'); open('/data/g', 'w').write('too')")
    answer = server.http.post(f"/v1/sessions/{session}/fork", json={"count": 3})
    assert answer.status_code == 201
    forks = [one["id"] for one in answer.json()["sessions"]]
    assert len(set(forks) | {session}) == 4
    for number, fork in enumerate(forks):
        got = server.run(fork, f"x += {number}; print(x, df.a.sum(), open('/session/f').read(), open('/data/g').read())")
        assert got["stdout"] == f"{1 + number} 499500 kept too\n" and got["lost"] == []
        server.run(fork, f"open('/session/f', 'w').write('{number}')")
    assert server.run(session, "print(x, open('/session/f').read())")["stdout"] == "1 kept\n"
    view = server.http.get(f"/v1/sessions/{forks[0]}").json()
    # Names are unique: a copy has none.
    assert view["name"] == "" and view["metadata"] == {"team": "x", "forked_from": session}


def test_a_sleeping_session_is_forked_without_waking_it(server):
    session = server.session()
    server.run(session, "x = 7")
    server.http.post(f"/v1/sessions/{session}/evict")
    [fork] = server.http.post(f"/v1/sessions/{session}/fork").json()["sessions"]
    assert server.http.get(f"/v1/sessions/{session}").json()["state"] == "cold"
    assert fork["state"] == "cold"
    server.http.delete(f"/v1/sessions/{session}")
    assert server.run(fork["id"], "print(x)")["stdout"] == "7\n"


def test_a_fork_outlives_the_server(server):
    session = server.session()
    server.run(session, "x = 8")
    [fork] = server.http.post(f"/v1/sessions/{session}/fork").json()["sessions"]
    server.kill()
    server.start()
    assert server.run(fork["id"], "print(x)")["stdout"] == "8\n"


def test_to_sleep_is_no_use(server):
    session = server.session()
    server.run(session, "x = 1")
    path = f"/v1/sessions/{session}"
    used = server.http.get(path).json()["last_used_at"]
    time.sleep(0.05)
    for deed, state in (("pause", "warm"), ("evict", "cold")):
        slept = server.http.post(f"{path}/{deed}")
        if deed == "pause" and slept.status_code == 503:
            continue  # an ordinary user cannot freeze
        assert slept.json()["state"] == state
        assert server.http.get(path).json()["last_used_at"] == used
    server.run(session, "x")
    assert server.http.get(path).json()["last_used_at"] > used


def test_variables_that_went_with_the_server_are_told(server):
    session = server.session()
    server.run(session, "x = 1")
    server.kill()
    server.start()
    after = server.run(session, "print('x' in globals())")
    assert after["stdout"] == "False\n" and after["state_lost"] and after["lost"], after
    again = server.run(session, "print(1)")
    assert not again["state_lost"] and not again["lost"], again


def test_bad_forks(server):
    session = server.session()
    for body in [{"count": 0}, {"count": 101}, {"count": "two"}, {"copies": 2}]:
        assert server.http.post(f"/v1/sessions/{session}/fork", json=body).status_code == 400, body
    assert server.http.post("/v1/sessions/s-nobody/fork").status_code == 404
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        running = pool.submit(server.run, session, "import time; time.sleep(1.5)")
        time.sleep(0.5)
        assert server.http.post(f"/v1/sessions/{session}/fork").status_code == 409
        running.result()


def test_a_guest_that_will_not_be_saved_holds_up_nobody(server):
    session, other = server.session(), server.session()
    server.run(session, NEVER_SAVED)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        evicting = pool.submit(httpx.post, f"{server.url}/v1/sessions/{session}/evict", timeout=100)
        time.sleep(1)
        assert server.run(other, "print('here')")["stdout"] == "here\n"
        assert server.http.post(f"/v1/sessions/{other}/evict").json()["state"] == "cold"
        # Removing it ends the waiting.
        assert server.http.delete(f"/v1/sessions/{session}").status_code == 204
        evicting.result(timeout=30)
    assert server.http.get(f"/v1/sessions/{session}").status_code == 404


def test_a_restart_ends_a_guest_that_will_not_be_saved(server):
    session = server.session()
    server.run(session, NEVER_SAVED)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        evicting = pool.submit(httpx.post, f"{server.url}/v1/sessions/{session}/evict", timeout=100)
        time.sleep(1)
        assert server.http.post(f"/v1/sessions/{session}/restart").status_code == 200
        evicting.result(timeout=30)
    assert server.run(session, "print('fresh')")["stdout"] == "fresh\n"


SLOW_TO_RESTORE = """
import time
class Slow:
    def __reduce__(self): return time.sleep, (4,)
slow, kept = Slow(), 42
"""


def test_a_restart_while_it_is_restored_is_said_as_such(server):
    session = server.session()
    server.run(session, SLOW_TO_RESTORE)
    server.http.post(f"/v1/sessions/{session}/evict")
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        waking = pool.submit(httpx.post, f"{server.url}/v1/sessions/{session}/resume", timeout=100)
        time.sleep(1)
        assert server.http.post(f"/v1/sessions/{session}/restart").status_code == 200
        answer = waking.result(timeout=30)
    assert answer.status_code == 409 and "restarted or removed meanwhile" in answer.json()["detail"]
    assert server.run(session, "print('fresh')").get("lost", []) == []


def test_a_stop_of_the_server_while_it_restores_loses_nothing(own_server):
    session = own_server.session()
    own_server.run(session, SLOW_TO_RESTORE)
    own_server.http.post(f"/v1/sessions/{session}/evict")
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        waking = pool.submit(httpx.post, f"{own_server.url}/v1/sessions/{session}/resume", timeout=100)
        time.sleep(1)
        assert own_server.stop() == 0
        assert waking.exception(timeout=30) or waking.result().status_code in (200, 409, 503)
    own_server.start()
    again = own_server.run(session, "print(kept)")
    assert again["stdout"] == "42\n" and again.get("lost", []) == [], again


def test_requests_side_by_side_with_restarts_and_removals(server):
    """Whatever a request was at when its sandbox was taken away, it is answered, and the server lives."""
    session, until, seen = server.session(), time.monotonic() + 4, set()

    def work(ask):
        with httpx.Client(base_url=f"{server.url}/v1/sessions/{session}", timeout=60) as client:
            while time.monotonic() < until:
                seen.add(ask(client).status_code)

    asks = [lambda c: c.post("/run", json={"code": "x = 1"})] * 4 + [
        lambda c: c.post("/restart"),
        lambda c: c.put("/files/session/a.txt", content=b"a" * (3 << 20)),
        lambda c: c.get("/files/session/a.txt"),
        lambda c: c.get("/contexts"),
        lambda c: c.post("/processes", json={"argv": ["true"]}),
    ]
    with concurrent.futures.ThreadPoolExecutor(len(asks) + 1) as pool:
        working = [pool.submit(work, ask) for ask in asks]
        for one in working:
            one.result(timeout=60)
    assert seen <= {200, 201, 204, 404, 409, 503}, seen
    assert server.process.poll() is None
    assert server.run(session, "print('here')")["stdout"] == "here\n"


def test_a_run_is_told_when_its_session_is_restarted(server):
    session = server.session()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        running = pool.submit(server.http.post, f"/v1/sessions/{session}/run",
                              json={"code": "import time; time.sleep(60)"})
        time.sleep(1)
        assert httpx.post(f"{server.url}/v1/sessions/{session}/restart", timeout=30).status_code == 200
        assert running.result(timeout=30).status_code == 503
    assert server.run(session, "print('fresh')")["stdout"] == "fresh\n"


def test_a_kernel_that_floods_its_host_is_stopped_in_time(server):
    answer = server.http.post("/v1/run", json={"timeout": "2s", "code": """
import os, struct
block = struct.pack('<IB', 0, ord('z')) * 100000
while True: os.write(3, block)
"""}, timeout=60)
    assert answer.status_code in (200, 503)
    assert server.http.get("/healthz").status_code == 200


def test_results_cannot_be_made_of_a_million_parts(server):
    """JSON that is quick to write and slow to read, straight into the kernel's own socket."""
    session = server.session()
    answer = server.http.post(f"/v1/sessions/{session}/run", json={"timeout": "20s", "code": """
import os, struct
block = b'{"event":"result","data":[' + b'[],' * 5_000_000 + b'[]]}'
view = memoryview(struct.pack('<IB', len(block), ord('e')) + block)
while view: view = view[os.write(3, view):]
"""})
    assert answer.status_code in (200, 503)
    assert server.run(session, "print('again')")["stdout"] == "again\n"


def test_the_server_stops_with_such_a_guest(server):
    session = server.session()
    server.run(session, NEVER_SAVED)
    assert server.stop() == 0
    server.start()
    assert server.http.get(f"/v1/sessions/{session}").json()["state"] == "cold"


def status_of(pid: int) -> dict:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def test_an_idle_session_hardly_wakes(server):
    """Counted, not timed: without cgroups PID 1 looks at the memory once a second, and no more often
    because something listens for changes of files."""
    session, word = server.session(), host.marker()
    server.run(session, f"import subprocess; p = subprocess.Popen(['sh', '-c', 'sleep 60; :', '{word}'])")
    pid = host.with_argument(word)[0].pid
    while status_of(pid)["NSpid"].split()[-1] != "1":
        pid = host.look_at(pid).parent
    time.sleep(1)
    before = int(status_of(pid)["voluntary_ctxt_switches"])
    time.sleep(3)
    assert int(status_of(pid)["voluntary_ctxt_switches"]) - before < 12
