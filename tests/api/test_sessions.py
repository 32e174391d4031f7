"""Sessions over HTTP: made, used, asleep, found again, gone."""

import json
import os
import subprocess
import threading
import time
import uuid

import httpx
import pytest
from harness.driver import BUILD


def test_an_empty_body_makes_a_session(server):
    answer = server.http.post("/v1/sessions")
    assert answer.status_code == 201
    made = answer.json()
    assert made["state"] == "hot" and len(made["id"]) >= 26
    assert answer.headers["location"] == f"/v1/sessions/{made['id']}"
    assert server.http.get(answer.headers["location"]).json()["id"] == made["id"]
    assert server.http.delete(answer.headers["location"]).status_code == 204
    assert server.http.get(answer.headers["location"]).status_code == 404


def test_variables_and_files_stay(server):
    session = server.session(name="stay", metadata={"kind": "stay"})
    assert server.run(session, "x = 41; open('/session/a.txt', 'w').write('kept')")["exit_code"] == 0
    answer = server.run(session, "print(open('/session/a.txt').read())\nx + 1")
    assert answer["stdout"] == "kept\n"
    assert answer["results"][0]["data"]["text/plain"] == "42"
    assert server.run(session, "cat /session/a.txt", language="shell")["stdout"] == "kept"
    found = server.http.get("/v1/sessions", params={"metadata": "kind=stay"}).json()["sessions"]
    assert [one["id"] for one in found] == [session]


def test_asleep_and_back(server):
    session = server.session()
    server.run(session, "import pandas as pd\nframe = pd.DataFrame({'a': [1, 2, 3]})\n"
                        "lock = __import__('threading').Lock()\nopen('/data/f', 'w').write('f')")
    paused = server.http.post(f"/v1/sessions/{session}/pause")
    if os.geteuid() == 0:
        assert paused.json()["state"] == "warm"
        assert server.http.get(f"/v1/sessions/{session}").json()["state"] == "warm"
    else:
        # An ordinary user without a cgroup cannot freeze: it is told so, and nothing changes.
        assert paused.status_code in (200, 501, 503), paused.text
    answer = server.run(session, "print(frame.a.sum(), lock.locked())")
    assert answer["stdout"] == "6 False\n" and answer["lost"] == []
    assert server.http.post(f"/v1/sessions/{session}/evict").json()["state"] == "cold"
    answer = server.run(session, "print(frame.a.sum(), open('/data/f').read(), 'lock' in dir())")
    assert answer["stdout"] == "6 f False\n"
    assert [one["name"] for one in answer["lost"]] == ["lock"] and answer["lost"][0]["reason"]
    assert server.run(session, "1")["lost"] == []  # said once
    assert server.http.post(f"/v1/sessions/{session}/restart").json()["state"] == "hot"
    assert server.run(session, "print('frame' in dir(), open('/data/f').read())")["stdout"] == "False f\n"


def test_many_wake_it_once(server):
    session = server.session()
    server.run(session, "x = 1")
    server.http.post(f"/v1/sessions/{session}/evict")
    answers = []

    def use():
        with httpx.Client(base_url=server.url, timeout=60) as client:
            answers.append(client.post(f"/v1/sessions/{session}/run", json={"code": "print(x, __import__('os').getpid())"}).json())

    threads = [threading.Thread(target=use) for _ in range(8)]
    [one.start() for one in threads]
    [one.join() for one in threads]
    assert len({answer["stdout"] for answer in answers}) == 1 and len(answers) == 8


def test_paging_and_patching(server):
    word = uuid.uuid4().hex
    made = [server.session(metadata={"page": word}) for _ in range(5)]
    seen, times, cursor = [], [], ""
    while True:
        page = server.http.get("/v1/sessions", params={"metadata": f"page={word}", "limit": 2, "cursor": cursor}).json()
        seen += [one["id"] for one in page["sessions"]]
        times += [one["created_at"] for one in page["sessions"]]
        cursor = page.get("next_cursor")
        if not cursor:
            break
    # The newest first; those of the same millisecond in any order.
    assert sorted(seen) == sorted(made) and times == sorted(times, reverse=True)
    changed = server.http.patch(f"/v1/sessions/{made[0]}", json={"name": "neu ✓", "idle_to_cold": "2h"}).json()
    assert changed["name"] == "neu ✓" and changed["idle_to_cold_s"] == 7200
    for one in made:
        assert server.http.delete(f"/v1/sessions/{one}").status_code == 204


