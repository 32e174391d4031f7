"""The control API of E2B with the official SDK: what becomes of a sandbox, and who may say so."""
import concurrent.futures
import datetime as dt
import json
import re
import uuid

import httpx
import pytest
from e2b import (AuthenticationException, Sandbox, SandboxException,
                 SandboxNotFoundException, SandboxQuery, SandboxState)
from harness.cli import atoll
from harness.e2b_sdk import ANY_KEY, options_of
from harness.host import eventually, processor_seconds
from harness.server import Server

UNKNOWN = "s" + "a" * 32
# An ordinary user without a cgroup cannot pause a sandbox, and is told so.
freezes = pytest.mark.root_only


def session_of(sandbox) -> str:
    return "s-" + sandbox.sandbox_id[1:]


def now():
    return dt.datetime.now(dt.timezone.utc)


def left(sandbox) -> float:
    return (sandbox.get_info().end_at - now()).total_seconds()


def in_session(server, sandbox, code) -> str:
    return server.run(session_of(sandbox), code)["stdout"].strip()


def test_a_sandbox_is_a_session(server, create):
    made = create("code-interpreter-v1", metadata={"who": "me"}, envs={"GREETING": "hello"})
    assert re.fullmatch("[a-z0-9]+", made.sandbox_id)
    session = server.http.get(f"/v1/sessions/{session_of(made)}").json()
    assert session["metadata"] == {"who": "me"} and session["state"] == "hot" and session["expires_at"]
    assert "standing" not in json.dumps(session) and "e2b" not in json.dumps(session)
    info = made.get_info()
    assert info.template_id == "code-interpreter-v1" and info.metadata == {"who": "me"}
    assert info.state is SandboxState.RUNNING and info.cpu_count > 0 and info.memory_mb > 0
    assert in_session(server, made, "import os; print(os.environ['GREETING'])") == "hello"
    assert made.kill() is True and made.kill() is False
    assert server.http.get(f"/v1/sessions/{session_of(made)}").status_code == 404
    other = server.session()
    assert Sandbox.get_info(other.replace("-", ""), **options_of(server)).sandbox_id == other.replace("-", "")
    server.http.delete(f"/v1/sessions/{other}")


def test_health_follows_the_sandbox(create):
    made = create()
    assert made.is_running() is True
    made.kill()
    assert made.is_running() is False


@pytest.mark.parametrize("path, method, body", [
    ("/sandboxes/{id}", "GET", None), ("/sandboxes/{id}", "DELETE", None), ("/sandboxes/{id}/timeout", "POST", {"timeout": 5}),
    ("/sandboxes/{id}/pause", "POST", {}), ("/v2/sandboxes/{id}/connect", "POST", {}), ("/sandboxes/{id}/resume", "POST", {}),
    ("/sandboxes/{id}/metrics", "GET", None), ("/sandboxes/{id}/logs", "GET", None), ("/sandboxes/{id}/snapshots", "POST", {}),
    ("/sandboxes/{id}/fork", "POST", {}), ("/sandboxes/{id}/network", "PUT", {}), ("/sandboxes/{id}/refreshes", "POST", {}),
    ("/templates/{id}", "DELETE", None)])
@pytest.mark.parametrize("name", [UNKNOWN, "nothing", "s-" + "a" * 32, "..%2f", "s" * 400])
def test_what_is_not_there_is_404(server, path, method, body, name):
    answer = server.http.request(method, path.replace("{id}", name), json=body, headers={"X-API-Key": ANY_KEY})
    assert answer.status_code == 404, answer.text
    assert answer.json()["code"] == 404 and "not found" in answer.json()["message"] or "no snapshot" in answer.json()["message"]


