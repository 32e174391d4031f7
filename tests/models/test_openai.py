"""The real chat model against a scripted provider: good streams, odd ones, broken ones."""
import json
import socket
import ssl
import subprocess
import time

import pytest

from harness.model import Failed, ModelProgram
from harness.model_server import RECORDED, ModelProcess, ModelServer, call


RUN_PYTHON = {"name": "run_python", "description": "Runs code.",
              "parameters": '{"type": "object", "properties": {"code": {"type": "string"}}}'}


def reply_to(program, models, answer, **fields) -> dict:
    models.answer = answer
    return program.chat(models.url, **fields).end()["reply"]


def failure_of(program, models, answer, **fields) -> Failed:
    with pytest.raises(Failed) as failed:
        reply_to(program, models, answer, **fields)
    assert "test-key" not in str(failed.value)
    return failed.value


# ------------------------------------------------------------------------------------ as it should

def test_text_comes_in_pieces_with_usage(program, models):
    models.answer = {"text": "One two three, 世界 🌍.", "reasoning": "Hm, let me see."}
    heard = program.chat(models.url)
    reply = heard.end()["reply"]
    assert heard.text == ["One", " two", " three,", " 世界", " 🌍."]
    assert "".join(heard.reasoning) == "Hm, let me see." == reply["reasoning"]
    assert reply["text"] == "One two three, 世界 🌍."
    assert reply["finish"] == "stop" and reply["answer_tokens"] == 5
    assert reply["prompt_tokens"] > 0


def test_what_is_sent(program, models):
    png = b"\x89PNG\r\n\x1a\n\x00\xff"
    image = {"media_type": "image/png", "hex": png.hex()}
    messages = [
        {"role": "system", "text": "Be brief."},
        {"role": "user", "text": "Look", "images": [image]},
        {"role": "assistant", "tool_calls": [
            {"id": "c1", "name": "run_python", "arguments": '{"code": "1"}'},
            {"id": "c2", "name": "bad name!", "arguments": "{not json"}]},
        {"role": "tool", "tool_call_id": "c1", "text": "1", "images": [image]},
        {"role": "tool", "tool_call_id": "c2", "hex": (b"a\xff\xe4\xbdz").hex()},
    ]
    models.answer = "ok"
    program.chat(models.url, messages=messages, tools=[RUN_PYTHON], answer_tokens_max=100,
                 sees_images=True, model="some/model").end()
    asked = models.requests[-1]
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == "Bearer test-key"
    assert asked.headers["content-type"] == "application/json"
    body = asked.body
    assert body["model"] == "some/model" and body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}
    assert body["max_tokens"] == 100 and "max_completion_tokens" not in body
    assert body["tools"][0]["function"]["parameters"]["properties"]["code"] == {"type": "string"}
    system, user, assistant, first, second, images = body["messages"]
    assert system == {"role": "system", "content": "Be brief."}
    url = "data:image/png;base64,iVBORw0KGgoA/w=="
    assert user["content"] == [{"type": "text", "text": "Look"},
                               {"type": "image_url", "image_url": {"url": url}}]
    assert assistant["content"] is None
    good, bad = assistant["tool_calls"]
    assert good == {"id": "c1", "type": "function",
                    "function": {"name": "run_python", "arguments": '{"code": "1"}'}}
    assert bad["function"]["name"] == "bad_name_"
    assert json.loads(bad["function"]["arguments"]) == {"unreadable_arguments": "{not json"}
    assert first == {"role": "tool", "content": "1", "tool_call_id": "c1"}
    assert second["content"] == "a\ufffd\ufffdz"
    # Nothing may stand between the answers of tools, so their images come after all of them.
    assert images["role"] == "user" and images["content"][1]["image_url"]["url"] == url


def test_a_model_that_sees_nothing_is_told_of_images(program, models):
    image = {"media_type": "image/png", "hex": "00ff"}
    program.chat(models.url, messages=[{"role": "user", "text": "Look", "images": [image, image]}],
                 model="llama-3", sees_images=False).end()
    assert models.requests[-1].body["messages"] == [
        {"role": "user", "content": "Look\n[2 images that this model cannot see]"}]


