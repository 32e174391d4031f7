"""Jobs over HTTP: queued, run once, remembered; also when the server is killed in the middle."""

import json
import re
import threading
import time
import uuid

import httpx
import pytest
from harness.server import Server

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def one_by_one(tmp_path_factory):
    """A server that runs one job at a time."""
    running = Server(tmp_path_factory.mktemp("one"), "--jobs", "1")
    yield running
    assert running.stop() == 0


@pytest.fixture
def own_server(tmp_path):
    """For tests that kill it; it runs three jobs at a time."""
    running = Server(tmp_path, "--jobs", "3")
    yield running
    if running.process.poll() is None:
        running.stop()


def until(ask, seconds=60.0):
    """The first true answer."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        answer = ask()
        if answer:
            return answer
        time.sleep(0.05)
    raise AssertionError("it did not come to pass")


def add(server, **fields) -> str:
    answer = server.http.post("/v1/jobs", json=fields)
    assert answer.status_code == 201, answer.text
    assert answer.headers["location"] == f"/v1/jobs/{answer.json()['id']}"
    return answer.json()["id"]


def get(server, job) -> dict:
    answer = server.http.get(f"/v1/jobs/{job}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def ended(server, job, seconds=60.0) -> dict:
    return until(lambda: (found := get(server, job))["state"] in ("succeeded", "failed", "cancelled") and found,
                 seconds)


def log_of(server, job, stream=None) -> str:
    chunks, at = [], 0
    while True:
        page = server.http.get(f"/v1/jobs/{job}/logs", params={"from": at}).json()
        chunks += page["chunks"]
        if not page["chunks"]:
            break
        at = page["next"]
    assert [one["sequence"] for one in chunks] == list(range(len(chunks)))
    return "".join(one["text"] for one in chunks if stream in (None, one["stream"]))


def events(response):
    """(event, id, data) as they come."""
    name = data = number = None
    for line in response.iter_lines():
        if not line:
            if data is not None:
                yield name, number, json.loads(data)
            name = data = number = None
        elif line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            data = line[6:]
        elif line.startswith("id: "):
            number = line[4:]


# ---- /schedule and /status ----

@pytest.mark.parametrize("kind, code", [
    ("python", "import sys\nprint('out')\nprint('err', file=sys.stderr)"),
    ("shell", "echo out; echo err >&2"),
    ("typescript", "const x: string = 'out'; console.log(x); console.error('err')")])
def test_schedule_and_status(server, kind, code):
    answer = server.http.post("/schedule", json={"kind": kind, "code": code})
    assert answer.status_code == 200 and list(answer.json()) == ["job_id"]
    job = answer.json()["job_id"]
    assert uuid.UUID(job).version == 4 and str(uuid.UUID(job)) == job

    def over():
        status = server.http.get(f"/status/{job}").json()
        assert set(status) == {"state", "stdout", "stderr"}
        assert status["state"] in ("queued", "running", "succeeded")
        return status["state"] == "succeeded" and status
    status = until(over)
    assert status["stdout"] == "out\n" and status["stderr"] == "err\n"


def test_the_log_grows_while_it_runs(server):
    job = server.http.post("/schedule", json={"kind": "shell", "code":
                           "echo one; while [ ! -e /tmp/never ]; do sleep 0.1; done"}).json()["job_id"]
    status = until(lambda: (s := server.http.get(f"/status/{job}").json())["stdout"] and s)
    assert status == {"state": "running", "stdout": "one\n", "stderr": ""}
    assert server.http.post(f"/v1/jobs/{job}/cancel").status_code == 200
    assert ended(server, job)["state"] == "cancelled"
    status = server.http.get(f"/status/{job}").json()
    assert status["state"] == "failed" and "cancelled" in status["stderr"]  # four states, and no more


def test_a_python_job_that_raises(server):
    job = server.http.post("/schedule", json={"kind": "python", "code": "print(1)\n1/0"}).json()["job_id"]
    found = ended(server, job)
    assert found["state"] == "failed" and found["exit_code"] == 1 and "ZeroDivisionError" in found["error"]
    status = server.http.get(f"/status/{job}").json()
    assert status["stdout"] == "1\n" and "ZeroDivisionError" in status["stderr"]


@pytest.mark.parametrize("path", ["/schedule", "/v1/jobs"])
def test_gui_is_not_there(server, path):
    answer = server.http.post(path, json={"kind": "gui", "code": "xdotool key a"})
    assert answer.status_code == 501
    problem = answer.json()
    assert problem["code"] == "unsupported" and "desktop" in problem["detail"]


# ---- /v1/jobs ----

def test_a_job_from_end_to_end(server):
    job = add(server, kind="shell", code="echo $GREETING; pwd; exit 3", timeout="20s", priority=7,
              after_crash="run_again", environment={"GREETING": "salut"}, limits={"memory_bytes_max": 256 << 20})
    found = ended(server, job)
    assert found["state"] == "failed" and found["exit_code"] == 3 and "3" in found["error"]
    assert (found["kind"], found["priority"], found["timeout_s"]) == ("shell", 7, 20)
    assert found["attempts"] == 1 and found["retries"] == 0 and found["after_crash"] == "run_again"
    assert found["code"].startswith("echo") and found["started_at"] and found["ended_at"]
    assert log_of(server, job, "stdout") == "salut\n/work\n"
    assert server.http.post(f"/v1/jobs/{job}/cancel").status_code == 409
    assert server.http.delete(f"/v1/jobs/{job}").status_code == 204
    assert server.http.get(f"/v1/jobs/{job}").status_code == 404
    assert server.http.get(f"/v1/jobs/{job}/logs").status_code == 404


def test_in_a_session(server):
    session = server.session()
    server.run(session, "x = 20")
    server.http.post(f"/v1/sessions/{session}/evict")  # it is woken
    first = add(server, kind="python", code="x += 1; print(x); open('/session/f', 'w').write('f')", session=session)
    assert ended(server, first)["state"] == "succeeded"
    second = add(server, kind="shell", code="cat /session/f; echo $V", session=session, environment={"V": "v"})
    assert ended(server, second)["session"] == session
    assert log_of(server, first) == "21\n" and log_of(server, second) == "fv\n"
    other = add(server, kind="python", code="print('x' in dir())", session=session, context="other")
    ended(server, other)
    assert log_of(server, other) == "False\n"
    assert server.run(session, "print(x)")["stdout"] == "21\n"


def test_a_session_that_goes_takes_its_job_along(server):
    session = server.session()
    job = add(server, kind="shell", code="echo up; sleep 600", session=session, retries=3)
    until(lambda: log_of(server, job))
    assert server.http.delete(f"/v1/sessions/{session}").status_code == 204
    found = ended(server, job)
    assert found["state"] == "failed" and found["error"]


def test_priority_then_age(one_by_one):
    session = one_by_one.session()
    gate = add(one_by_one, kind="shell", code="until [ -e /session/go ]; do sleep 0.05; done", session=session)
    until(lambda: get(one_by_one, gate)["state"] == "running")
    jobs = [add(one_by_one, kind="shell", code=f"echo {name} >> /session/order", session=session, priority=priority)
            for name, priority in [("c", 0), ("e", -5), ("a", 9), ("d", 0), ("b", 9)]]
    listed = one_by_one.http.get("/v1/jobs", params={"state": "queued"}).json()["jobs"]
    # Of the same millisecond, any order.
    assert sorted(one["id"] for one in listed) == sorted(jobs) and "code" not in listed[0]
    one_by_one.run(session, "touch /session/go", language="shell")
    [ended(one_by_one, job) for job in jobs]
    assert one_by_one.run(session, "cat /session/order", language="shell")["stdout"].split() == list("abcde")


def test_retries_with_pauses(server):
    session = server.session()
    job = add(server, kind="shell", session=session, retries=3,
              code="date +%s.%N >> /session/times; [ $(wc -l < /session/times) = 3 ] && echo at last || exit 4")
    waiting = until(lambda: (found := get(server, job)).get("not_before") and found)
    assert waiting["state"] == "queued" and "tried again" in waiting["error"]
    found = ended(server, job)
    assert found["state"] == "succeeded" and found["attempts"] == 3 and found.get("error") is None
    times = [float(one) for one in server.run(session, "cat /session/times", language="shell")["stdout"].split()]
    assert times[1] - times[0] >= 1 and times[2] - times[1] >= 2
    assert "at last" in log_of(server, job, "stdout") and log_of(server, job, "mark").count("tried again") == 2


def test_retries_come_to_an_end(server):
    job = add(server, kind="shell", code="echo x; exit 9", retries=1)
    found = ended(server, job)
    assert found["state"] == "failed" and found["attempts"] == 2 and found["exit_code"] == 9
    assert log_of(server, job, "stdout") == "x\nx\n"


@pytest.mark.parametrize("fields, says", [
    ({"kind": "python", "code": "while True: pass", "timeout": "500ms"}, "its time limit"),
    ({"kind": "shell", "code": "sleep 100", "timeout": 1}, "its time limit"),
    ({"kind": "shell", "code": "yes", "limits": {"output_bytes_max": 100_000}}, "printed more"),
    ({"kind": "python", "code": "while True: print('x' * 1000)", "limits": {"output_bytes_max": 100_000}},
     "printed more"),
    ({"kind": "shell", "code": "kill -9 $$"}, "signal 9"),
    ({"kind": "python", "code": "1", "template": "nothing-of-this-name"}, "nothing-of-this-name")])
def test_why_it_ended(server, fields, says):
    job = add(server, **fields)
    found = ended(server, job)
    assert found["state"] == "failed" and says in found["error"], found
    assert says in log_of(server, job, "mark")
    assert len(log_of(server, job, "stdout")) <= 100_000
    assert says in server.http.get(f"/status/{job}").json()["stderr"]


def test_exit_status_of_python(server):
    job = add(server, kind="python", code="import sys\nprint('bye')\nsys.exit(5)")
    found = ended(server, job)
    assert (found["state"], found["exit_code"]) == ("failed", 5), found
    job = add(server, kind="python", code="raise SystemExit(0)")
    assert ended(server, job)["state"] == "succeeded"


def test_cancel_of_queued_and_running(one_by_one):
    session = one_by_one.session()
    running = add(one_by_one, kind="python", session=session, retries=5, code="""