def test_the_sdk_raises_what_it_documents(sdk):
    with pytest.raises(SandboxNotFoundException):
        Sandbox.connect(UNKNOWN, **sdk)
    with pytest.raises(SandboxNotFoundException):
        Sandbox.get_info(UNKNOWN, **sdk)
    with pytest.raises(SandboxNotFoundException):
        Sandbox.set_timeout(UNKNOWN, 60, **sdk)
    assert Sandbox.kill(UNKNOWN, **sdk) is False


@pytest.mark.parametrize("options, sentence", [
    ({"template": "no-such-template"}, "404: there is no template"), ({"template": UNKNOWN}, "404: there is no snapshot"),
    ({"template": "../../etc"}, "400: "), ({"timeout": 10**9}, "400: timeout: must be from 1"),
    ({"metadata": {"k": "x" * 5000}}, "400: metadata"), ({"envs": {"A=B": "1"}}, "400: "),
    ({"network": {"allow_out": ["8.8.8.8"]}}, "400: network.allowOut: sandboxes of this server have no network")])
def test_what_is_refused_says_why(sdk, options, sentence):
    with pytest.raises(SandboxException) as refused:
        Sandbox.create(**{**sdk, **options})
    assert str(refused.value).startswith(sentence), refused.value


@pytest.mark.parametrize("body", [
    "", "{", "[]", "null", "1", '{"templateID": 5}', '{"templateID": ""}', '{"templateID": "base", "timeout": "60"}',
    '{"templateID": "base", "timeout": 1.5}', '{"templateID": "base", "timeout": 0}', '{"templateID": "base", "metadata": {"a": 1}}',
    '{"templateID": "base", "metadata": []}', '{"templateID": "base", "envVars": {"a": null}}', '{"templateID": "base", "autoPause": "yes"}',
    '{"templateID": "base", "network": "all"}', '{"templateID": "base", "network": {"maskRequestHost": "a b"}}',
    '{"templateID": "base", "network": {"maskRequestHost": "a\\r\\nX: y"}}', '{"templateID": "base", "network": {"maskRequestHost": "a:${PORT}:1"}}',
    '{"templateID": "base", "volumeMounts": [{"name": "v", "path": "/v"}]}',
    '{"templateID": "base", "mcp": {"x": {}}}', '{"templateID": "' + "x" * 2000 + '"}', "[" * 500, '{"templateID": "ba\\u0000se"}'])
def test_a_malformed_body_is_400_with_a_sentence(server, body):
    answer = server.http.post("/v2/sandboxes", content=body, headers={"X-API-Key": ANY_KEY, "Content-Type": "application/json"})
    assert answer.status_code == 400, answer.text
    told = answer.json()
    assert told["code"] == 400 and told["message"]


def test_a_body_that_is_too_large(server):
    answer = server.http.post("/v2/sandboxes", content=b'{"templateID": "' + b"x" * (2 << 20) + b'"}', headers={"X-API-Key": ANY_KEY})
    assert answer.status_code == 413 and answer.json()["code"] == 413


def test_what_later_sdks_send_is_ignored(server):
    body = {"templateID": "base", "timeout": 60, "somethingNew": {"a": [1]}, "allow_internet_access": True, "secure": True}
    answer = server.http.post("/sandboxes", json=body, headers={"X-API-Key": ANY_KEY})
    assert answer.status_code == 201, answer.text
    name = answer.json()["sandboxID"]
    detail = server.http.get(f"/sandboxes/{name}").json()
    assert detail["allowInternetAccess"] is False, "it says what it has"
    assert server.http.delete(f"/sandboxes/{name}").status_code == 204


def test_timeouts(create):
    made = create(timeout=100)
    assert 90 < left(made) <= 100
    made.set_timeout(1000)
    assert 990 < left(made) <= 1000
    made.connect(timeout=50)
    assert left(made) > 900, "to connect never makes it shorter"
    made.connect(timeout=5000)
    assert left(made) > 4900
    made.set_timeout(1)
    assert eventually(lambda: not made.is_running(), 30)
    with pytest.raises(SandboxNotFoundException):
        made.get_info()
    again = create()
    again.set_timeout(0)
    assert again.is_running() is False