@pytest.mark.parametrize("style", ["openai", "whole", "bare"])
def test_parallel_tool_calls_then_an_answer(program, models, style):
    code = 'print("a\\n", {"x": 1})' * 20

    def answer(asked):
        if not asked.tool_results:
            return {"style": style, "text": "Let me look.",
                    "tool_calls": [call("run_python", code=code), call("list_files"),
                                   call("run_python", code="2")]}
        return "I saw " + " and ".join(asked.tool_results)

    models.answer = answer
    reply = program.chat(models.url, tools=[RUN_PYTHON]).end()["reply"]
    assert reply["finish"] == "tool_calls" and reply["text"] == "Let me look."
    calls = reply["tool_calls"]
    assert [c["name"] for c in calls] == ["run_python", "list_files", "run_python"]
    assert json.loads(calls[0]["arguments"]) == {"code": code}
    assert json.loads(calls[1]["arguments"]) == {}
    assert len({c["id"] for c in calls}) == 3 and all(c["id"] for c in calls)
    messages = [{"role": "user", "text": "Go"}, {"role": "assistant", "tool_calls": calls},
                *({"role": "tool", "tool_call_id": c["id"], "text": c["name"]} for c in calls)]
    reply = program.chat(models.url, messages=messages, tools=[RUN_PYTHON]).end()["reply"]
    assert reply["text"] == "I saw run_python and list_files and run_python"


CALLS = [{"name": "run_python", "arguments": '{"code":"1+1"}'}, {"name": "list_files", "arguments": "{}"}]
EXPECTED = {
    "openai_text": {"text": "Hello, 世界 🌍", "finish": "stop", "prompt_tokens": 11},
    "openai_parallel_tools": {"finish": "tool_calls", "ids": ["call_a", "call_b"]},
    "openai_interleaved_tools": {"calls": CALLS, "ids": ["call_a", "call_b"]},
    "ollama_tools": {"calls": CALLS, "finish": "tool_calls", "ids": ["call_x1", "call_x2"]},
    "vllm_reasoning": {"text": "\n\n42", "reasoning": "Let me think."},
    "openrouter_comments": {"text": "Yes.", "reasoning": "Hm."},
    "crlf_no_space": {"text": "AB", "answer_tokens": 7},
    "no_done_no_finish": {"text": "all there", "finish": "stop"},
    "legacy_function_call": {"calls": [{"name": "run_python", "arguments": '{"code":"2"}'}]},
    "content_parts": {"text": "in parts"},
    "not_json": {"text": "ok still"},
    "odd_values": {"text": "fine", "finish": "stop", "answer_tokens": 0, "calls": []},
}


@pytest.mark.parametrize("name", EXPECTED)
def test_recorded_streams(program, models, name):
    expected = dict(EXPECTED[name])
    whole = RECORDED[name].encode()
    ways = {"whole": [whole], "bytes": [whole[i:i + 1] for i in range(len(whole))],
            "sevens": [whole[i:i + 7] for i in range(0, len(whole), 7)]}
    for way, chunks in ways.items():
        for framing in ("chunked", "length"):
            reply = reply_to(program, models, {"chunks": chunks, "framing": framing})
            calls, ids = expected.get("calls"), expected.get("ids")
            for key in expected.keys() - {"calls", "ids"}:
                assert reply[key] == expected[key], (way, framing)
            if calls is not None:
                assert [{k: c[k] for k in ("name", "arguments")} for c in reply["tool_calls"]] == calls
            if ids is not None:
                assert [c["id"] for c in reply["tool_calls"]] == ids


def test_a_plain_answer_although_a_stream_was_asked_for(program, models):
    models.answer = {"text": "All at once.", "plain": True, "tool_calls": [call("list_files")]}
    heard = program.chat(models.url)
    reply = heard.end()["reply"]
    assert heard.text == ["All at once."] and reply["text"] == "All at once."
    assert reply["finish"] == "tool_calls" and reply["answer_tokens"] > 0


def test_connections_are_used_again(program, models):
    models.answer = "ok"
    for _ in range(10):
        program.chat(models.url).end()
    # After [DONE] the end of the body is not waited for, so a question that comes at once may find
    # the connection still busy. It makes a second one, and the two are used in turn.
    assert models.stats["connections"] <= 3


def test_a_kept_connection_that_was_closed_meanwhile(program, models):
    models.answer = "ok"
    for _ in range(5):
        program.chat(models.url, attempts=1).end()
        models.cut_all()