import time
open('/session/up', 'w').write('1')
while True:
    try: time.sleep(60)
    except KeyboardInterrupt: pass
""")
    queued = add(one_by_one, kind="shell", code="echo ran >> /session/ran", session=session)
    until(lambda: one_by_one.run(session, "ls /session | grep -v artifacts", language="shell")["stdout"] == "up\n")
    assert one_by_one.http.delete(f"/v1/jobs/{running}").status_code == 409
    assert one_by_one.http.delete(f"/v1/jobs/{queued}").status_code == 409
    cancelled = one_by_one.http.post(f"/v1/jobs/{queued}/cancel").json()
    assert cancelled["state"] == "cancelled" and cancelled["attempts"] == 0
    asked = one_by_one.http.post(f"/v1/jobs/{running}/cancel").json()
    assert asked["state"] == "running" and asked["cancel_requested"]
    found = ended(one_by_one, running)  # it ignores the interrupt, and is ended all the same
    assert found["state"] == "cancelled" and found["attempts"] == 1
    last = add(one_by_one, kind="shell", code="ls /session | grep -v artifacts", session=session)
    ended(one_by_one, last)
    assert log_of(one_by_one, last) == "up\n"


def test_live_logs_and_resume(server):
    session = server.session()
    code = "for i in 1 2 3; do echo line $i ✓; until [ -e /session/$i ]; do sleep 0.05; done; done; exit 1"
    job = add(server, kind="shell", code=code, session=session)
    headers = {"Accept": "text/event-stream"}
    with httpx.stream("GET", f"{server.url}/v1/jobs/{job}/logs", headers=headers, timeout=60) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        name, first, data = next(events(response))
        assert (name, data["text"], data["stream"]) == ("stdout", "line 1 ✓\n", "stdout")
    server.run(session, "touch /session/1", language="shell")
    seen = []
    with httpx.stream("GET", f"{server.url}/v1/jobs/{job}/logs", timeout=60,
                      headers={**headers, "Last-Event-ID": first}) as response:
        for name, number, data in events(response):
            seen.append((name, data.get("text"), data.get("state")))
            if data.get("text") == "line 2 ✓\n":
                assert int(number) == int(first) + 1
                server.run(session, "touch /session/2 /session/3", language="shell")
    assert seen == [("stdout", "line 2 ✓\n", None), ("stdout", "line 3 ✓\n", None), ("ended", None, "failed")]
    with httpx.stream("GET", f"{server.url}/v1/jobs/{job}/logs", headers=headers, timeout=60) as response:
        assert [one[0] for one in events(response)] == ["stdout", "stdout", "stdout", "ended"]


def test_followers_of_a_job_that_waits_and_is_removed(server):
    """They hear of its end; and one whose job is removed is let go."""
    job = add(server, kind="shell", code="sleep 1; echo done")
    heard = []

    def follow():
        with httpx.stream("GET", f"{server.url}/v1/jobs/{job}/logs", headers={"Accept": "text/event-stream"},
                          timeout=60) as response:
            heard.append([one[0] for one in events(response)])
    threads = [threading.Thread(target=follow) for _ in range(10)]
    [one.start() for one in threads]
    [one.join() for one in threads]
    assert heard == [["stdout", "ended"]] * 10


def test_characters_are_not_cut(server):
    job = add(server, kind="python", code="import sys\nfor i in range(40000): sys.stdout.write('€uro ')\nsys.stdout.flush()")
    ended(server, job)
    assert log_of(server, job) == "€uro " * 40000
    assert server.http.get(f"/status/{job}").json()["stdout"] == "€uro " * 40000
    job = add(server, kind="shell", code=r"printf 'a\xff\xc3b\xe2\x82'")
    ended(server, job)
    assert re.fullmatch("a�+b�+", server.http.get(f"/status/{job}").json()["stdout"])


def test_paging(server):
    made = []
    for _ in range(5):
        made.append(add(server, kind="shell", code="true"))
        time.sleep(0.003)  # those of one millisecond have no order in the list
    [ended(server, job) for job in made]
    seen, cursor = [], ""
    while len(seen) < 5:
        page = server.http.get("/v1/jobs", params={"state": "succeeded", "limit": 2, "cursor": cursor}).json()
        assert len(page["jobs"]) <= 2
        seen += [one["id"] for one in page["jobs"]]
        cursor = page.get("next_cursor", "")
    assert seen[:5] == made[::-1]


def test_metadata(server):
    made = [add(server, kind="shell", code="true", metadata={"run": str(n % 2), "who": "me=you"}) for n in range(4)]
    assert get(server, made[0])["metadata"] == {"run": "0", "who": "me=you"}
    found = server.http.get("/v1/jobs", params=[("metadata", "run=1"), ("metadata", "who=me=you")]).json()["jobs"]
    assert {one["id"] for one in found} == {made[3], made[1]}
    assert server.http.get("/v1/jobs", params={"metadata": "run=2"}).json()["jobs"] == []
    assert get(server, add(server, kind="shell", code="true"))["metadata"] == {}
    for bad in [{"a": 1}, {"": "x"}, {"a" * 129: "x"}, {"a": "x" * 1025}, {str(n): "x" for n in range(33)}, "x"]:
        answer = server.http.post("/v1/jobs", json={"kind": "shell", "code": "true", "metadata": bad})
        assert answer.status_code == 400 and answer.json()["errors"][0]["path"].startswith("metadata"), answer.text
    for bad in ["plain", ""]:
        assert server.http.get("/v1/jobs", params={"metadata": bad}).status_code == 400
    many = [("metadata", f"{n}=x") for n in range(17)]
    assert server.http.get("/v1/jobs", params=many).status_code == 400


# ---- Bad input ----

@pytest.mark.parametrize("body, says", [
    (b"", ""), (b"{", "line 1"), (b"[]", "object"), (b'{"code": "1"}', "kind"), (b'{"kind": "python"}', "code"),
    (b'{"kind": "cobol", "code": "1"}', "typescript"), (b'{"kind": "shell", "code": 5}', "code"),
    (b'{"kind": "shell", "code": "1", "cod": 1}', "cod"), (b'{"kind": "shell", "code": "\xff"}', "UTF-8")])
def test_bad_schedules(server, body, says):
    def newest(): return [job["id"] for job in server.http.get("/v1/jobs", params={"limit": 1}).json()["jobs"]]
    before = newest()
    answer = server.http.post("/schedule", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400, answer.text
    assert answer.headers["content-type"].startswith("application/problem+json")
    assert says in json.dumps(answer.json())
    assert newest() == before


@pytest.mark.parametrize("fields, status, says", [
    ({"retries": 101}, 400, "retries"), ({"retries": -1}, 400, "retries"), ({"priority": 1001}, 400, "priority"),
    ({"timeout": "8d"}, 400, "timeout"), ({"timeout": 604_801}, 400, "timeout"),
    ({"after_crash": "again"}, 400, "run_again"), ({"session": "s-none"}, 404, "s-none"), ({"session": ""}, 400, "session"),
    ({"context": "c"}, 400, "context"), ({"session": "s", "limits": {}}, 400, "limits"),
    ({"session": "s", "template": "default"}, 400, "template"), ({"template": "../x"}, 400, "template"),
    ({"session": "s", "environment": {"A": "b"}}, 400, "environment"),
    ({"environment": {"A=B": "c"}}, 400, "A=B"), ({"limits": {"memory_bytes_max": 5}}, 400, "limits.memory_bytes_max"),
    ({"code": "x" * 200_001}, 400, "code"), ({"sesion": "s"}, 400, "session")])
def test_bad_jobs(server, fields, status, says):
    answer = server.http.post("/v1/jobs", json={"kind": "python", "code": "1", **fields})
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith("application/problem+json") and says in answer.text


@pytest.mark.parametrize("method, path", [
    ("GET", "/v1/jobs/{}"), ("DELETE", "/v1/jobs/{}"), ("POST", "/v1/jobs/{}/cancel"), ("GET", "/v1/jobs/{}/logs"),
    ("GET", "/status/{}")])
@pytest.mark.parametrize("name", ["00000000-0000-4000-8000-000000000000", "x", "..%2f..", "%00", "'; DROP TABLE jobs; --", "a" * 5000])
def test_no_such_job(server, method, path, name):
    for headers in ({}, {"Accept": "text/event-stream"}):
        answer = server.http.request(method, path.format(name), headers=headers)
        assert answer.status_code in (400, 404, 414), answer.text
        assert answer.headers["content-type"].startswith("application/problem+json")


@pytest.mark.parametrize("query", ["state=hot", "limit=0", "limit=1001", "limit=x", "cursor=nonsense", "stat=queued"])
def test_bad_queries(server, query):
    answer = server.http.get(f"/v1/jobs?{query}")
    assert answer.status_code == 400 and answer.json()["code"] == "invalid_argument"


def test_bad_places_in_a_log(server):
    job = add(server, kind="shell", code="echo x")
    ended(server, job)
    assert server.http.get(f"/v1/jobs/{job}/logs?from=-1").status_code == 400
    page = server.http.get(f"/v1/jobs/{job}/logs?from=999").json()
    assert page == {"chunks": [], "next": 1, "complete": True}
    for given in ("x", "-1", "1.5", "99999999999999999999999"):
        answer = server.http.get(f"/v1/jobs/{job}/logs", headers={"Accept": "text/event-stream", "Last-Event-ID": given})
        assert answer.status_code == 400 and "Last-Event-ID" in answer.text


# ---- Killed and stopped ----

def test_killed_in_the_middle_of_twelve(own_server):
    """A job that was accepted is run, and as it asked for: one that must not run twice leaves one
    mark at most, one that may leaves its end; and never two of one at the same time."""
    session = own_server.session()
    code = ("exec 9>/session/lock.{n}; flock -n 9 || echo {n} >> /session/twice; echo {n} >> /session/begun; "
            "echo begin; sleep 1; echo {n} >> /session/ended; echo end")
    jobs = {}
    for n in range(12):
        jobs[n] = add(own_server, kind="shell", code=code.format(n=n), session=session,
                      after_crash="run_again" if n % 2 else "fail")
    last = add(own_server, kind="shell", code="echo $A", environment={"A": "kept"}, priority=-3, timeout="9s")
    before = get(own_server, last)
    until(lambda: log_of(own_server, jobs[0]) and log_of(own_server, jobs[1]))
    own_server.kill()
    own_server.start()
    after = ended(own_server, last)
    assert after["state"] == "succeeded" and log_of(own_server, last) == "kept\n"
    same = ("id", "kind", "code", "priority", "timeout_s", "created_at", "after_crash", "retries")
    assert {key: before[key] for key in same} == {key: after[key] for key in same}
    found = {n: ended(own_server, job) for n, job in jobs.items()}

    def lines(name):
        text = own_server.run(session, f"cat /session/{name}", language="shell")["stdout"].split()
        return {n: text.count(str(n)) for n in range(12)}
    begun, done = lines("begun"), lines("ended")
    assert sum(lines("twice").values()) == 0
    cut_off = 0
    for n, job in found.items():
        assert job["attempts"] == job["interruptions"] + (0 if job["state"] == "failed" else 1), job
        if n % 2:
            assert job["state"] == "succeeded" and done[n] >= 1 and begun[n] <= job["attempts"]
        else:
            assert begun[n] <= 1 and job["attempts"] == 1
            assert job["state"] == ("succeeded" if done[n] else "failed") or job["interruptions"] == 1
        if job["interruptions"]:
            cut_off += 1
            assert "the server ended while the job ran" in log_of(own_server, jobs[n], "mark")
        if job["state"] == "succeeded":
            assert log_of(own_server, jobs[n], "stdout").endswith("begin\nend\n")
    assert cut_off >= 1  # or nothing was tested


def test_a_stop_gives_grace_and_then_decides(own_server):
    session = own_server.session()
    again = add(own_server, kind="shell", session=session, after_crash="run_again",
                code="[ -e /session/begun ] && exit 0; touch /session/begun; echo up; sleep 600")
    fails = add(own_server, kind="shell", code="echo up; sleep 600", session=session)
    short = add(own_server, kind="shell", code="echo up; sleep 2; echo done", session=session)
    [until(lambda: log_of(own_server, job)) for job in (again, fails, short)]
    waits = add(own_server, kind="shell", code="echo waited", session=session)
    assert own_server.stop() == 0
    own_server.start()
    assert get(own_server, short)["state"] == "succeeded" and log_of(own_server, short) == "up\ndone\n"
    found = get(own_server, fails)
    assert found["state"] == "failed" and "server stopped" in found["error"] and found["attempts"] == 1
    found = ended(own_server, again)
    assert found["state"] == "succeeded" and found["attempts"] == 2 and found["interruptions"] == 1
    assert ended(own_server, waits)["attempts"] == 1 and log_of(own_server, waits) == "waited\n"


def test_the_document_has_them(server):
    paths = server.http.get("/openapi.json").json()["paths"]
    for path in ("/schedule", "/status/{job_id}", "/v1/jobs", "/v1/jobs/{id}", "/v1/jobs/{id}/logs",
                 "/v1/jobs/{id}/cancel"):
        assert path in paths