def test_a_deadline_holds_across_a_killed_server(own_server):
    short = Sandbox.create(timeout=1, **options_of(own_server))
    long = Sandbox.create(timeout=300, **options_of(own_server))
    rests = Sandbox.create(timeout=1, lifecycle={"on_timeout": "pause"}, **options_of(own_server))
    end = long.get_info().end_at
    own_server.kill()
    own_server.start()
    http, key = own_server.http, {"X-API-Key": ANY_KEY}
    assert eventually(lambda: http.get(f"/sandboxes/{short.sandbox_id}", headers=key).status_code == 404, 30)
    assert eventually(lambda: http.get(f"/sandboxes/{rests.sandbox_id}", headers=key).json().get("state") == "paused", 30)
    still = Sandbox.connect(long.sandbox_id, timeout=1, **options_of(own_server))
    assert still.get_info().end_at == end and still.is_running()


@freezes
def test_pause_and_resume(server, create):
    made = create()
    in_session(server, made, "kept = 7")
    assert made.pause() is True
    assert made.is_running() is False
    info = made.get_info()
    assert info.state is SandboxState.PAUSED
    assert made.pause() is False, "it is paused already"
    with pytest.raises(SandboxNotFoundException):
        made.set_timeout(60)
    resumed = made.connect(timeout=60)
    assert resumed.is_running() and resumed.get_info().state is SandboxState.RUNNING and 50 < left(made) <= 60
    assert in_session(server, made, "print(kept)") == "7"


def test_a_paused_sandbox_goes_to_disk_and_comes_back(server, create):
    made = create()
    in_session(server, made, "kept = 7; open('/session/file', 'w').write('text')")
    made.pause(keep_memory=False)
    assert server.http.get(f"/v1/sessions/{session_of(made)}").json()["state"] == "cold"
    assert made.get_info().state is SandboxState.PAUSED
    made.connect()
    assert in_session(server, made, "print(kept, open('/session/file').read())") == "7 text"


@freezes
def test_auto_pause(create):
    made = create(timeout=1, lifecycle={"on_timeout": "pause"})
    assert eventually(lambda: made.get_info().state is SandboxState.PAUSED, 30)
    made.connect(timeout=60)
    assert made.get_info().state is SandboxState.RUNNING
    made.set_timeout(0)
    assert made.get_info().state is SandboxState.PAUSED


@freezes
def test_lists(create, sdk):
    tag = uuid.uuid4().hex
    words = {"t": tag, "sp ace": "a&b=c+d%20 é"}
    ids = [create(metadata=words).sandbox_id for _ in range(3)]
    other = create(template="code-interpreter-v1", metadata={"t": tag}, timeout=60)

    def all_of(limit=2, order=None, **query):
        pages, found = Sandbox.list(query=SandboxQuery(**query), limit=limit, order=order, **sdk), []
        while pages.has_next:
            items = pages.next_items()
            assert len(items) <= limit
            found += [item.sandbox_id for item in items]
        return found
    assert all_of(metadata=words) == ids[::-1]
    assert all_of(metadata=words, order="asc") == ids
    assert all_of(metadata={"t": tag}, limit=1, order="asc") == [*ids, other.sandbox_id]
    assert all_of(metadata={"t": tag}, template="code-interpreter-v1") == [other.sandbox_id]
    assert all_of(metadata={"t": tag}, started_after=other.get_info().started_at) == [other.sandbox_id]
    other.pause()
    assert all_of(metadata={"t": tag}, state=[SandboxState.PAUSED]) == [other.sandbox_id]
    assert all_of(metadata={"t": tag}, state=[SandboxState.RUNNING], order="asc") == ids
    assert all_of(metadata={"t": "another"}) == []