def test_a_stream_that_stays_open_after_done_is_not_waited_for(program, models):
    models.answer = {"chunks": [RECORDED["openai_text"], 60.0]}
    began = time.monotonic()
    assert program.chat(models.url).end()["reply"]["text"] == "Hello, 世界 🌍"
    assert time.monotonic() - began < 15


# ----------------------------------------------------------------------------------- in trouble

@pytest.mark.parametrize("status, body, code, words", [
    (401, {"error": {"message": "Incorrect API key provided: test-key.", "code": "invalid_api_key"}},
     "Forbidden", "OPENAI_API_KEY"),
    (403, {"error": {"message": "no access with test-key"}}, "Forbidden", "OPENAI_API_KEY"),
    (404, {"error": {"message": "The model `m` does not exist", "code": "model_not_found"}},
     "InvalidArgument", 'no model "scripted"'),
    (404, {"error": 'model "m" not found, try pulling it first'}, "InvalidArgument", "OPENAI_MODEL"),
    (404, "<html>404 page not found</html>", "InvalidArgument", "OPENAI_BASE_URL"),
    (400, {"error": {"message": "This model's maximum context length is 8192 tokens.",
                     "code": "context_length_exceeded"}}, "TooLarge", "too long"),
    (400, {"error": {"code": 400, "message": "the request exceeds the available context size",
                     "type": "exceed_context_size_error"}}, "TooLarge", "too long"),
    (400, {"object": "error", "message": "bad temperature", "code": 400}, "InvalidArgument",
     "bad temperature"),
    (422, {"detail": [{"loc": ["body"], "msg": "field required"}]}, "InvalidArgument",
     "field required"),
    (429, {"error": {"message": "You exceeded your current quota", "type": "insufficient_quota",
                     "code": "insufficient_quota"}}, "Exhausted", "quota"),
    (402, {"error": "no credits"}, "Exhausted", "quota"),
    (301, "", "InvalidArgument", "OPENAI_BASE_URL"),
    (413, "too big", "TooLarge", "too big"),
])
def test_refusals_are_sentences_and_not_tried_again(program, models, status, body, code, words):
    headers = {"Location": "http://127.0.0.1:1/elsewhere"} if status == 301 else {}
    failed = failure_of(program, models, {"status": status, "body": body, "headers": headers})
    assert failed.code == code and words in str(failed), str(failed)
    assert len(models.requests) == 1
    assert "<" not in str(failed) and "\n" not in str(failed)


def test_no_key_at_all(program, models):
    models._loop.keys = {"another"}
    failed = failure_of(program, models, "never", key="")
    assert failed.code == "Forbidden" and "set OPENAI_API_KEY" in str(failed)
    assert "authorization" not in models.requests[-1].headers
    failed = failure_of(program, models, "never", key="wrong-key")
    assert "refuses the key" in str(failed) and "wrong-key" not in str(failed)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 529, 408])
def test_what_may_pass_is_tried_again(program, models, status):
    bad = {"status": status, "body": "<html>busy</html>"}
    reply = reply_to(program, models, [bad, bad, "At last."])
    assert reply["text"] == "At last." and len(models.requests) == 3


def test_tries_have_an_end(program, models):
    failed = failure_of(program, models, {"status": 503, "body": {"error": {"message": "loading"}}})
    assert failed.code == "Unavailable" and "loading" in str(failed)
    assert len(models.requests) == 4


def test_retry_after_is_honoured_within_reason(program, models):
    busy = {"status": 429, "headers": {"Retry-After": "1"}}
    reply_to(program, models, [busy, "ok"])
    first, second = (asked.at for asked in models.requests)
    assert second - first >= 0.99
    models.requests.clear()
    busy = {"status": 429, "headers": {"retry-after-ms": "300", "Retry-After": "1000"}}
    reply_to(program, models, [busy, "ok"])
    first, second = (asked.at for asked in models.requests)
    assert second - first >= 0.29
    models.requests.clear()
    failed = failure_of(program, models, {"status": 429, "headers": {"Retry-After": "3600"}})
    assert failed.code == "Unavailable" and len(models.requests) == 1
    models.requests.clear()
    odd = {"status": 429, "headers": {"Retry-After": "soon"}}
    assert reply_to(program, models, [odd, "ok"])["text"] == "ok"


