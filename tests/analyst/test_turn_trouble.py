"""Models that misbehave, clients that leave, servers that die: the user hears why, and the thread goes on."""

import threading
import time

import httpx
import pytest
from harness.analyst import Analyst, answering
from harness.model_server import ModelServer, call


def last(events):
    return list(events)[-1][:2]


def test_an_unknown_tool_is_told_back(server, models):
    def answer(asked):
        if not asked.tool_results:
            return {"tool_calls": [call("run_pyhton", code="1")]}
        return "told: " + asked.tool_results[-1]
    models.answer = answer
    said = server.ask(server.thread(), "go")["answer"]
    assert "There is no tool" in said and "run_python" in said


@pytest.mark.parametrize("arguments, says", [
    ("{\"code\": ", "not valid"), ("{}", "code"), ({"code": 3}, "code"), ({"code": "1", "other": 1}, "other"),
    ("[1]", "object"), ("", "code"),
])
def test_invalid_arguments_are_told_back(server, models, arguments, says):
    def answer(asked):
        if not asked.tool_results:
            return {"tool_calls": [{"name": "run_python", "arguments": arguments}]}
        return "told: " + asked.tool_results[-1]
    models.answer = answer
    answer = server.ask(server.thread(), "go")
    assert says in answer["answer"] and answer["code_runs"] == []


def test_a_session_that_a_model_names_is_not_looked_at(server, models):
    other = server.session()
    server.run(other, "secret = 'of another'")

    def answer(asked):
        if not asked.tool_results:
            return {"tool_calls": [call("run_python", code="print('secret' in dir())", session_id=other)]}
        return asked.tool_results[-1]
    models.answer = answer
    assert server.ask(server.thread(), "go")["answer"] == "False"


def test_a_model_that_calls_the_same_for_ever_is_stopped(server, models):
    models.answer = {"tool_calls": [call("run_python", code="print('again')")]}
    thread = server.thread()
    answer = server.ask(thread, "go")
    assert len(answer["code_runs"]) == 3 and "repeated" in answer["stopped"]
    models.answer = answering
    assert server.ask(thread, "still there?")["answer"] == "You said still there?"


def test_a_model_that_never_ends_is_asked_to_answer(server, models):
    asked_last = []

    def answer(asked):
        if "budget of this turn" in asked.user:
            asked_last.append(asked)
            return "I have this much."
        return {"tool_calls": [call("run_python", code=f"print({len(asked.tool_results)})")]}
    models.answer = answer
    answer = server.ask(server.thread(), "go")
    assert answer["answer"] == "I have this much." and asked_last and len(answer["code_runs"]) == 23


def test_the_useful_part_of_a_traceback_goes_back(server, models):
    seen = []

    def answer(asked):
        if not asked.tool_results:
            return {"tool_calls": [call("run_python", code="import pandas as pd\npd.DataFrame({'a': [1]})['b']")]}
        seen.append(asked.tool_results[-1])
        return "repaired"
    models.answer = answer
    run = server.ask(server.thread(), "go")["code_runs"][0]
    assert "KeyError: 'b'" in seen[0] and "pd.DataFrame({'a': [1]})['b']" in seen[0] and len(seen[0]) < 6000
    assert run["output"] == seen[0] and "\x1b" not in seen[0]


def test_long_output_is_cut_in_the_middle_with_a_note(server, models):
    answer = server.ask(server.thread(), "run: print('begin' + 'x' * 300_000 + 'end')")
    output = answer["code_runs"][0]["output"]
    assert output.startswith("begin") and output.endswith("end") and "left out here" in output
    assert len(output) < 30_000


@pytest.mark.parametrize("reply, says", [
    ({"status": 401, "body": {"error": {"message": "Incorrect API key provided"}}}, "key"),
    ({"status": 400, "body": {"error": {"message": "context_length_exceeded"}}}, ""),
    ({"status": 200, "plain": True, "chunks": ["<html>"]}, ""),
    ({"text": "half an answer, then nothing more", "cut": 4}, ""),
    ({"text": ""}, "empty"),
])
def test_a_model_in_trouble_is_an_error_for_people(server, models, reply, says):
    thread = server.thread()
    models.answer = reply
    name, data = last(server.stream(thread, "go"))
    assert name == "error" and set(data) == {"message"} and says in data["message"], data
    assert models.environment()["OPENAI_API_KEY"] not in data["message"]
    blocking = server.http.post(f"/thread/{thread}/message", json={"message": "go"})
    assert blocking.status_code in (502, 503, 504) and blocking.json()["message"]
    models.answer = answering
    assert server.ask(thread, "and now?")["answer"] == "You said and now?"
    roles = [m["role"] for m in server.history(thread)]
    assert roles.count("user") == 3 and "note" in roles and roles[-1] == "assistant"