@pytest.mark.parametrize("query", [
    "limit=0", "limit=1001", "limit=x", "limit=-1", "order=up", "state=dead", "nextToken=x", "nextToken=1x.s", "startedAfter=yesterday",
    "metadata=%25zz", "metadata=" + "&metadata=".join(f"a{i}=1" for i in range(3)) + "%26b%3d%25"])
def test_a_list_with_a_wrong_query(server, query):
    answer = server.http.get(f"/v2/sandboxes?{query}", headers={"X-API-Key": ANY_KEY})
    assert answer.status_code in (200, 400), answer.text
    if answer.status_code == 400:
        assert answer.json()["message"]


def test_snapshots(server, create, sdk):
    made = create()
    in_session(server, made, "x = 1; open('/session/file', 'w').write('then')")
    name = "n" + uuid.uuid4().hex
    first, second = made.create_snapshot(), made.create_snapshot(name=name)
    in_session(server, made, "x = 2; open('/session/file', 'w').write('now')")
    copy = create(template=first.snapshot_id, envs={"NEW": "variable"}, metadata={"a": "b"})
    seen = in_session(server, copy, "import os; print(x, open('/session/file').read(), os.environ['NEW'])")
    assert seen == "1 then variable" and copy.get_info().metadata == {"a": "b"}
    named = create(template=name)
    assert in_session(server, named, "print(x)") == "1"
    assert made.is_running()
    listed = Sandbox.list_snapshots(made.sandbox_id, **sdk).next_items()
    assert [one.snapshot_id for one in listed] == [second.snapshot_id, first.snapshot_id] and listed[0].names == [name]
    with pytest.raises(SandboxNotFoundException):
        Sandbox.connect(first.snapshot_id, **sdk)
    assert first.snapshot_id not in [one.sandbox_id for one in Sandbox.list(**sdk).next_items()]
    for one in (first, second):
        assert Sandbox.delete_snapshot(one.snapshot_id, **sdk) is True
        assert Sandbox.delete_snapshot(one.snapshot_id, **sdk) is False
    assert Sandbox.delete_snapshot(made.sandbox_id, **sdk) is False, "a sandbox is no snapshot"
    assert made.is_running()


def test_fork(server, create, sdk):
    made = create(metadata={"a": "b"})
    in_session(server, made, "x = 1")
    copies = made.fork(count=2, timeout=60)
    assert len({made.sandbox_id, *(copy.sandbox_id for copy in copies)}) == 3
    for copy in copies:
        assert in_session(server, copy, "print(x)") == "1" and copy.get_info().metadata == {"a": "b"} and left(copy) <= 60
        copy.kill()


@freezes
def test_metrics(create):
    made = create()
    (metric,) = made.get_metrics()
    assert metric.cpu_count > 0 and metric.mem_total > 0 and metric.disk_total > 0 and metric.cpu_used_pct >= 0
    assert made.get_metrics(end=now() - dt.timedelta(hours=1)) == []
    made.pause()
    assert made.get_metrics() == []


def test_what_does_not_exist_says_so(server):
    for path in ("/volumes", "/secrets", "/templates"):
        answer = server.http.get(path, headers={"X-API-Key": ANY_KEY})
        assert answer.status_code == 501 and "this server" in answer.json()["message"]
    assert server.http.get("/templates/aliases/base", headers={"X-API-Key": ANY_KEY}).json()["templateID"] == "base"
    answer = server.http.get("/v2/nothing", headers={"X-API-Key": ANY_KEY})
    assert answer.status_code == 404 and answer.json()["code"] == 404


@freezes
def test_a_pause_does_not_wait_for_what_runs(server, create):
    made = create()
    process = server.http.post(f"/v1/sessions/{session_of(made)}/processes", json={"argv": ["sleep", "600"]}).json()
    with server.http.stream("POST", f"/v1/sessions/{session_of(made)}/run", json={"code": "import time; print('on', flush=True); time.sleep(600)"},
                            headers={"Accept": "text/event-stream"}) as run:
        assert any("on" in line for line in run.iter_lines())
        assert made.pause() is True
        made.connect()
    processes = server.http.get(f"/v1/sessions/{session_of(made)}/processes").json()["processes"]
    assert [one["state"] for one in processes if one["id"] == process["id"]] == ["running"]


