"""Contexts over HTTP: kernels by name, their variables, and interrupting what another request runs."""

import threading
import time

import pytest

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def session(server):
    return server.session()


def contexts(server, session):
    return {one["name"]: one for one in server.http.get(f"/v1/sessions/{session}/contexts").json()["contexts"]}


class Running:
    """A run in another request."""

    def __init__(self, server, session, code, **fields):
        self.answer = None

        def work():
            self.answer = server.http.post(f"/v1/sessions/{session}/run", json={"code": code, **fields})

        self.thread = threading.Thread(target=work)
        self.thread.start()

    def end(self):
        self.thread.join(60)
        assert self.answer is not None, "the run did not end"
        return self.answer


def until_running(server, session, name):
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if contexts(server, session).get(name, {}).get("state") == "running":
            return
        time.sleep(0.02)
    raise AssertionError(f"nothing runs in {name}")


def test_contexts_come_and_go(server, session):
    made = server.http.post(f"/v1/sessions/{session}/contexts", json={"name": "my-lab.1", "cwd": "/tmp"})
    assert made.status_code == 201, made.text
    assert made.json() == {"name": "my-lab.1", "language": "python", "cwd": "/tmp", "state": "idle", "runs": 0}
    path = made.headers["location"]
    assert server.http.get(path).json()["name"] == "my-lab.1"
    again = server.http.post(f"/v1/sessions/{session}/contexts", json={"name": "my-lab.1"})
    assert again.status_code == 409

    assert server.run(session, "import os; a = 5; print(os.getcwd())", context="my-lab.1")["stdout"] == "/tmp\n"
    assert "'a'" in server.run(session, "a", context="other")["error"]["value"]
    assert contexts(server, session)["my-lab.1"]["runs"] == 1

    restarted = server.http.post(f"{path}/restart")
    assert restarted.status_code == 200 and restarted.json()["runs"] == 0
    assert server.run(session, "a", context="my-lab.1")["error"]["name"] == "NameError"
    assert server.http.delete(path).status_code == 204
    assert server.http.get(path).status_code == 404
    assert "my-lab.1" not in contexts(server, session)


def test_variables(server, session):
    code = ("import pandas, numpy\nnumber = 42\ntext = 'hello ' * 1000\nframe = pandas.DataFrame({'x': range(10)})\n"
            "class Trap:\n    def __repr__(self): raise SystemExit\n    def __sizeof__(self): return 1 / 0\n"
            "trap = Trap()\n_hidden = 1")
    server.run(session, code, context="vars")
    path = f"/v1/sessions/{session}/contexts/vars/variables"
    page = server.http.get(path).json()
    found = {one["name"]: one for one in page["variables"]}
    assert found["number"]["type"] == "int" and found["number"]["preview"] == "42"
    assert found["frame"]["shape"] == [10, 1] and found["frame"]["type"].endswith("DataFrame")
    assert found["text"]["size_bytes"] > 6000 and len(found["text"]["preview"]) < 300
    assert "Trap" in found["trap"]["type"] and "Trap" in found["trap"]["preview"]
    assert page["total"] == len(page["variables"]) and "next_offset" not in page


def test_variables_in_pages(server, session):
    server.run(session, "for i in range(300): globals()[f'v{i}'] = i\ndel i", context="many")
    path = f"/v1/sessions/{session}/contexts/many/variables"
    names, offset = [], 0
    while offset is not None:
        page = server.http.get(path, params={"offset": offset, "limit": 128}).json()
        assert page["total"] == 300 and len(page["variables"]) <= 128
        names += [one["name"] for one in page["variables"]]
        offset = page.get("next_offset")
    assert names == [f"v{i}" for i in range(300)]
    assert server.http.get(path, params={"offset": 5000}).json()["variables"] == []


