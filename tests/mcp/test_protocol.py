"""/mcp without a client's help: what is no message, sessions, cancellation, who may come in."""

import asyncio
import json
import threading

import httpx
import pytest
from harness.host import eventually
from harness.server import Server

BOTH = {"Accept": "application/json, text/event-stream"}
KEY = "an-administrators-key-for-these-tests-0123456789"


def message(method, number=1, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def begin(http, revision="2025-11-25"):
    answer = http.post("/mcp", headers=BOTH, json=message(
        "initialize", protocolVersion=revision, capabilities={}, clientInfo={"name": "t", "version": "1"}))
    assert answer.status_code == 200, answer.text
    return answer, {**BOTH, "Mcp-Session-Id": answer.headers["mcp-session-id"],
                    "MCP-Protocol-Version": answer.json()["result"]["protocolVersion"]}


@pytest.fixture
def session(server):
    return begin(server.http)[1]


def events(answer):
    return [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]


@pytest.mark.parametrize("wanted, given", [("2025-11-25", "2025-11-25"), ("2024-11-05", "2024-11-05"),
                                           ("2026-07-28", "2025-11-25"), ("1999-01-01", "2025-11-25")])
def test_a_revision_is_agreed_on(server, wanted, given):
    answer, _ = begin(server.http, wanted)
    assert answer.json()["result"]["protocolVersion"] == given


@pytest.mark.parametrize("body, status, code", [
    (b"", 400, -32700), (b"{", 400, -32700), (b"\xff", 400, -32700), (b"[]", 400, -32600), (b"1", 400, -32600),
    (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600), (b'{"id":1,"method":"ping"}', 400, -32600),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600), (b'{"jsonrpc":"2.0","id":1}', 400, -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 400, -32602), (b"[" * 9999, 400, -32700),
    (b'{"jsonrpc":"2.0","id":"' + b"x" * 300 + b'","method":"ping"}', 400, -32600),
])
def test_what_is_no_message_is_refused(server, session, body, status, code):
    answer = server.http.post("/mcp", headers=session, content=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), answer.text
    assert answer.json()["error"]["message"]


def test_a_body_has_a_limit(server, session):
    answer = server.http.post("/mcp", headers=session, content=b" " * ((8 << 20) + 1))
    assert answer.status_code == 413


@pytest.mark.parametrize("method, params, code", [
    ("nothing", {}, -32601), ("prompts/list", {}, -32601), ("tools/call", {}, -32602),
    ("tools/call", {"name": "nothing"}, -32602), ("tools/call", {"name": "run_python", "arguments": 1}, -32602),
    ("tools/call", {"name": "run_python", "_meta": {"progressToken": []}}, -32602),
    ("tools/list", {"cursor": "x"}, -32602), ("resources/read", {}, -32602), ("resources/read", {"uri": 1}, -32602),
    ("resources/list", {"cursor": "%zz"}, -32602), ("server/discover", {}, -32601),
])
def test_what_a_method_does_not_take(server, session, method, params, code):
    answer = server.http.post("/mcp", headers=session, json=message(method, 7, **params))
    assert answer.status_code == 200
    assert (answer.json()["id"], answer.json()["error"]["code"]) == (7, code), answer.text


def test_notifications_and_responses_are_heard(server, session):
    for body in ({"jsonrpc": "2.0", "method": "notifications/initialized"}, {"jsonrpc": "2.0", "method": "whatever"},
                 {"jsonrpc": "2.0", "id": 1, "result": {}},
                 {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}},
                 {"jsonrpc": "2.0", "method": "notifications/cancelled"}):
        answer = server.http.post("/mcp", headers=session, json=body)
        assert (answer.status_code, answer.content) == (202, b""), body


def test_without_a_session_one_has_to_begin(server):
    for headers, status in ((BOTH, 400), ({**BOTH, "Mcp-Session-Id": "mcp-none"}, 404)):
        answer = server.http.post("/mcp", headers=headers, json=message("tools/list", 3))
        assert answer.status_code == status and answer.json()["id"] == 3
        assert "initialize" in answer.json()["error"]["message"]
        for method in ("GET", "DELETE"):
            assert server.http.request(method, "/mcp", headers=headers).status_code == status
    wrong = server.http.post("/mcp", headers={**BOTH, "MCP-Protocol-Version": "1999-01-01"}, json=message("ping"))
    assert wrong.status_code == 400 and wrong.json()["error"]["code"] == -32022
    assert "2025-11-25" in wrong.json()["error"]["data"]["supported"]


def test_a_session_ends(server, session):
    assert server.http.delete("/mcp", headers=session).status_code == 204
    assert server.http.post("/mcp", headers=session, json=message("ping")).status_code == 404
    assert server.http.delete("/mcp", headers=session).status_code == 404


def test_a_session_too_many_takes_the_place_of_the_oldest(server):
    first = begin(server.http)[1]
    for _ in range(100):
        begin(server.http)
    assert server.http.post("/mcp", headers=first, json=message("ping")).status_code == 404


