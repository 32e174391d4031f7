"""Choosing the model: by an administrator, of what an endpoint lists; a key goes in and never comes out."""

import contextlib
import json
import socket
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from harness.analyst import Analyst
from harness.model_server import ModelServer

KEY = "sk-a-key-that-nobody-may-see-0123456789"
ADMIN = "an-administrators-key-for-these-tests-0123456789"
NOTHING = {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": "", "OPENAI_MODEL": ""}


def says(asked):
    return f"{asked.body['model']} says hello"


@pytest.fixture(scope="module")
def provider():
    with ModelServer(says, keys=(KEY,), models=("small", "large")) as running:
        yield running


@pytest.fixture
def bare(tmp_path):
    """A server that was started without a model."""
    running = Analyst(tmp_path, "--access-log", environment=NOTHING)
    yield running
    if running.process.poll() is None:
        assert running.stop() == 0


def settings(server) -> dict:
    answer = server.http.get("/v1/model-settings")
    assert answer.status_code == 200, answer.text
    return answer.json()


def change(server, status=200, **fields) -> dict:
    answer = server.http.patch("/v1/model-settings", json=fields)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_a_model_is_chosen_used_kept_and_forgotten(bare, provider):
    assert settings(bare) == {"provider": "offline", "base_url": "", "model": "", "has_key": False,
                              "address_from": "", "model_from": "", "questions_may_choose": True}
    assert bare.http.get("/v1/models/available").json() == {
        "model": "", "models": [], "questions_may_choose": False}
    chosen = change(bare, base_url=provider.url, key=KEY, model="small")
    assert (chosen["provider"], chosen["model"], chosen["has_key"]) == ("openai", "small", True)
    assert bare.http.get("/v1/models/available").json() == {
        "model": "small", "models": ["small", "large"], "questions_may_choose": True}
    assert bare.http.get("/v1/info").json()["model"] == "openai/small"
    thread = bare.thread()
    answer = bare.ask(thread, "hello")
    assert (answer["answer"], answer["model"]) == ("small says hello", "openai/small")
    change(bare, model="large")
    assert bare.ask(thread, "hello")["answer"] == "large says hello"
    # The next start has it, and nothing but the file has the key.
    assert bare.stop() == 0
    bare.start()
    assert settings(bare) == {**chosen, "model": "large"}
    assert bare.ask(thread, "hello")["answer"] == "large says hello"
    answer = bare.http.delete("/v1/model-settings")
    assert answer.json()["provider"] == "offline" and not answer.json()["has_key"]
    assert bare.http.get("/v1/info").json()["model"].startswith("offline")
    assert KEY not in (bare.folder / "data" / "model.json").read_text()


def test_a_list_that_fails_is_not_asked_for_again_and_again(bare):
    """Whoever may ask questions may ask for it: many at once do not become as many requests with the
    server's key, of which a provider allows so many a minute to all tenants together."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            everybody_waits.wait(20)
            self.send_error(500)

        def log_message(self, *_):
            pass

    everybody_waits = threading.Event()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as slow, ThreadPoolExecutor(40) as pool:
        threading.Thread(target=slow.serve_forever, daemon=True).start()
        change(bare, base_url=f"http://127.0.0.1:{slow.server_port}/v1", key=KEY, model="small")
        answers = [pool.submit(bare.http.get, "/v1/models/available") for _ in range(40)]
        everybody_waits.set()
        assert {answer.result().status_code for answer in answers} == {503}
        assert len(asked) == 1
        # A change is another question.
        change(bare, key=KEY + "2")
        assert bare.http.get("/v1/models/available").status_code == 503 and len(asked) == 2


def test_the_key_is_seen_by_nobody(bare, provider):
    change(bare, base_url=provider.url, key=KEY, model="small")
    file = bare.folder / "data" / "model.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and KEY in file.read_text()
    bad = [{"key": KEY + "\n"}, {"key": [KEY]}, {"key": KEY * 200}, {"kee": KEY}, {"base_url": "ftp://x", "key": KEY}]
    for body in bad:
        answer = bare.http.patch("/v1/model-settings", json=body)
        assert answer.status_code == 400 and KEY not in answer.text, (body, answer.text)
    heard = [bare.http.get(path).text for path in ("/v1/model-settings", "/v1/models/available", "/v1/info", "/metrics",
                                                   "/v1/audit?limit=1000")]
    assert "patch_model_settings" in heard[-1] or "model" in heard[-1]
    assert not any(KEY in text for text in heard)
    # The provider quotes the key that it refuses; who asked does not hear it.
    change(bare, key=KEY[:-1])
    refused = bare.http.get("/v1/models/available")
    assert refused.status_code == 403 and KEY[:-1] not in refused.text
    change(bare, key=KEY)
    # Nor does a sandbox have it, whichever way it looks.
    session = bare.session()
    found = bare.run(session, f"""import os, glob
texts = [str(dict(os.environ))]
for path in glob.glob('/proc/*/environ') + glob.glob('/proc/*/cmdline') + [{str(file)!r}]:
    try: texts.append(open(path, errors='replace').read())
    except OSError as e: texts.append(e.strerror)
print(any('sk-a-key' in t for t in texts), os.path.exists({str(file)!r}))""")
    assert found["stdout"] == "False False\n"
    assert bare.stop() == 0
    assert KEY not in (bare.folder / "log").read_text()
    # Besides its own file, nothing in the data folder holds it.
    holding = [path.name for path in (bare.folder / "data").rglob("*")
               if path.is_file() and not path.is_symlink() and KEY.encode() in path.read_bytes()]
    assert holding == ["model.json"]


def test_a_key_is_sent_to_its_own_address_alone(bare, provider):
    with ModelServer(says, models=("elsewhere",)) as other:
        change(bare, base_url=provider.url, key=KEY, model="small")
        moved = change(bare, base_url=other.url)
        assert not moved["has_key"] and moved["model"] != "small"
        assert bare.http.get("/v1/models/available").json()["models"] == ["elsewhere"]
        assert other.requests and not any("authorization" in asked.headers for asked in other.requests)


def test_what_the_server_was_started_with_has_the_say(tmp_path, provider):
    environment = {**NOTHING, "OPENAI_BASE_URL": provider.url, "OPENAI_API_KEY": KEY, "OPENAI_MODEL": "small"}
    server = Analyst(tmp_path, environment=environment)
    try:
        now = settings(server)
        assert now["address_from"] == "environment: OPENAI_BASE_URL" and now["has_key"]
        assert now["model_from"] == "environment: OPENAI_MODEL" and now["model"] == "small"
        with ModelServer() as other:
            assert "OPENAI_BASE_URL" in change(server, 409, base_url=other.url)["detail"]
            change(server, 409, key="another")
            assert "OPENAI_MODEL" in change(server, 409, model="large")["detail"]
            assert other.requests == []
        assert settings(server) == now
        # The address alone: then the model is chosen here.
        assert server.stop() == 0
        server.environment["OPENAI_MODEL"] = ""
        server.start()
        assert change(server, model="large")["model"] == "large"
        assert server.ask(server.thread(), "hello")["answer"] == "large says hello"
    finally:
        assert server.stop() == 0


def test_a_question_may_choose_among_what_is_listed(bare, provider):
    thread = bare.thread()
    answer = bare.http.post(f"/thread/{thread}/message", json={"message": "hello", "model": "small"})
    assert answer.status_code == 400 and "no language model is set" in answer.json()["detail"]
    change(bare, base_url=provider.url, key=KEY, model="small")
    assert bare.ask(thread, "hello", model="large")["answer"] == "large says hello"
    done = [data for name, data, *_ in bare.stream(thread, "hello", model="large") if name == "done"]
    assert done[0]["model"] == "openai/large"
    assert bare.ask(thread, "hello")["answer"] == "small says hello"
    # Which is how a page finds out what was chosen for a thread.
    asked = [m.get("model") for m in bare.history(thread) if m["role"] == "user"]
    assert asked == ["large", "large", None]
    answer = bare.http.post(f"/thread/{thread}/message", json={"message": "hello", "model": "huge"})
    assert answer.status_code == 400 and "huge" in answer.json()["detail"]
    assert len(bare.history(thread)) == 6
    change(bare, questions_may_choose=False)
    answer = bare.http.post(f"/thread/{thread}/message", json={"message": "hello", "model": "large"})
    assert answer.status_code == 403
    assert bare.ask(thread, "hello", model="small")["answer"] == "small says hello"


def thread_of(server, thread, status=200, **fields) -> dict:
    answer = server.http.patch(f"/v1/threads/{thread}", json=fields) if fields else server.http.get(f"/v1/threads/{thread}")
    assert answer.status_code == status, answer.text
    return answer.json()


def test_a_thread_keeps_its_model(bare, provider):
    new = lambda **body: bare.http.post("/thread/new", json=body)  # noqa: E731
    assert "no language model is set" in new(model="small").json()["detail"]
    change(bare, base_url=provider.url, key=KEY, model="small")
    assert "huge" in new(model="huge").json()["detail"]
    made = new(model="large").json()
    thread = made["thread_id"]
    assert made["model"] == "large"
    assert bare.ask(thread, "hello")["answer"] == "large says hello"
    # A question may still have a model of its own, which changes nothing for the next.
    assert bare.ask(thread, "hello", model="small")["answer"] == "small says hello"
    assert bare.ask(thread, "hello")["answer"] == "large says hello"
    # Another client sees it, and the next start has it.
    assert bare.stop() == 0
    bare.start()
    assert thread_of(bare, thread)["model"] == "large"
    listed = bare.http.get("/threads").json()["threads"]
    assert [one["model"] for one in listed if one["thread_id"] == thread] == ["large"]
    # To be changed without a new title, and the other way round.
    assert thread_of(bare, thread, title="Mine")["model"] == "large"
    changed = thread_of(bare, thread, model="small")
    assert (changed["title"], changed["model"]) == ("Mine", "small")
    assert "huge" in thread_of(bare, thread, 400, model="huge")["detail"]
    assert bare.http.patch(f"/v1/threads/{thread}", json={}).status_code == 400
    assert thread_of(bare, "th-" + "a" * 32, 404, model="small")
    assert thread_of(bare, thread, model="")["model"] == ""
    # Where it can no longer be had, the model in force answers, and the answer says which that is.
    thread_of(bare, thread, model="large")
    change(bare, questions_may_choose=False)
    assert bare.ask(thread, "hello")["model"] == "openai/small"
    assert bare.http.delete("/v1/model-settings").status_code == 200
    assert bare.ask(thread, "How many rows?")["model"].startswith("offline")
    assert thread_of(bare, thread)["model"] == "large"


def test_errors_point_to_where_the_key_was_typed(bare, provider, tmp_path_factory):
    change(bare, base_url=provider.url, key="wrong", model="small")
    thread = bare.thread()
    refused = bare.http.post(f"/thread/{thread}/message", json={"message": "hello"})
    assert "refuses the key; check the key on the settings page" in refused.json()["detail"]
    assert "settings page" in bare.http.get("/v1/models/available").json()["detail"]
    assert "address" in change(bare, 400, base_url="ftp://x")["detail"]
    own = Analyst(tmp_path_factory.mktemp("own"), environment={**NOTHING, "OPENAI_BASE_URL": provider.url,
                                                               "OPENAI_API_KEY": "wrong"})
    try:
        refused = own.http.post(f"/thread/{own.thread()}/message", json={"message": "hello"})
        assert "check OPENAI_API_KEY" in refused.json()["detail"]
    finally:
        assert own.stop() == 0


def test_a_turn_under_way_keeps_its_model(bare, provider):
    from harness.model_server import call

    change(bare, base_url=provider.url, key=KEY, model="small")
    provider.answer = lambda asked: (
        {"tool_calls": [call("run_python", code="print(1)")]} if not asked.tool_results else says(asked))
    try:
        seen = []
        for event in bare.stream(bare.thread(), "work"):
            seen.append(event)
            if event[0] == "code_start":
                change(bare, model="large")
        assert seen[-1][1]["answer"] == "small says hello" and seen[-1][1]["model"] == "openai/small"
    finally:
        provider.answer = says


def port_is_free(port) -> bool:
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return one.connect_ex(("127.0.0.1", port)) != 0


def test_programs_on_this_machine_are_found(bare):
    port = next((one for one in (1234, 11434, 8080) if port_is_free(one)), None)
    if port is None:
        pytest.skip("all of these ports are taken on this machine")
    before = bare.http.post("/v1/models/probe").json()["servers"]
    with ModelServer(says, port=port, models=("a", "b")) as local:
        found = [one for one in bare.http.post("/v1/models/probe").json()["servers"] if one not in before]
        name = {1234: "LM Studio", 11434: "Ollama", 8080: "llama.cpp"}[port]
        assert found == [{"name": name, "base_url": f"http://127.0.0.1:{port}/v1", "models": ["a", "b"]}]
        assert {asked.path for asked in local.requests} == {"/v1/models"}
        # It is asked for nothing but the list, and is given nothing.
        assert not any("authorization" in asked.headers for asked in local.requests)
        change(bare, base_url=found[0]["base_url"], model="b")
        assert bare.ask(bare.thread(), "hello")["answer"] == "b says hello"


def test_only_loopback_is_probed_and_never_itself(bare):
    probe = lambda url: bare.http.post("/v1/models/probe", json={"base_url": url})  # noqa: E731
    own = probe(bare.url + "/v1")
    assert own.status_code == 403 and "this server itself" in own.json()["detail"]
    for elsewhere in ("http://192.0.2.1/v1", "http://10.0.0.1:8080/v1", "http://169.254.169.254/latest",
                      "http://0.0.0.0:1234/v1"):
        assert probe(elsewhere).status_code == 403, elsewhere
    for wrong in ("file:///etc/passwd", "ftp://127.0.0.1/", "127.0.0.1:1234", "http://"):
        assert probe(wrong).status_code == 400, wrong
    with ModelServer(models=("here",)) as local:
        assert probe(local.url).json()["servers"][0]["models"] == ["here"]
    assert probe(local.url).status_code == 503


def test_credentials_of_clouds_are_out_of_reach(bare):
    change(bare, base_url="http://169.254.169.254/v1")
    assert bare.http.get("/v1/models/available").status_code == 403


@pytest.mark.parametrize("body", ["x" * 3_000_000, "<html>", '{"data": 7}', ""], ids=["long", "html", "number", "empty"])
def test_what_is_no_list(bare, body):
    with ModelServer() as odd:
        odd._loop.handle = lambda at, *_: at.send(200, body.encode())
        change(bare, base_url=odd.url)
        answer = bare.http.get("/v1/models/available")
        assert answer.status_code >= 400 and len(answer.text) < 2000
        probed = bare.http.post("/v1/models/probe", json={"base_url": odd.url})
        assert probed.status_code >= 400


def test_a_damaged_file_costs_the_choice_and_not_the_server(bare, provider):
    change(bare, base_url=provider.url, key=KEY, model="small")
    assert bare.stop() == 0
    file = bare.folder / "data" / "model.json"
    for spoil in (lambda: file.write_text('{"base_url": 7, "key": "' + KEY), lambda: file.chmod(0o644)):
        spoil()
        bare.start()
        assert settings(bare)["provider"] == "offline"
        # It is not written over: the operator may want it back.
        assert "cannot be used" in change(bare, 409, base_url=provider.url)["detail"]
        assert bare.stop() == 0
        assert "model.json" in (bare.folder / "log").read_text()
        assert KEY not in (bare.folder / "log").read_text()


def test_only_administrators_choose(tmp_path, provider):
    server = Analyst(tmp_path, environment={**NOTHING, "ATOLL_ADMIN_KEY": ADMIN})
    try:
        admin = httpx.Client(base_url=server.url, timeout=60, headers={"Authorization": f"Bearer {ADMIN}"})
        made = admin.post("/v1/keys", json={"owner": "ann", "scopes": ["threads", "run", "sessions:write"]}).json()
        ann = httpx.Client(base_url=server.url, timeout=60, headers={"Authorization": f"Bearer {made['key']}"})
        with contextlib.closing(admin), contextlib.closing(ann):
            body = {"base_url": provider.url, "key": KEY, "model": "small"}
            assert ann.patch("/v1/model-settings", json=body).status_code == 403
            assert ann.get("/v1/model-settings").status_code == 403
            assert ann.delete("/v1/model-settings").status_code == 403
            assert ann.post("/v1/models/probe").status_code == 403
            assert admin.patch("/v1/model-settings", json=body).status_code == 200
            assert ann.get("/v1/models/available").json()["models"] == ["small", "large"]
            records = admin.get("/v1/audit?limit=1000").json()["records"]
            assert KEY not in json.dumps(records)
    finally:
        assert server.stop() == 0