# Keys


def make_key(server, *words) -> dict:
    done = atoll("key", "create", "--json", *words, "--data-dir", str(server.folder / "data"))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def keyed(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("keyed"))
    running.mine = make_key(running, "--e2b", "--owner", "mine", "--scope", "admin")
    running.theirs = make_key(running, "--e2b", "--owner", "theirs")
    yield running
    assert running.stop() == 0


def test_keys_in_the_form_of_the_sdk(keyed):
    assert re.fullmatch("e2b_[0-9a-f]+", keyed.mine["key"])
    made = Sandbox.create(**options_of(keyed, keyed.mine["key"]))
    assert made.is_running()
    authorised = {"Authorization": f"Bearer {keyed.mine['key']}"}
    assert keyed.http.get(f"/v1/sessions/{session_of(made)}", headers=authorised).status_code == 200
    made.kill()


@pytest.mark.parametrize("key", [ANY_KEY, "e2b_" + "f" * 84, "e2b_" + "0" * 83])
def test_a_wrong_key(keyed, key):
    with pytest.raises(AuthenticationException):
        Sandbox.create(**options_of(keyed, key))
    with pytest.raises(AuthenticationException):
        Sandbox.get_info(UNKNOWN, **options_of(keyed, key))


def test_no_key(keyed):
    answer = httpx.post(keyed.url + "/v2/sandboxes", json={"templateID": "base"})
    assert answer.status_code == 401 and answer.json()["code"] == 401 and answer.json()["message"]


def test_sandboxes_of_others_do_not_exist(keyed):
    made = Sandbox.create(**options_of(keyed, keyed.mine["key"]))
    theirs = options_of(keyed, keyed.theirs["key"])
    for call in (lambda: Sandbox.connect(made.sandbox_id, **theirs), lambda: Sandbox.get_info(made.sandbox_id, **theirs),
                 lambda: Sandbox.set_timeout(made.sandbox_id, 1, **theirs)):
        with pytest.raises(SandboxNotFoundException):
            call()
    assert Sandbox.kill(made.sandbox_id, **theirs) is False
    assert Sandbox.list(**theirs).next_items() == []
    snapshot = made.create_snapshot()
    with pytest.raises(SandboxException):
        Sandbox.create(snapshot.snapshot_id, **theirs)
    assert Sandbox.delete_snapshot(snapshot.snapshot_id, **theirs) is False
    assert Sandbox.delete_snapshot(snapshot.snapshot_id, **options_of(keyed, keyed.mine["key"])) is True
    made.kill()


def test_tokens_end_with_the_key_that_made_them(keyed):
    short = make_key(keyed, "--e2b", "--owner", "mine")
    made = Sandbox.create(**options_of(keyed, short["key"]))
    made.files.write("file", "1")
    admin = {"X-API-Key": keyed.mine["key"]}
    assert keyed.http.delete(f"/v1/keys/{short['id']}", headers=admin).status_code == 200
    with pytest.raises(AuthenticationException):
        made.files.read("file")
    again = Sandbox.connect(made.sandbox_id, **options_of(keyed, keyed.mine["key"]))
    assert again.files.read("file") == "1"
    with pytest.raises(AuthenticationException):
        made.files.read("file")
    again.kill()


@pytest.mark.parametrize("scopes, envd, traffic", [
    (["sessions:read", "sessions:write"], False, False), (["sessions:read", "sessions:write", "files"], False, False),
    (["sessions:read", "sessions:write", "run"], False, True), (["sessions:read", "sessions:write", "run", "files"], True, True)])
