"""What the official client gets: whole answers, streams, usage, models, and failures that it understands."""

import http.client
import json

import openai
import pytest
from harness.analyst import Analyst
from harness.completions import Chat, said_in
from harness.host import eventually


def test_a_whole_answer(client):
    answer = client.chat.completions.create(model="atoll", messages=[{"role": "user", "content": "hello"}])
    assert answer.object == "chat.completion" and answer.id.startswith("chatcmpl-") and answer.model == "atoll"
    assert answer.choices[0].message.role == "assistant"
    assert answer.choices[0].message.content == "You said hello"
    assert answer.choices[0].finish_reason == "stop"
    usage = answer.usage
    assert usage.prompt_tokens > 0 and usage.completion_tokens > 0
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens


def test_code_and_its_output_are_shown(chat):
    said = chat.say("run: print(6 * 7)")
    assert said == "```python\nprint(6 * 7)\n```\n\n```text\n42\n```\n\nIt says 42"


def test_the_quiet_model_shows_no_code(client):
    assert Chat(client, "atoll-quiet").say("run: print(6 * 7)") == "It says 42"


def test_code_that_has_fences_is_fenced(chat):
    said = chat.say("run: print('```\\n<b>`x`</b>\\n````')")
    assert "`````text\n```\n<b>`x`</b>\n````\n`````" in said, said


def test_a_stream_is_the_same_in_pieces(client):
    whole = Chat(client).say("run: print(6 * 7)")
    chunks = Chat(client).stream("run: print(6 * 7)")
    assert chunks[0].choices[0].delta.role == "assistant"
    assert said_in(chunks) == whole
    assert [c.choices[0].finish_reason for c in chunks] == [None] * (len(chunks) - 1) + ["stop"]
    assert len({c.id for c in chunks}) == 1 and all(c.object == "chat.completion.chunk" for c in chunks)
    assert all(c.usage is None for c in chunks)


def test_usage_comes_last_if_asked_for(client):
    chunks = Chat(client).stream("hello", stream_options={"include_usage": True})
    assert chunks[-1].choices == [] and chunks[-1].usage.total_tokens > 0
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert all(c.usage is None for c in chunks[:-1])


def test_the_stream_to_the_letter(server):
    with server.http.stream("POST", "/v1/chat/completions", json={
            "model": "atoll", "stream": True, "messages": [{"role": "user", "content": "hello"}]}) as answer:
        assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/event-stream")
        lines = [line for line in answer.iter_lines() if line]
    lines = [line for line in lines if not line.startswith(":")]  # comments keep the connection open
    assert lines[-1] == "data: [DONE]" and all(line.startswith("data: {") for line in lines[:-1]), lines
    first = json.loads(lines[0][6:])
    assert first["choices"] == [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]
    last = json.loads(lines[-2][6:])
    assert last["choices"] == [{"index": 0, "delta": {}, "finish_reason": "stop"}]


def test_the_code_is_seen_while_it_runs(server, client):
    """The block of code is there before the code has ended; what ends it is this test."""
    stream = client.chat.completions.create(
        model="atoll", stream=True, messages=[{"role": "user", "content":
            "run: import os, time\nwhile not os.path.exists('/data/go'): time.sleep(0.05)\nprint('gone')"}])
    thread = stream.response.headers["x-atoll-thread"]
    said = ""
    for chunk in stream:
        before = said
        said += said_in([chunk])
        if "```python" in said and "```python" not in before:
            assert "gone\n```" not in said
            session = server.http.get(f"/v1/threads/{thread}").json()["session_id"]
            assert server.http.put(f"/v1/sessions/{session}/files/data/go", content=b"x").status_code in (200, 201)
    assert said.endswith("It says gone")


def test_reasoning_has_a_field_of_its_own(client, models):
    models.answer = {"reasoning": "hm, let me see", "text": "Done."}
    answer = client.chat.completions.create(model="atoll", messages=[{"role": "user", "content": "x"}])
    assert answer.choices[0].message.content == "Done."
    assert answer.choices[0].message.reasoning_content == "hm, let me see"
    chunks = Chat(client).stream("x")
    assert said_in(chunks) == "Done."
    thought = "".join(getattr(c.choices[0].delta, "reasoning_content", None) or "" for c in chunks)
    assert thought == "hm, let me see"


def test_an_answer_that_is_cut_off_says_length(client, models):
    models.answer = {"text": "and so", "finish": "length"}
    answer = client.chat.completions.create(model="atoll", messages=[{"role": "user", "content": "x"}])
    assert answer.choices[0].finish_reason == "length"