def test_the_stream_ends_with_its_session(server, session):
    with server.http.stream("GET", "/mcp", headers=session) as stream:
        assert stream.status_code == 200 and stream.headers["content-type"].startswith("text/event-stream")
        # A second one takes the place of the first, whose connection may be dead.
        with httpx.Client(base_url=server.url, timeout=60) as other:
            with other.stream("GET", "/mcp", headers=session) as newer:
                assert "data:" not in "".join(stream.iter_text())
                assert other.delete("/mcp", headers=session).status_code == 204
                assert "data:" not in "".join(newer.iter_text())
    assert server.http.get("/mcp", headers={**session, "Accept": "application/json"}).status_code == 406


def test_answers_as_json_or_as_events(server, session):
    call = message("tools/call", 5, name="code_sandbox", arguments={"code": "print('hi')"})
    plain = server.http.post("/mcp", headers={**session, "Accept": "application/json"}, json=call)
    assert plain.headers["content-type"] == "application/json"
    assert plain.json()["result"]["content"] == [{"type": "text", "text": "hi"}]
    told = server.http.post("/mcp", headers=session, json=call)
    assert told.headers["content-type"].startswith("text/event-stream")
    assert events(told) == [plain.json()]
    only_events = server.http.post("/mcp", headers={**session, "Accept": "text/event-stream"}, json=message("ping", 6))
    assert events(only_events) == [{"jsonrpc": "2.0", "id": 6, "result": {}}]


def running(server, headers, name, number=1, accept=BOTH["Accept"]):
    """A call that does not end by itself, and what comes of it."""
    code = f"open('/session/started-{number}', 'w').close()\nimport time\ntime.sleep(3600)"
    call = message("tools/call", number, name="run_python", arguments={"session_id": name, "code": code})
    answers = []

    def ask():
        with httpx.Client(base_url=server.url, timeout=280) as http:
            answers.append(http.post("/mcp", headers={**headers, "Accept": accept}, json=call))
    thread = threading.Thread(target=ask)
    thread.start()
    path = f"/v1/sessions/{name}/files/session/started-{number}"
    assert eventually(lambda: server.http.get(path).status_code == 200, 60)
    return thread, answers


@pytest.mark.parametrize("accept", [BOTH["Accept"], "application/json"])
def test_cancellation(server, session, accept):
    name = "raw-cancel-" + str(len(accept))
    thread, answers = running(server, session, name, accept=accept)
    again = server.http.post("/mcp", headers=session, json=message(
        "tools/call", 1, name="run_python", arguments={"session_id": name, "code": "1"}))
    assert again.json()["error"]["code"] == -32600  # the id is in use
    # "1" is another id, and what another session cancels is its own.
    other = begin(server.http)[1]
    for headers, which in ((session, "1"), (other, 1), (session, 1)):
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": which}}
        assert server.http.post("/mcp", headers=headers, json=cancelled).status_code == 202
    thread.join(60)
    assert not thread.is_alive()
    (answer,) = answers
    assert answer.status_code == 200
    if accept == BOTH["Accept"]:
        assert events(answer) == []  # who has cancelled wants no answer
    else:
        assert answer.json()["result"]["isError"]


def test_a_session_that_ends_cancels_its_calls(server, session):
    thread, _ = running(server, session, "raw-end")
    assert server.http.delete("/mcp", headers=session).status_code == 204
    thread.join(60)
    assert not thread.is_alive()


def test_a_client_that_leaves_cancels_its_call(server, session):
    """The next run in the same kernel comes through only when the first has ended."""
    name = "raw-leaves"
    code = "print('now', flush=True)\nimport time\ntime.sleep(3600)"
    call = message("tools/call", 1, name="run_python", arguments={"session_id": name, "code": code},
                   _meta={"progressToken": "p"})
    with httpx.Client(base_url=server.url, timeout=60) as http:
        with http.stream("POST", "/mcp", headers=session, json=call) as stream:
            for line in stream.iter_lines():
                if "now" in line:
                    break
    after = server.http.post(f"/v1/tools/run_python", json={"session_id": name, "code": "6 * 7"})
    assert after.json()["output"] == "42"


def test_calls_at_a_time_have_a_limit(server, session):
    name = "raw-many"
    held = [running(server, session, name, 0)]
    code = {"code": "import time; time.sleep(3600)", "session_id": name}
    refused = []

    def ask(number):
        with httpx.Client(base_url=server.url, timeout=280) as http:
            answer = http.post("/mcp", headers={**session, "Accept": "application/json"},
                               json=message("tools/call", number, name="run_python", arguments=code))
            if "error" in answer.json():
                refused.append(answer.json()["error"]["message"])
    threads = [threading.Thread(target=ask, args=(number,)) for number in range(1, 41)]
    for thread in threads:
        thread.start()
    assert eventually(lambda: len(refused) == 9, 60)
    assert "32 calls under way" in refused[0]
    assert server.http.delete("/mcp", headers=session).status_code == 204
    for thread in [*threads, held[0][0]]:
        thread.join(60)
        assert not thread.is_alive()