@pytest.mark.parametrize("method, path", [
    ("GET", "/v1/sessions/{}"), ("DELETE", "/v1/sessions/{}"), ("POST", "/v1/sessions/{}/run"),
    ("POST", "/v1/sessions/{}/pause"), ("POST", "/v1/sessions/{}/evict"),
    ("POST", "/v1/sessions/{}/resume"), ("POST", "/v1/sessions/{}/restart")])
@pytest.mark.parametrize("name", ["s-none", "..%2f..%2fetc", "%00", "a" * 5000])
def test_no_such_session(server, method, path, name):
    body = {"code": "1"} if path.endswith("run") else None
    answer = server.http.request(method, path.format(name), json=body)
    assert answer.status_code in (400, 404, 414), answer.text
    assert answer.headers["content-type"].startswith("application/problem+json")
    assert answer.json()["request_id"]


@pytest.mark.once
def test_idle_sessions_fall_asleep_by_themselves(server):
    session = server.session(idle_to_warm="1s", idle_to_cold="3s")
    server.run(session, "y = 5")
    states = set()
    until = time.monotonic() + 20
    while time.monotonic() < until and "cold" not in states:
        states.add(server.http.get(f"/v1/sessions/{session}").json()["state"])
        time.sleep(0.2)
    assert {"hot", "cold"} <= states
    assert server.run(session, "y")["results"][0]["data"]["text/plain"] == "5"


def test_a_lifetime_ends_it(server):
    session = server.session(lifetime="1s")
    until = time.monotonic() + 15
    while time.monotonic() < until:
        if server.http.get(f"/v1/sessions/{session}").status_code == 404:
            return
        time.sleep(0.2)
    raise AssertionError("it lives on")


def test_killed_and_back(own_server):
    """What was acknowledged is there after kill -9: sessions, files, and variables as of the last
    sleep. The first answer says what was lost."""
    kept = own_server.session(name="kept")
    own_server.run(kept, "x = 1; open('/session/f', 'w').write('one')")
    own_server.http.post(f"/v1/sessions/{kept}/evict")
    own_server.run(kept, "x = 2; open('/session/g', 'w').write('two')")
    gone = own_server.session()
    own_server.http.delete(f"/v1/sessions/{gone}")
    own_server.kill()
    own_server.start()
    listed = own_server.http.get("/v1/sessions").json()["sessions"]
    assert [(one["id"], one["state"]) for one in listed] == [(kept, "cold")]
    answer = own_server.run(kept, "print(x, open('/session/f').read(), open('/session/g').read())")
    assert answer["stdout"] == "1 one two\n"
    assert any("server ended" in one["reason"] for one in answer["lost"])
    assert sorted(path.name for path in (own_server.folder / "data/sessions").iterdir()
                  if not path.name.startswith(".") and not path.name.endswith(".state")) == [kept]


@pytest.mark.once
def test_a_second_server_on_the_same_folder_is_refused(own_server):
    second = subprocess.run([BUILD / "atoll", "serve", "--listen", "127.0.0.1:0", "--data-dir",
                             own_server.folder / "data"], capture_output=True, text=True, timeout=60)
    assert second.returncode == 1 and "atoll serve:" in second.stderr


def test_stopping_saves_what_is_awake(own_server):
    session = own_server.session()
    own_server.run(session, "z = {'deep': [1, 2]}")
    assert own_server.stop() == 0
    own_server.start()
    answer = own_server.run(session, "print(z)")
    assert answer["stdout"] == "{'deep': [1, 2]}\n" and answer["lost"] == []


def test_the_document_describes_every_route(server):
    document = server.http.get("/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    assert {"/v1/sessions", "/v1/sessions/{id}", "/v1/sessions/{id}/run", "/v1/run", "/healthz"} <= set(document["paths"])
    assert server.http.get("/docs", follow_redirects=True).text.startswith("<!doctype html>") or \
        "<html" in server.http.get("/docs/").text
    assert "default-src 'self'" in server.http.get("/docs/").headers["content-security-policy"]


def test_health(server):
    assert server.http.get("/healthz").json()["status"] == "ok"
    assert server.http.get("/readyz").status_code == 204
    info = server.http.get("/v1/info").json()
    assert info["version"] and "seccomp" in info["walls"]
    assert json.dumps(info)