def test_nobody_listens_where_the_model_should_be(tmp_path):
    running = Analyst(tmp_path, environment={"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "k" * 20})
    try:
        thread = running.thread()
        name, data = last(running.stream(thread, "hello"))
        assert name == "error" and "127.0.0.1:9" in data["message"]
        assert running.http.get(f"/thread/{thread}/status").json()["busy"] is False
    finally:
        running.stop()


def test_cancel_ends_the_code_and_the_turn(server):
    thread = server.thread()
    stream = server.stream(thread, "run: import time\nfor i in range(600): time.sleep(.1)")
    began = time.monotonic()
    for name, data, *_ in stream:
        if name == "status" and data["text"].startswith("running"):
            answer = server.http.post(f"/thread/{thread}/cancel")
            assert answer.json() == {"thread_id": thread, "cancelled": True}
    assert name == "done" and data["stopped"] == "cancelled" and time.monotonic() - began < 30
    assert server.http.post(f"/thread/{thread}/cancel").json()["cancelled"] is False
    assert server.ask(thread, "run: 1 + 1")["answer"] == "It says 2"


def test_cancel_while_the_model_speaks(server, models):
    models.answer = {"text": "word " * 2000, "rate": 50}
    thread = server.thread()
    said = ""
    for name, data, *_ in server.stream(thread, "go"):
        if name == "token":
            said += data["text"]
            if len(said) > 40:
                server.http.post(f"/thread/{thread}/cancel")
    assert name == "done" and data["stopped"] == "cancelled" and data["answer"] == said
    assert server.history(thread)[-1]["content"] == said


def test_tokens_leave_as_they_come(server, models):
    models.answer = {"text": "one two three four five six seven eight", "rate": 10}
    seen = [(data["text"], at) for name, data, _, at in server.stream(server.thread(), "go") if name == "token"]
    assert len(seen) >= 8 and seen[-1][1] - seen[0][1] > 0.5, "they came all at once"


def test_a_client_that_comes_back_goes_on_where_it_was(server, models):
    models.answer = {"text": " ".join(f"w{i}" for i in range(60)), "rate": 30}
    thread = server.thread()
    whole, after = "", None
    for name, data, number, _ in server.stream(thread, "go"):
        if name == "token":
            whole, after = whole + data["text"], number
        if len(whole) > 60:
            break  # the connection is closed here, and the turn goes on
    assert after and after.startswith("1-")
    for name, data, *_ in server.resume(thread, after=after):
        if name == "token":
            whole += data["text"]
    assert name == "done" and whole == data["answer"] == " ".join(f"w{i}" for i in range(60))
    again = list(server.resume(thread))
    assert "".join(d["text"] for n, d, *_ in again if n == "token") == whole and again[-1][0] == "done"
    assert server.http.get(f"/thread/{thread}/message/stream", params={"turn": 9}).status_code == 404
    assert server.http.get(f"/thread/{thread}/message/stream", headers={"Last-Event-ID": "x"}).status_code == 400


def test_a_blocking_client_that_leaves_finds_its_answer_in_the_history(server):
    thread = server.thread()
    with pytest.raises(httpx.ReadTimeout):
        server.http.post(f"/thread/{thread}/message", json={"message": "run: import time; time.sleep(2); print('late')"},
                         timeout=.5)
    until = time.monotonic() + 30
    while time.monotonic() < until and len(server.history(thread)) < 2:
        time.sleep(.1)
    assert server.history(thread)[-1]["content"] == "It says late"


def test_after_a_kill_in_mid_turn_the_thread_goes_on(own_server):
    thread = own_server.thread()
    own_server.ask(thread, "run: x = 1")
    stream = own_server.stream(thread, "run: import time; time.sleep(60)")
    for name, data, *_ in stream:
        if name == "status" and data["text"].startswith("running"):
            break
    stream.close()
    own_server.kill()
    own_server.start()
    answer = own_server.ask(thread, "run: 2 + 3")
    assert answer["answer"].startswith("It says 5\n[not restored: ")
    messages = own_server.history(thread)
    assert [m["role"] for m in messages] == ["user", "assistant", "user", "note", "user", "assistant"]
    # What was told before is told again, from the store.
    again = list(own_server.resume(thread, turn=1))
    assert [n for n, *_ in again][-1] == "done" and any(n == "code_run" for n, *_ in again)
    assert list(own_server.resume(thread, turn=2))[-1][0] == "error"
    # Who had heard some of it gets the whole in its place, and the end.
    rest = [(name, data) for name, data, *_ in own_server.resume(thread, after="1-3")]
    assert [name for name, _ in rest] == ["answer", "done"] and rest[0][1]["text"] == rest[1][1]["answer"]


def test_after_a_kill_the_last_turn_is_told_as_it_ended(own_server):
    thread = own_server.thread()
    stream = own_server.stream(thread, "run: import time; time.sleep(60)")
    for name, data, *_ in stream:
        if name == "status" and data["text"].startswith("running"):
            break
    stream.close()
    own_server.kill()
    own_server.start()
    assert list(own_server.resume(thread))[-1][0] == "error"
    assert own_server.http.get(f"/thread/{thread}/status").json()["busy"] is False


def test_a_server_that_stops_says_so(own_server):
    thread = own_server.thread()
    seen = []

    def listen():
        seen.extend(own_server.stream(thread, "run: import time; time.sleep(60)"))

    listening = threading.Thread(target=listen)
    listening.start()
    time.sleep(2)
    import signal
    own_server.process.send_signal(signal.SIGTERM)
    listening.join(30)
    assert seen[-1][0] == "error" and "stopping" in seen[-1][1]["message"]
    assert own_server.process.wait(60) == 0
    own_server.start()
    assert own_server.ask(thread, "hello")["answer"] == "You said hello"


def test_budgets_are_settings(tmp_path, models):
    running = Analyst(tmp_path, environment={**models.environment(), "ATOLL_TURN_STEPS": "3",
                                             "MAX_INPUT_CHARS": "100", "ATOLL_TURN_TIMEOUT": "5"})
    try:
        models.answer = lambda asked: {"tool_calls": [call("run_python", code=f"print({len(asked.tool_results)})")]}
        answer = running.ask(running.thread(), "go")
        assert answer["stopped"] == "steps" and len(answer["code_runs"]) == 2
        assert running.http.post(f"/thread/{running.thread()}/message", json={"message": "x" * 101}).status_code == 400
        models.answer = {"hang": True}
        thread = running.thread()
        name, data = last(running.stream(thread, "go"))
        assert name == "error" and "longer" in data["message"]
        models.answer = answering
        assert running.ask(thread, "hello")["answer"] == "You said hello"
    finally:
        running.stop()


def test_money_and_tokens_are_budgets_too(tmp_path, models):
    environment = {**models.environment(), "ATOLL_TURN_CENTS": "50", "ATOLL_MODEL_PROMPT_CENTS": "1000",
                   "ATOLL_MODEL_ANSWER_CENTS": "1000"}
    running = Analyst(tmp_path, environment=environment)
    try:
        models.answer = lambda asked: {"tool_calls": [call("run_python", code=f"print({len(asked.tool_results)})")],
                                       "usage": {"prompt_tokens": 20_000, "completion_tokens": 5_000}}
        answer = running.ask(running.thread(), "go")  # 25 cents a request: the third is the last
        assert answer["stopped"] == "cost" and answer["usage"]["model_calls"] == 3
    finally:
        running.stop()


def test_a_model_that_sees_is_shown_the_chart(tmp_path, models):
    running = Analyst(tmp_path, environment={**models.environment(), "OPENAI_SEES_IMAGES": "yes"}, pandas=True)
    try:
        models.answer = lambda asked: answering(asked)
        running.ask(running.thread(), "run: import matplotlib.pyplot as plt; plt.plot([1, 2]); "
                                      "plt.savefig('/data/outputs/a.png')")
        sent = models.requests[-1].body["messages"][-1]
        kinds = [part["type"] for part in sent["content"]]
        assert sent["role"] == "user" and kinds.count("image_url") == 1
        assert "data:image/png;base64," in str(sent["content"])
    finally:
        running.stop()


def test_another_owner_sees_nothing(tmp_path):
    with ModelServer(answering) as models:
        running = Analyst(tmp_path, environment={**models.environment(), "ATOLL_ADMIN_KEY": "a" * 40})
        try:
            admin = {"Authorization": "Bearer " + "a" * 40}
            keys = []
            for owner in ("ann", "bob"):
                made = running.http.post("/v1/keys", json={"owner": owner, "scopes": ["threads"]}, headers=admin)
                assert made.status_code == 201, made.text
                keys.append({"Authorization": "Bearer " + made.json()["key"]})
            upload = running.http.post("/upload", files=[("files", ("a.csv", b"a\n1\n"))], headers=keys[0]).json()
            thread = running.http.post("/thread/new", json=upload["file_id"] and {"file_ids": [upload["file_id"]]},
                                       headers=keys[0]).json()["thread_id"]
            for path in (f"/thread/{thread}/history", f"/thread/{thread}/status", f"/v1/threads/{thread}/context"):
                assert running.http.get(path, headers=keys[0]).status_code == 200
                assert running.http.get(path, headers=keys[1]).status_code == 404
            made = running.http.post(f"/thread/{thread}/message", headers=keys[0], timeout=60, json={
                "message": "run: open('/data/outputs/a.png', 'wb').write(b'x')"}).json()["images"][0]["href"]
            assert running.http.get(made, headers=keys[0]).content == b"x"
            assert running.http.get(made, headers=keys[1]).status_code == 404
            asked = running.http.post(f"/thread/{thread}/message", json={"message": "x"}, headers=keys[1])
            assert asked.status_code == 404
            stolen = running.http.post("/thread/new", json={"file_ids": [upload["file_id"]]}, headers=keys[1])
            assert stolen.status_code == 400
            assert running.http.get("/threads", headers=keys[1]).json()["threads"] == []
            assert running.http.get("/threads").status_code == 401
            assert running.http.get("/v1/sessions", headers=keys[0]).status_code == 403
        finally:
            running.stop()