def test_the_session_of_an_address(server):
    headers = begin(server.http)[1]
    call = message("tools/call", name="run_python", arguments={"code": "here = 'yes'"})
    server.http.post("/mcp?session=by-address", headers=headers, json=call)
    told = server.http.post("/v1/tools/run_python", json={"session_id": "by-address", "code": "here"})
    assert told.json()["output"] == "'yes'"
    wrong = server.http.post("/mcp?sesion=x", headers=headers, json=call)
    assert wrong.status_code == 400 and "sesion" in wrong.json()["error"]["message"]


def test_pages_of_other_origins_are_refused(server, session):
    answer = server.http.post("/mcp", headers={**session, "Origin": "http://evil.example"}, json=message("ping"))
    assert answer.status_code == 403


def test_pages_of_an_allowed_origin_can_use_all_of_it(tmp_path):
    """What a browser asks before it sends one of the protocol's requests, and what it lets the page read."""
    running = Server(tmp_path, "--allowed-origin", "https://app.example")
    page = {"Origin": "https://app.example"}
    wanted = ["authorization", "content-type", "last-event-id", "mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id"]
    try:
        for method in ("POST", "GET", "DELETE"):
            before = running.http.options("/mcp", headers={**page, "Access-Control-Request-Method": method,
                                                           "Access-Control-Request-Headers": ",".join(wanted)})
            assert before.status_code == 204 and before.headers["access-control-allow-origin"] == page["Origin"]
            assert method in before.headers["access-control-allow-methods"]
            allowed = {name.strip().lower() for name in before.headers["access-control-allow-headers"].split(",")}
            assert set(wanted) <= allowed
        answer = running.http.post("/mcp", headers={**BOTH, **page}, json=message(
            "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"}))
        shown = {name.strip().lower() for name in answer.headers["access-control-expose-headers"].split(",")}
        assert answer.headers["mcp-session-id"] and "mcp-session-id" in shown
    finally:
        assert running.stop() == 0


# ---- Keys ----

@pytest.fixture(scope="module")
def keyed(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("keyed"), environment={"ATOLL_ADMIN_KEY": KEY})
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def key_of(keyed):
    def make(owner, *scopes):
        answer = keyed.http.post("/v1/keys", json={"owner": owner, "scopes": list(scopes)},
                                 headers={"Authorization": f"Bearer {KEY}"})
        assert answer.status_code == 201, answer.text
        return answer.json()["key"]
    return make


def as_key(keyed, key):
    return httpx.Client(base_url=keyed.url, timeout=60, headers={"Authorization": f"Bearer {key}"})


def test_a_key_is_needed_and_its_scope(keyed, key_of):
    assert keyed.http.post("/mcp", headers=BOTH, json=message("ping")).status_code == 401
    with as_key(keyed, key_of("anna", "threads")) as http:
        assert http.post("/mcp", headers=BOTH, json=message("ping")).status_code == 403
    with as_key(keyed, key_of("anna", "run")) as http:
        headers = begin(http)[1]
        call = message("tools/call", name="run_python", arguments={"code": "1"})
        refused = events(http.post("/mcp", headers=headers, json=call))[0]["result"]
        assert refused["isError"]  # this key makes no sessions
        fresh = message("tools/call", name="code_sandbox", arguments={"code": "print(2)"})
        assert events(http.post("/mcp", headers=headers, json=fresh))[0]["result"]["content"][0]["text"] == "2"


def test_sessions_and_files_are_their_owners(keyed, key_of):
    write = message("tools/call", name="write_file",
                    arguments={"session_id": "hers", "path": "a.txt", "content": "secret"})
    read = message("resources/read", uri="atoll://sessions/hers/files/session/a.txt")
    with as_key(keyed, key_of("carol", "run", "sessions:write")) as carol, \
            as_key(keyed, key_of("dave", "run", "sessions:write")) as dave:
        hers, his = begin(carol)[1], begin(dave)[1]
        assert "wrote" in carol.post("/mcp", headers=hers, json=write).text
        assert carol.post("/mcp", headers=hers, json=read).json()["result"]["contents"][0]["text"] == "secret"
        assert dave.post("/mcp", headers=his, json=read).json()["error"]["code"] == -32002
        # Nor is her MCP session his.
        assert dave.post("/mcp", headers=hers, json=message("ping")).status_code == 404
        assert dave.delete("/mcp", headers=hers).status_code == 404
        assert carol.post("/mcp", headers=hers, json=message("ping")).status_code == 200


def test_clients_with_a_key(keyed, key_of):
    """The official one, over HTTP and over stdio."""
    import httpx2
    from harness.mcp_client import program
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client
    key = key_of("erin", "run", "sessions:write")

    async def use(target):
        async with Client(target) as connected:
            return (await connected.call_tool("run_python", {"code": "40 + 2"})).content[0].text

    async def both():
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as http:
            over_http = await use(streamable_http_client(keyed.url + "/mcp", http_client=http))
        return over_http, await use(program(keyed.url, key))
    assert asyncio.run(both()) == ("42", "42")