def test_a_key_gets_no_tokens_for_what_it_may_not_do(keyed, scopes, envd, traffic):
    """A token runs code and writes files: who may only see and make sandboxes must not get one."""
    key = make_key(keyed, "--e2b", "--owner", "mine", *[word for scope in scopes for word in ("--scope", scope)])["key"]
    headers = {"X-API-Key": key}
    made = keyed.http.post("/v2/sandboxes", json={"templateID": "base"}, headers=headers)
    assert made.status_code == 201, made.text
    place = "/sandboxes/" + made.json()["sandboxID"]
    again = keyed.http.post("/v2" + place + "/connect", json={}, headers=headers)
    for answer in (made, again):
        shown = answer.json()
        assert (bool(shown["envdAccessToken"]), bool(shown["trafficAccessToken"])) == (envd, traffic), shown
    assert bool(keyed.http.get(place, headers=headers).json()["envdAccessToken"]) == envd
    keyed.http.delete(place, headers=headers)


def test_a_create_that_is_sent_again_makes_no_second_sandbox(keyed):
    """As a client does that heard no answer."""
    headers = {"X-API-Key": keyed.mine["key"], "Idempotency-Key": "a-key-of-this-test"}
    body = {"templateID": "base", "metadata": {"of": "idempotency"}}

    def create(**more):
        return httpx.post(keyed.url + "/v2/sandboxes", headers={**headers, **more.pop("headers", {})}, json={**body, **more}, timeout=60)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = [one.result() for one in [pool.submit(create) for _ in range(4)]]
    assert {answer.status_code for answer in answers} == {201}, [answer.text for answer in answers]
    made, = {answer.json()["sandboxID"] for answer in answers}
    assert create().json()["envdAccessToken"] == answers[0].json()["envdAccessToken"]
    with_it = httpx.get(keyed.url + "/v2/sandboxes", params={"metadata": "of=idempotency"}, headers=headers).json()
    assert [one["sandboxID"] for one in with_it] == [made]
    other = create(metadata={})
    assert other.status_code == 409 and "another request" in other.json()["message"]
    theirs = create(headers={"X-API-Key": keyed.theirs["key"]})
    assert theirs.status_code == 201 and theirs.json()["sandboxID"] != made, "a key is its owner's"
    for wrong in ("x" * 256, "a b"):
        assert create(headers={"Idempotency-Key": wrong}).status_code == 400
    # One that fails is no answer to keep.
    failed = create(templateID="nothing", headers={"Idempotency-Key": "failing"})
    assert failed.status_code == 404, failed.text
    again = create(headers={"Idempotency-Key": "failing"})
    assert again.status_code == 201, again.text
    for one, key in ((made, keyed.mine), (again.json()["sandboxID"], keyed.mine), (theirs.json()["sandboxID"], keyed.theirs)):
        assert httpx.delete(f"{keyed.url}/sandboxes/{one}", headers={"X-API-Key": key["key"]}).status_code == 204
    gone = create()
    assert gone.status_code == 409 and "has ended" in gone.json()["message"]


def test_a_list_is_made_beside_the_loop(own_server):
    """Each sandbox's variables are read for it, and others are waiting meanwhile."""
    pid, headers = own_server.process.pid, {"X-API-Key": ANY_KEY}
    made = [Sandbox.create(timeout=120, envs={f"V{n}": "\\" * 30_000 for n in range(2)}, **options_of(own_server)) for _ in range(6)]
    before, before_loop = processor_seconds(pid), processor_seconds(pid, pid)
    while processor_seconds(pid) - before < 2:
        for path in ("/v2/sandboxes", "/sandboxes"):
            assert len(own_server.http.get(path, headers=headers).json()) == len(made)
    assert processor_seconds(pid, pid) - before_loop < (processor_seconds(pid) - before) / 2
    for one in made:
        one.kill()
