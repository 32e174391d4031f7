"""Sessions by name, and ids that a client chooses: made at first use, an owner's own, unique."""
import threading
import uuid

import httpx
import pytest
from harness.host import eventually
from test_access import keyed  # noqa: F401  a server that asks for keys

pytestmark = pytest.mark.once


def test_a_name_is_as_good_as_the_id(server):
    name = f"taxi data {uuid.uuid4().hex[:8]}"
    session = server.session(name=name)
    path = "/v1/sessions/" + name.replace(" ", "%20")
    assert server.http.get(path).json()["id"] == session
    assert server.http.post(f"{path}/run", json={"code": "x = 5; x"}).json()["session_id"] == session
    assert server.http.put(f"{path}/files/session/a.txt", content=b"hello").status_code < 300
    assert server.run(session, "print(x, open('/session/a.txt').read())")["stdout"] == "5 hello\n"
    started = server.http.post(f"{path}/processes", json={"argv": ["sleep", "600"]})
    assert started.headers["location"].startswith(f"/v1/sessions/{session}/processes/")
    process = started.json()["id"]
    assert server.http.delete(f"{path}/processes/{process}").status_code == 204
    assert server.http.get(f"{path}/processes").json()["processes"] == []
    job = server.http.post("/v1/jobs", json={"kind": "python", "code": "print(x)", "session": name}).json()
    assert job["session"] == session
    assert eventually(lambda: server.http.get(f"/v1/jobs/{job['id']}").json()["state"] == "succeeded", within=60)
    for verb in ("evict", "restart"):
        assert server.http.post(f"{path}/{verb}").json()["id"] == session, verb
    assert server.http.patch(path, json={"name": "renamed-1"}).json()["id"] == session
    assert server.http.get(path).status_code == 404
    assert server.http.delete("/v1/sessions/renamed-1").status_code == 204
    assert server.http.get(f"/v1/sessions/{session}").status_code == 404


def test_no_two_have_the_same_name(server):
    first, second = server.session(name="only one"), server.session()
    again = server.http.post("/v1/sessions", json={"name": "only one"})
    assert again.status_code == 409 and first in again.json()["detail"] and '"only one"' in again.json()["detail"]
    assert server.http.patch(f"/v1/sessions/{second}", json={"name": "only one"}).status_code == 409
    assert server.http.patch(f"/v1/sessions/{first}", json={"name": "only one"}).status_code == 200  # its own
    [copy] = server.http.post(f"/v1/sessions/{first}/fork").json()["sessions"]
    assert copy["name"] == ""
    [named] = server.http.post(f"/v1/sessions/{first}/fork", json={"name": "its copy"}).json()["sessions"]
    assert named["name"] == "its copy"
    assert server.http.post(f"/v1/sessions/{first}/fork", json={"name": "its copy"}).status_code == 409
    assert server.http.post(f"/v1/sessions/{first}/fork", json={"name": "x", "count": 2}).status_code == 400
    server.http.delete(f"/v1/sessions/{first}")
    assert server.http.patch(f"/v1/sessions/{second}", json={"name": "only one"}).status_code == 200


@pytest.mark.parametrize("name", ["s-1", "s-" + "a" * 32, "t-" + "a" * 32])
def test_a_name_never_looks_like_an_id(server, name):
    refused = server.http.post("/v1/sessions", json={"name": name})
    assert refused.status_code == 400 and "looks like an id" in refused.json()["detail"]
    assert server.http.post("/v1/run", json={"code": "1", "session_id": name}).status_code == 404
    assert server.http.get(f"/v1/sessions/{name}").status_code == 404