def test_a_field_that_the_provider_does_not_know_is_left_out(program, models):
    def answer(asked):
        if "stream_options" in asked.body:
            return {"status": 400, "body": {"error": {"message": "Unknown field: stream_options"}}}
        if "max_tokens" in asked.body:
            return {"status": 400, "body": {"error": {"message":
                    "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}}
        assert asked.body["max_completion_tokens"] == 9
        return "ok"

    assert reply_to(program, models, answer, answer_tokens_max=9)["text"] == "ok"
    assert len(models.requests) == 3


def test_nobody_there(program):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # taken, but nobody listens
        url = f"http://127.0.0.1:{held.getsockname()[1]}/v1"
        with pytest.raises(Failed) as failed:
            program.chat(url).end()
    assert failed.value.code == "Unavailable"
    assert "the model cannot be reached" in str(failed.value) and url[:-3] in str(failed.value)


@pytest.mark.parametrize("url, words", [
    ("", "OPENAI_BASE_URL"), ("ftp://127.0.0.1/v1", "OPENAI_BASE_URL"),
    ("file:///etc/passwd", "OPENAI_BASE_URL"), ("http://", "URL"), ("http://a b/v1", "URL"),
    ("http://127.0.0.1:99999/v1", "URL"),
    # No name at all, so nobody is asked for it.
    ("http://" + "a" * 70 + "/v1", "cannot be reached"),
])
def test_addresses_that_are_none(program, url, words):
    with pytest.raises(Failed) as failed:
        program.chat(url, attempts=1).end()
    assert words in str(failed.value)


def test_a_key_that_is_none(program, models):
    failed = failure_of(program, models, "never", key="a\r\nX-Evil: 1")
    assert failed.code == "InvalidArgument" and "Evil" not in str(failed)
    assert not models.requests


def test_cut_before_the_answer_is_tried_again(program, models):
    reply = reply_to(program, models, [{"text": "never", "cut": 0}, {"text": "never", "cut": 0},
                                       "Here."])
    assert reply["text"] == "Here." and len(models.requests) == 3


@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
def test_cut_after_something_was_heard_is_an_error_and_never_said_twice(program, models, framing):
    models.answer = {"text": "one two three four", "cut": 3, "framing": framing}
    heard = program.chat(models.url)
    with pytest.raises(Failed) as failed:
        heard.end()
    assert failed.value.code == "Unavailable" and "broke off" in str(failed.value)
    assert "".join(heard.text).startswith("one") and "four" not in "".join(heard.text)
    assert len(models.requests) == 1


def test_a_body_without_a_marked_end_that_ends_early(program, models):
    models.answer = {"chunks": ['data: {"choices":[{"delta":{"content":"half"}}]}\n\n'],
                     "framing": "close"}
    heard = program.chat(models.url)
    with pytest.raises(Failed, match="broke off"):
        heard.end()
    assert heard.text == ["half"] and len(models.requests) == 1


def test_cut_after_the_finish_counts_as_whole(program, models):
    events = RECORDED["openai_text"].split("data: [DONE]")[0]
    models.answer = {"chunks": [events, 0.2, "x"], "cut": 1}
    assert program.chat(models.url).end()["reply"]["text"] == "Hello, 世界 🌍"


def test_an_error_in_the_middle(program, models):
    failed = failure_of(program, models, {"recorded": "error_in_the_middle"})
    assert failed.code == "Unavailable" and "The server had an error" in str(failed)
    assert len(models.requests) == 1


def test_an_error_at_once_is_tried_again(program, models):
    assert reply_to(program, models, [{"recorded": "error_at_once"}, "ok"])["text"] == "ok"


@pytest.mark.parametrize("name", ["html", "empty", "only_done"])
def test_what_is_no_answer(program, models, name):
    failed = failure_of(program, models, {"recorded": name})
    assert failed.code == "Internal" and "no answer of a chat model" in str(failed)
    assert len(models.requests) == 1


@pytest.mark.parametrize("chunks", [
    ["data: " + "x" * (5 << 20)],
    ['data: {"choices":[{"delta":{"content":"' + "y" * (1 << 20) + '"}}]}\n\n'] * 10,
    ['data: nonsense\n\n'] * 1000,
    ['data: {"choices":[{"delta":{"tool_calls":[{"id":"i%d","function":{"name":"f","arguments":"{}"}}]}}]}\n\n' % i
     for i in range(100)],
    ['{"choices": "' + "z" * (9 << 20) + '"}'],
    ["data: " + "[" * 100_000 + "\n\n"],
], ids=["event", "text", "odd", "calls", "plain", "deep"])
def test_floods_are_bounded(program, models, chunks):
    failed = failure_of(program, models, {"chunks": chunks, "framing": "close"}, attempts=1)
    assert failed.code in ("TooLarge", "Internal", "Unavailable")
    assert reply_to(program, models, "still here")["text"] == "still here"


def test_a_head_without_end_is_bounded(program, models):
    headers = {f"X-{i}": "v" * 1000 for i in range(200)}
    failed = failure_of(program, models, {"text": "x", "headers": headers})
    assert failed.code == "TooLarge"


def test_silence_before_and_within_the_answer(program, models):
    failed = failure_of(program, models, {"hang": True}, silence_ms=300)
    assert failed.code == "Timeout" and "took too long" in str(failed)
    assert len(models.requests) == 1
    models.answer = {"chunks": ['data: {"choices":[{"delta":{"content":"a"}}]}\n\n', 60.0]}
    heard = program.chat(models.url, silence_ms=300)
    with pytest.raises(Failed) as failed:
        heard.end()
    assert failed.value.code == "Timeout" and heard.text == ["a"]


def test_an_answer_without_end_ends(program, models):
    models.answer = {"text": "word " * 10_000, "rate": 100}
    with pytest.raises(Failed) as failed:
        program.chat(models.url, total_ms=700).end()
    assert failed.value.code == "Timeout"


def test_keep_alive_comments_are_signs_of_life(program, models):
    models.answer = {"chunks": [": ping\n\n", 0.25] * 4 + [RECORDED["openai_text"]]}
    assert program.chat(models.url, silence_ms=600).end()["reply"]["finish"] == "stop"


# ------------------------------------------------------------------------------ side by side

def test_cancelling_ends_the_connection(program, models):
    models.answer = {"text": "word " * 10_000, "rate": 200}
    heard = program.chat(models.url)
    heard.next()
    heard.cancel()
    until = time.monotonic() + 20
    while models.stats["gone"] == 0 and time.monotonic() < until:
        time.sleep(0.01)
    assert models.stats["gone"] == 1
    with pytest.raises(Failed) as failed:
        heard.end()
    assert failed.value.code == "exception" and "cancel" in str(failed.value).lower()
    assert program.usage()["under_way"] == 0


@pytest.mark.parametrize("answer", [{"hang": True}, {"status": 503, "headers": {"Retry-After": "2"}}],
                         ids=["before the head", "between tries"])
def test_cancelling_while_waiting(program, models, answer):
    models.answer = answer
    heard = program.chat(models.url)
    until = time.monotonic() + 20
    while not models.requests and time.monotonic() < until:
        time.sleep(0.01)
    heard.cancel()
    with pytest.raises(Failed, match="(?i)cancel"):
        heard.end()
    assert program.usage()["under_way"] == 0


def test_many_streams_at_one_time(program):
    """Each gets its own words in order; the provider is a process of its own."""
    with ModelProcess({"text": "".join(f"w{i} " for i in range(100)), "rate": 100}) as models:
        streams = [program.chat(models.url, text=str(i)) for i in range(100)]
        for heard in streams:
            assert heard.end()["reply"]["text"] == "".join(f"w{i} " for i in range(100))
        stats = models.stats()
        assert stats["peak"] > 1 and stats["asked"] == 100 and not stats["failures"]


# ------------------------------------------------------------------------------- embeddings

def test_embeddings_in_batches(program, models):
    texts = [f"text number {i}" for i in range(40)] + ["", "长" * 20_000]
    vectors = program.start("embed", base_url=models.url, texts=texts).end()["vectors"]
    assert len(vectors) == 42 and {len(v) for v in vectors} == {64}
    assert vectors[0] == program.start("embed", base_url=models.url,
                                       texts=texts[:1]).end()["vectors"][0]
    batches = [asked.body["input"] for asked in models.requests[:3]]
    assert [len(batch) for batch in batches] == [16, 16, 10]
    assert batches[2][-2] == " " and 16_000 < len(batches[2][-1].encode()) <= 16_384


@pytest.mark.parametrize("body", [
    "no json", {"data": []}, {"data": [{"embedding": []}]}, {"data": [{"embedding": ["x"]}]},
    {"data": [{"embedding": [1e300]}]}, {"data": [{"index": 7, "embedding": [1]}]},
    {"data": [{"index": -1, "embedding": [1]}]}, {"data": [{"embedding": [0.5] * 10_000}]},
])
def test_embeddings_that_are_none(program, models, body):
    models.answer = lambda asked: {"body": body}
    with pytest.raises(Failed) as failed:
        program.start("embed", base_url=models.url, texts=["a"]).end()
    assert failed.value.code == "Internal"


def test_embeddings_refused(program, models):
    models.answer = lambda asked: {"status": 404, "body": {"error": {"message": "no such model"}}}
    with pytest.raises(Failed, match="OPENAI_MODEL|EMBEDDING"):
        program.start("embed", base_url=models.url, model="e", texts=["a"]).end()


# --------------------------------------------------------------------- the server's own fetches

def test_n11_strangers_cannot_make_the_server_fetch_from_inside(program, models):
    """Each of these would reach the scripted provider, were it dialled."""
    port = models.port
    assert program.start("fetch", url=f"http://127.0.0.1:{port}/v1/models").end()["status"] == 200
    for host in ("127.0.0.1", "localhost", "127.1", "0x7f000001", "2130706433", "0.0.0.0", "0",
                 "[::ffff:127.0.0.1]", "user@127.0.0.1"):
        with pytest.raises(Failed) as failed:
            program.start("fetch", url=f"http://{host}:{port}/v1/models", policy="strangers").end()
        assert failed.value.code in ("Forbidden", "InvalidArgument", "Unavailable"), host
        if host in ("127.0.0.1", "localhost", "0.0.0.0"):
            assert failed.value.code == "Forbidden" and "public" in str(failed.value)
    assert len(models.requests) == 1
    for url in ("file:///etc/passwd", "gopher://127.0.0.1:1/x", "dict://127.0.0.1/", "ftp://x/y"):
        with pytest.raises(Failed) as failed:
            program.start("fetch", url=url, policy="strangers").end()
        assert failed.value.code == "InvalidArgument"


def test_n11_a_proxy_does_not_lead_strangers_inside(models):
    """A proxy of the environment would dial for us, where our policy does not reach."""
    environment = {"http_proxy": f"http://127.0.0.1:{models.port}", "PATH": "/usr/bin"}
    program = ModelProgram(environment)
    with pytest.raises(Failed):
        program.start("fetch", url="http://127.0.0.1:9/v1/models", policy="strangers").end()
    with pytest.raises(Failed):  # and this machine is reached without it
        program.start("fetch", url="http://127.0.0.1:9/v1/models").end()
    assert not models.requests
    # Anything else goes through it: the whole URL stands in the request line.
    got = program.start("fetch", url="http://name.invalid/v1/models").end()
    assert got["status"] == 200 and models.requests[0].path == "http://name.invalid/v1/models"
    program.close()


def test_tls_believes_whom_the_environment_names(tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], capture_output=True)
    if made.returncode:
        pytest.skip("openssl cannot make a certificate here")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with ModelServer("safe", tls=context) as models:
        believing = ModelProgram({"CURL_CA_BUNDLE": str(certificate)})
        assert believing.chat(models.url).end()["reply"]["text"] == "safe"
        believing.close()
        doubting = ModelProgram({})
        with pytest.raises(Failed, match="no safe connection"):
            doubting.chat(models.url, attempts=1).end()
        doubting.close()


def test_every_token_of_every_stream_is_heard(program):
    """And the processor time of each is printed (`-s`); what was measured stands in the room's README."""
    with ModelProcess({"text": "word " * 50, "rate": 50}) as models:
        before = program.usage()["cpu_us"]
        streams = [program.chat(models.url, quiet=True) for _ in range(20)]
        pieces = sum(heard.end()["pieces"] for heard in streams)
        spent = program.usage()["cpu_us"] - before
    assert pieces == 20 * 50
    print(f"{spent / pieces:.1f} µs of processor time a token")