def test_instructions_of_the_client_reach_the_model_and_are_not_stored(server, client, models):
    raw = client.chat.completions.with_raw_response.create(model="atoll", messages=[
        {"role": "system", "content": "Today is Friday the 13th."}, {"role": "developer", "content": "Be kind."},
        {"role": "user", "content": "hello"}])
    system = models.requests[-1].body["messages"][0]
    assert system["role"] == "system"
    assert "Today is Friday the 13th.\n\nBe kind." in system["content"] and "data analyst" in system["content"]
    history = server.history(raw.headers["x-atoll-thread"], all="true")
    assert "Friday" not in json.dumps(history)


def test_what_cannot_be_used_is_ignored(chat):
    tool = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}
    said = chat.say("hello", temperature=0.1, top_p=0.5, n=1, max_tokens=5, stop=["said"], seed=7, tools=[tool],
                    tool_choice="auto", presence_penalty=1, logit_bias={"5": 1}, response_format={"type": "text"},
                    extra_body={"a_new_field": {"x": 1}, "reasoning_effort": "low"})
    assert said == "You said hello"


@pytest.mark.parametrize("fields, param", [
    ({"n": 2}, "n"), ({"n": "x"}, "n"), ({"tool_choice": "required"}, "tool_choice"),
    ({"tool_choice": {"type": "function", "function": {"name": "f"}}}, "tool_choice"),
    ({"response_format": {"type": "json_object"}}, "response_format"),
    ({"modalities": ["text", "audio"]}, "modalities"), ({"messages": []}, "messages"),
    ({"messages": "hi"}, "messages"), ({"messages": [5]}, "messages[0]"), ({"model": 5}, "model"),
    ({"model": None}, "model"), ({"messages": None}, "messages"), ({"stream": "yes"}, "stream"),
    ({"stream_options": 5}, "stream_options"), ({"user": ["x"]}, "user"), ({"user": "x" * 300}, "user"),
    ({"messages": [{"role": "user"}]}, "messages[0].content"),
    ({"messages": [{"role": "user", "content": 7}]}, "messages[0].content"),
    ({"messages": [{"role": "king", "content": "x"}]}, "messages[0].role"),
    ({"messages": [{"role": "assistant", "content": "x"}]}, "messages"),
    ({"messages": [{"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]}]},
     "messages[0].content[0].type"),
    ({"messages": [{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]}]}, "messages[0].content[0]"),
    ({"messages": [{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,%%%"}}]}]}, "messages[0].content[0]"),
    ({"messages": [{"role": "user", "content": [{"type": "file", "file": {"file_id": "f-none"}}]}]},
     "messages[0].content[0]"),
    ({"messages": [{"role": "user", "content": "x"}] * 4001}, "messages"),
    ({"messages": [{"role": "system", "content": "x" * 40_000}, {"role": "user", "content": "x"}]},
     "messages[0].content"),
    ({"messages": [{"role": "user", "content": "x" * 200_001}]}, "messages"),
])
def test_what_is_wrong_is_named(server, fields, param):
    body = {"model": "atoll", "messages": [{"role": "user", "content": "x"}], **fields}
    before = len(server.http.get("/threads", params={"limit": 1000}).json()["threads"])
    answer = server.http.post("/v1/chat/completions", json=body)
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["type"] == "invalid_request_error" and error["param"] == param, error
    assert len(server.http.get("/threads", params={"limit": 1000}).json()["threads"]) == before


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"null", b'{"model": "atoll", "model": "atoll"}', b"\xff\xfe",
                                  b'{"messages":' + b"[" * 5000 + b"]" * 5000 + b"}"])
def test_bodies_that_are_none(server, body):
    answer = server.http.post("/v1/chat/completions", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400 and answer.json()["error"]["type"] == "invalid_request_error", answer.text


def test_a_body_has_a_limit(server):
    answer = server.http.post("/v1/chat/completions", content=b" " * (21 << 20))
    assert answer.status_code == 413 and answer.json()["error"]["code"] == "too_large"


def test_the_client_knows_the_failures(client):
    with pytest.raises(openai.NotFoundError) as none:
        client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "x"}])
    assert none.value.code == "model_not_found" and none.value.param == "model"
    with pytest.raises(openai.BadRequestError) as bad:
        client.chat.completions.create(model="atoll", messages=[{"role": "user", "content": "x"}], n=3)
    assert bad.value.param == "n"
    with pytest.raises(openai.NotFoundError):
        client.embeddings.create(model="atoll", input="x")


def test_a_model_that_fails_is_a_failure(client, models):
    models.answer = {"status": 401}
    with pytest.raises(openai.InternalServerError) as failed:
        Chat(client).say("hello")
    assert failed.value.status_code == 503 and "key" in failed.value.message
    with pytest.raises(openai.APIError) as failed:
        Chat(client).stream("hello")
    assert "key" in failed.value.message


def test_models(client):
    listed = client.models.list().data
    assert [m.id for m in listed[:2]] == ["atoll", "atoll-quiet"] and all(m.owned_by == "atoll" for m in listed)
    assert client.models.retrieve("atoll-quiet").id == "atoll-quiet"
    with pytest.raises(openai.NotFoundError) as none:
        client.models.retrieve("gpt-4o")
    assert none.value.code == "model_not_found"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("atoll/none-of-those")


def test_the_models_behind_it_are_variants(client, server, models):
    names = server.http.get("/v1/models/available").json()["models"]
    assert names
    ids = [m.id for m in client.models.list().data]
    assert ids == ["atoll", "atoll-quiet"] + ["atoll/" + name for name in names]
    Chat(client, "atoll/" + names[-1]).say("hello")
    assert models.requests[-1].body["model"] == names[-1]
    assert client.models.retrieve("atoll-quiet/" + names[0]).id == "atoll-quiet/" + names[0]
    with pytest.raises(openai.NotFoundError):
        Chat(client, "atoll/no-such-model").say("hello")


def test_a_client_that_leaves_ends_the_turn(server, client):
    stream = client.chat.completions.create(model="atoll", stream=True, messages=[
        {"role": "user", "content": "run: import time\nfor _ in range(6000): time.sleep(0.1)"}])
    thread = stream.response.headers["x-atoll-thread"]
    said = ""
    for chunk in stream:
        said += said_in([chunk])
        if "```python" in said:
            break
    assert server.http.get(f"/thread/{thread}/status").json()["busy"]
    stream.close()
    assert eventually(lambda: not server.http.get(f"/thread/{thread}/status").json()["busy"], 30)
    assert "cancelled" in server.history(thread)[-1]["content"]


def test_so_does_one_that_waits_for_the_whole(server):
    body = {"model": "atoll", "messages": [
        {"role": "user", "content": "run: import time\nfor _ in range(7000): time.sleep(0.1)"}]}
    known = {t["thread_id"] for t in server.http.get("/threads").json()["threads"]}
    impatient = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
    impatient.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})

    def runs():
        new = [t for t in server.http.get("/threads").json()["threads"] if t["thread_id"] not in known]
        return new and server.http.get(f"/thread/{new[0]['thread_id']}/status").json()["busy"] and new[0]["thread_id"]

    assert eventually(runs, 30)
    thread = runs()
    impatient.close()
    assert eventually(lambda: not server.http.get(f"/thread/{thread}/status").json()["busy"], 30)
    assert "cancelled" in server.history(thread)[-1]["content"]