def test_a_chosen_id_makes_a_session_at_its_first_use(server):
    def run(code, **more):
        return server.http.post("/v1/run", json={"code": code, "session_id": "my-conversation-1", **more}).json()
    first = run("x = 41; open('/session/kept', 'w').write('yes')", limits={"memory_bytes_max": 400 << 20})
    session = first["session_id"]
    assert session.startswith("s-")
    second = run("print(x + 1, open('/session/kept').read())")
    assert (second["stdout"], second["session_id"]) == ("42 yes\n", session)
    view = server.http.get("/v1/sessions/my-conversation-1").json()
    assert (view["id"], view["name"]) == (session, "my-conversation-1")
    assert server.run(session, "print(x)")["stdout"] == "41\n"
    assert "session_id" not in server.http.post("/v1/run", json={"code": "1"}).json()
    # A path names what is there; only session_id makes what is not.
    assert server.http.post("/v1/sessions/my-conversation-2/run", json={"code": "1"}).status_code == 404


def test_tools_share_the_session_of_a_chosen_id(server):
    def tool(name, **arguments):
        answer = server.http.post(f"/v1/tools/{name}", json={"session_id": "thread:7@x", **arguments})
        assert answer.status_code == 200, answer.text
        return answer.json()
    first = tool("code_sandbox", code="y = 6", memory_bytes_max=300 << 20, cpus_max=1)
    assert first["session_id"].startswith("s-")
    assert tool("code_sandbox", code="print(y * 7)")["stdout"] == "42\n"
    tool("write_file", path="/session/n.txt", content="hi")
    assert tool("read_file", path="/session/n.txt")["content"] == "hi"
    assert tool("execute_shell", command="cat /session/n.txt")["stdout"] == "hi"


@pytest.mark.parametrize("chosen", ["-x", "..", "a b", "a/b", "ü", "x" * 129, "", "a\nb", "a%2fb"])
def test_what_nobody_may_choose(server, chosen):
    before = len(server.http.get("/v1/sessions?limit=1000").json()["sessions"])
    for path, body in (("/v1/run", {"code": "1"}), ("/v1/tools/code_sandbox", {"code": "1"})):
        refused = server.http.post(path, json={**body, "session_id": chosen})
        assert refused.status_code == 400, refused.text
    assert len(server.http.get("/v1/sessions?limit=1000").json()["sessions"]) == before


def test_first_uses_at_one_time_make_one_session(server):
    answers = []

    def use():
        with httpx.Client(base_url=server.url, timeout=120) as client:
            answers.append(client.post("/v1/run", json={"code": "import os; print(os.getpid())", "session_id": "race-1"}).json())
    threads = [threading.Thread(target=use) for _ in range(8)]
    [one.start() for one in threads]
    [one.join() for one in threads]
    assert len({one["session_id"] for one in answers}) == 1 and len({one["stdout"] for one in answers}) == 1
    named = [one for one in server.http.get("/v1/sessions?limit=1000").json()["sessions"] if one["name"] == "race-1"]
    assert len(named) == 1


def test_a2_each_owner_has_names_of_their_own(keyed):  # noqa: F811
    keys = [keyed.key(owner, "sessions:read", "sessions:write", "run") for owner in ("cleo", "dan")]
    with keyed.client(keys[0]) as cleo, keyed.client(keys[1]) as dan:
        body = {"session_id": "my-conversation-1"}
        hers = cleo.post("/v1/run", json={"code": "secret = 'hers'", **body}).json()["session_id"]
        his = dan.post("/v1/run", json={"code": "print('secret' in dir())", **body}).json()
        assert his["session_id"] != hers and his["stdout"] == "False\n"
        assert dan.post("/v1/run", json={"code": "1", "session_id": hers}).status_code == 404
        cleo.patch(f"/v1/sessions/{hers}", json={"name": "cleos"})
        assert dan.get("/v1/sessions/cleos").status_code == 404
        made = dan.post("/v1/run", json={"code": "print('secret' in dir())", "session_id": "cleos"}).json()
        assert made["session_id"] != hers and made["stdout"] == "False\n"


def test_a_key_that_may_not_make_sessions_makes_none(keyed):  # noqa: F811
    with keyed.client(keyed.key("eve", "run", "sessions:read")) as eve:
        for path in ("/v1/run", "/v1/tools/code_sandbox"):
            assert eve.post(path, json={"code": "1", "session_id": "not-mine"}).status_code == 404
        assert eve.get("/v1/sessions").json()["sessions"] == []