def test_an_interrupt_reaches_a_run_of_another_request(server, session):
    server.run(session, "kept = 'yes'", context="busy")
    run = Running(server, session, "import time\nprint('begun', flush=True)\nwhile True: time.sleep(.01)", context="busy")
    until_running(server, session, "busy")
    time.sleep(0.2)
    busy = server.http.get(f"/v1/sessions/{session}/contexts/busy/variables", params={"patience": "100ms"})
    assert busy.status_code == 409 and "running something" in busy.json()["detail"]
    assert server.http.post(f"/v1/sessions/{session}/contexts/busy/interrupt").json() == {"was_running": True}
    ended = run.end().json()
    assert ended["reason"] == "killed" and ended["error"]["name"] == "KeyboardInterrupt", ended
    assert ended["stdout"] == "begun\n" and ended["exit_code"] == 1 and not ended["state_lost"]
    assert server.run(session, "print(kept)", context="busy")["stdout"] == "yes\n"
    idle = server.http.post(f"/v1/sessions/{session}/contexts/busy/interrupt")
    assert idle.json() == {"was_running": False}


def test_one_that_will_not_stop_is_ended_with_its_kernel(server, session):
    server.run(session, "kept = 'yes'", context="deaf")
    code = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})\nwhile True: pass"
    run = Running(server, session, code, context="deaf")
    until_running(server, session, "deaf")
    time.sleep(0.2)
    server.http.post(f"/v1/sessions/{session}/contexts/deaf/interrupt", json={"grace": "500ms"})
    ended = run.end().json()
    assert ended["reason"] == "killed" and ended["state_lost"] and ended["signal"] == 9, ended
    after = server.run(session, "kept", context="deaf")
    assert after["error"]["name"] == "NameError" and after["state_lost"]


@pytest.mark.parametrize("how", ["restart", "delete"])
def test_a_run_is_told_that_its_context_went(server, session, how):
    run = Running(server, session, "import time; time.sleep(60)", context="going")
    until_running(server, session, "going")
    path = f"/v1/sessions/{session}/contexts/going"
    answer = server.http.post(f"{path}/restart") if how == "restart" else server.http.delete(path)
    assert answer.status_code in (200, 204)
    ended = run.end()
    assert ended.status_code == 409 and "restarted or deleted" in ended.json()["detail"]


def test_a_cold_session_has_its_contexts_again(server):
    session = server.session()
    server.run(session, "a = 1", context="one")
    assert server.http.post(f"/v1/sessions/{session}/evict").json()["state"] == "cold"
    page = server.http.get(f"/v1/sessions/{session}/contexts/one/variables").json()
    assert [one["name"] for one in page["variables"]] == ["a"]


@pytest.mark.parametrize("method, path, body, status, says", [
    ("POST", "contexts", {}, 400, "name"),
    ("POST", "contexts", {"name": ""}, 400, "name"),
    ("POST", "contexts", {"name": "x\ny"}, 400, "name"),
    ("POST", "contexts", {"name": "x" * 129}, 400, "name"),
    ("POST", "contexts", {"name": "x", "nme": 1}, 400, "nme"),
    ("GET", "contexts/nothing", None, 404, "nothing"),
    ("GET", "contexts/" + "x" * 200, None, 400, "context"),
    ("POST", "contexts/nothing/interrupt", None, 404, "nothing"),
    ("POST", "contexts/nothing/restart", None, 404, "nothing"),
    ("DELETE", "contexts/nothing", None, 404, "nothing"),
    ("GET", "contexts/nothing/variables", None, 404, "nothing"),
    ("GET", "contexts/default/variables?limit=0", None, 400, "limit"),
    ("GET", "contexts/default/variables?offset=-1", None, 400, "offset"),
    ("POST", "contexts/default/interrupt", {"grace": "2h"}, 400, "grace"),
])
def test_bad_input(server, session, method, path, body, status, says):
    answer = server.http.request(method, f"/v1/sessions/{session}/{path}", json=body)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith("application/problem+json") and says in answer.text


def test_another_session_is_not_there(server):
    assert server.http.get("/v1/sessions/s-nothing/contexts").status_code == 404