KEY = "a-key-of-these-tests-for-an-administrator-0123456789"


@pytest.fixture(scope="module")
def keyed(tmp_path_factory, models):
    running = Analyst(tmp_path_factory.mktemp("keyed"), "--rate-requests", "40", "--rate-window", "3600",
                      environment={**models.environment(), "ATOLL_ADMIN_KEY": KEY})
    yield running
    assert running.stop() == 0


def test_keys_and_the_rate(keyed):
    def client(key):
        return openai.OpenAI(base_url=keyed.url + "/v1", api_key=key, max_retries=0)

    with pytest.raises(openai.AuthenticationError) as refused:
        client("atl_wrong").models.list()
    assert refused.value.code == "invalid_api_key"
    admin = client(KEY)
    assert admin.models.list().data[0].id == "atoll"
    bearer = {"Authorization": f"Bearer {KEY}"}
    made = keyed.http.post("/v1/keys", json={"owner": "ann", "scopes": ["run"]}, headers=bearer).json()
    with pytest.raises(openai.PermissionDeniedError):
        client(made["key"]).models.list()
    made = keyed.http.post("/v1/keys", json={"owner": "ann", "scopes": ["threads"]}, headers=bearer).json()
    ann = client(made["key"])
    assert Chat(ann).say("hello") == "You said hello"
    with pytest.raises(openai.RateLimitError) as limited:
        for _ in range(60):
            ann.models.list()
    assert limited.value.code == "rate_limit_exceeded"
    assert int(limited.value.response.headers["retry-after"]) > 0
