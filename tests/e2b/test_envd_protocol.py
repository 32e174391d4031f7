"""envd's protocol by hand: what a broken or hostile client sends gets a sentence and harms nobody."""
import base64
import json
import threading

import httpx
import pytest
from harness.e2b_sdk import ANY_KEY
from harness.connect import END, RawSandbox, frame, frames_in
from harness.host import eventually


@pytest.fixture(scope="module")
def raw(server):
    sandbox = RawSandbox(server, ANY_KEY)
    yield sandbox
    sandbox.close()


@pytest.mark.parametrize("body, code, says", [
    (b"", "invalid_argument", "no message"),
    (b"\x00\x00\x00\x00", "invalid_argument", "within a frame"),
    (b"\x00\x00\x00\x00\x05{}", "invalid_argument", "within a frame"),
    (b"\x00\xff\xff\xff\xff{}", "invalid_argument", "4294967295 bytes"),
    (frame(b"{"), "invalid_argument", ""),
    (frame(b"[1]"), "invalid_argument", "JSON object"),
    (frame(b"\xff\xfe"), "invalid_argument", ""),
    (frame(b"[" * 1000), "invalid_argument", ""),
    (b"{\"process\":{}}", "invalid_argument", "unknown flags 123"),
    (frame({}, 1), "unimplemented", "compressed"),
    (frame({}) + frame({}), "invalid_argument", "one message"),
    (frame({}), "invalid_argument", "cmd"),
    (frame({"process": 7}), "invalid_argument", "process: must be an object"),
    (frame({"process": {"cmd": "a\0b"}}), "invalid_argument", "zero byte"),
    (frame({"process": {"cmd": "a", "envs": {"A=B": "c"}}}), "invalid_argument", "equals sign"),
    (frame({"process": {"cmd": "a"}, "pty": {"size": {"rows": 1e9}}}), "invalid_argument", "rows"),
])
def test_what_is_no_message_is_refused(raw, body, code, says):
    (flags, last), = raw.stream("process.Process/Start", body)
    assert flags == END and last["error"]["code"] == code and says in last["error"]["message"]
    assert raw.run("echo still here")[0] == "still here\n"


@pytest.mark.parametrize("body, says", [("{", ""), ("[]", "JSON object"), ('{"path":1}', "path: must be a text"),
                                        ('{"path":"a\\u0000"}', "zero byte"), ('{"path":"%s"}' % ("a" * 5000), "4095")])
def test_what_is_no_unary_message_is_refused(raw, body, says):
    answer = raw.call("filesystem.Filesystem/Stat", body)
    assert answer.status_code == 400 and answer.json()["code"] == "invalid_argument"
    assert says in answer.json()["message"]


def test_a_message_has_a_limit(raw):
    answer = raw.call("filesystem.Filesystem/Stat", b'{"path":"' + b"a" * (9 << 20) + b'"}')
    assert answer.status_code in (400, 413)
    (flags, last), = raw.stream("process.Process/Start", b"\x00\x00\x90\x00\x00" + b" " * 1000)
    assert flags == END and last["error"]["code"] == "invalid_argument"


def test_other_content_types_and_codings_are_refused(raw):
    for headers in ({"Content-Type": "application/proto"}, {"Content-Type": "application/connect+json"}):
        assert raw.call("process.Process/List", "{}", **headers).json()["code"] == "invalid_argument"
    answer = raw.call("process.Process/List", "{}", **{"Content-Encoding": "gzip"})
    assert answer.status_code >= 400
    (_, last), = raw.stream("process.Process/Start", frame({}), **{"Connect-Content-Encoding": "gzip"})
    assert last["error"]["code"] == "unimplemented"
    (_, last), = raw.stream("process.Process/Start", frame({"process": {"cmd": "true"}}),
                            **{"Connect-Timeout-Ms": "soon"})
    assert "Connect-Timeout-Ms" in last["error"]["message"]


def test_a_stream_begins_with_start_and_has_an_end_frame(raw):
    said = raw.stream("process.Process/Start",
                      frame({"process": {"cmd": "/bin/bash", "args": ["-c", "echo a; exit 3"]}, "stdin": False}))
    assert said[0][1]["event"]["start"]["pid"] > 0
    assert said[-1] == (END, {})
    assert said[-2][1]["event"]["end"] == {"exitCode": 3, "exited": True, "status": "exit status 3",
                                           "error": "exit status 3"}


def test_the_deadline_is_kept_without_its_client(raw):
    with raw.open_stream("process.Process/Start", {"process": {"cmd": "sleep", "args": ["41"]}},
                         **{"Connect-Timeout-Ms": "1500"}) as answer:
        assert "start" in next(frames_in(answer.iter_raw()))[1]["event"]
    assert raw.call("process.Process/List", {}).json()["processes"]
    assert eventually(lambda: not raw.call("process.Process/List", {}).json()["processes"])
    *_, end, last = raw.run("sleep 42", headers={"Connect-Timeout-Ms": "300"})
    assert end is None and last["error"]["code"] == "deadline_exceeded"


def test_a_silent_stream_says_that_it_lives(raw):
    with raw.open_stream("process.Process/Start", {"process": {"cmd": "sleep", "args": ["43"]}},
                         **{"Keepalive-Ping-Interval": "1"}) as answer:
        frames = frames_in(answer.iter_raw())
        pid = next(frames)[1]["event"]["start"]["pid"]
        assert next(frames)[1]["event"] == {"keepalive": {}}
        raw_kill(raw, pid)
        rest = list(frames)
    assert rest[-2][1]["event"]["end"]["status"] == "signal: killed" and rest[-1] == (END, {})


def raw_kill(raw, pid):
    answer = raw.call("process.Process/SendSignal", {"process": {"pid": pid}, "signal": "SIGNAL_SIGKILL"})
    assert answer.status_code == 200, answer.text


def test_a_killed_sandbox_cuts_its_streams(server):
    sandbox = RawSandbox(server, ANY_KEY)
    # A reset, and no end: clients that see just an end do not look whether the sandbox is there.
    with pytest.raises(httpx.ReadError, match="(?i)reset"):
        with sandbox.open_stream("process.Process/Start", {"process": {"cmd": "sleep", "args": ["44"]}}) as answer:
            frames = frames_in(answer.iter_raw())
            assert "start" in next(frames)[1]["event"]
            threading.Thread(target=lambda: httpx.delete(
                f"{server.url}/sandboxes/{sandbox.id}", headers={"X-API-Key": ANY_KEY})).start()
            list(frames)
    answer = sandbox.http.get("/health", headers=sandbox.headers())
    assert answer.status_code == 502 and "was not found" in answer.json()["message"]
    answer = sandbox.call("process.Process/List", {})
    assert answer.status_code == 502
    sandbox.close()


def test_a_reader_that_falls_behind_misses_nothing(raw):
    """A program that prints more than anybody keeps waits for its reader, and another reader does not suffer."""
    size = 3_000_000
    with raw.open_stream("process.Process/Start", {
            "process": {"cmd": "/bin/bash", "args": ["-c", f"read; head -c {size} /dev/zero | tr '\\0' x; echo done >&2"]},
            "tag": "flood"}) as slow:
        slow_frames = frames_in(slow.iter_raw())
        pid = next(slow_frames)[1]["event"]["start"]["pid"]
        with raw.open_stream("process.Process/Connect", {"process": {"tag": "flood"}}) as quick:
            quick_frames = frames_in(quick.iter_raw())
            next(quick_frames)
            raw.call("process.Process/SendInput", {"process": {"pid": pid},
                                                   "input": {"stdin": base64.b64encode(b"\n").decode()}})
            assert sum_of(quick_frames) == (size, "done\n")
        assert sum_of(slow_frames) == (size, "done\n")


def sum_of(frames):
    out, err = 0, b""
    for flags, message in frames:
        data = message.get("event", {}).get("data", {})
        out += len(base64.b64decode(data.get("stdout", "")))
        err += base64.b64decode(data.get("stderr", ""))
        assert flags != END or message == {}, message
    return out, err.decode()


def test_input_by_stream(raw):
    with raw.open_stream("process.Process/Start", {"process": {"cmd": "cat"}, "tag": "reader"}) as answer:
        frames = frames_in(answer.iter_raw())
        pid = next(frames)[1]["event"]["start"]["pid"]
        data = {"data": {"input": {"stdin": base64.b64encode(b"some ").decode()}}}
        start = {"start": {"process": {"pid": pid}}}
        said = raw.stream("process.Process/StreamInput",
                          frame(start) + frame(data) + frame({"keepalive": {}}) + frame(data))
        assert said == [(0, {}), (END, {})]
        (_, last), = raw.stream("process.Process/StreamInput", frame(data))
        assert last["error"]["code"] == "invalid_argument"
        assert raw.call("process.Process/CloseStdin", {"process": {"pid": pid}}).status_code == 200
        assert raw.call("process.Process/CloseStdin", {"process": {"pid": pid}}).json()["code"] in ("internal", "not_found")
        out = b"".join(base64.b64decode(m["event"]["data"]["stdout"]) for f, m in frames
                       if f != END and "data" in m["event"])
    assert out == b"some some "


@pytest.mark.parametrize("method, message", [
    ("Connect", None), ("SendInput", {"input": {"stdin": ""}}), ("SendSignal", {"signal": "SIGNAL_SIGTERM"}),
    ("CloseStdin", {}), ("Update", {"pty": {"size": {"rows": 1, "cols": 1}}})])
def test_a_process_that_nobody_started_is_not_found(raw, method, message):
    for selector in ({"pid": 1}, {"pid": 4_000_000}, {"tag": "nobody"}):
        if message is None:
            (_, last), = raw.stream("process.Process/Connect", frame({"process": selector}))
            assert last["error"]["code"] == "not_found"
        else:
            answer = raw.call(f"process.Process/{method}", {"process": selector, **message})
            assert answer.status_code == 404 and answer.json()["code"] == "not_found"


def test_an_ended_process_can_still_be_asked_how_it_ended(raw):
    said = raw.stream("process.Process/Start", frame({"process": {"cmd": "/bin/bash", "args": ["-c", "exit 7"]}}))
    pid = said[0][1]["event"]["start"]["pid"]
    again = raw.stream("process.Process/Connect", frame({"process": {"pid": pid}}))
    assert again[-2][1]["event"]["end"]["exitCode"] == 7


def test_envs_health_and_metrics(raw):
    assert raw.http.get("/health", headers=raw.headers()).status_code == 204
    assert raw.http.get("/envs", headers=raw.headers()).json() == {}
    metrics = raw.http.get("/metrics", headers=raw.headers()).json()
    assert metrics["cpu_count"] >= 1 and metrics["mem_total"] > 0 and metrics["disk_total"] > 0


def test_interpreter_lines(raw):
    lines = raw.execute("print('a')\nimport sys; print('e', file=sys.stderr)\n1 + 1")
    assert lines[0] == {"type": "number_of_executions", "execution_count": 1}
    assert [(line["type"], line.get("text")) for line in lines[1:]] == [
        ("stdout", "a\n"), ("stderr", "e\n"), ("result", "2"), ("end_of_execution", None)]
    assert lines[3]["is_main_result"] is True and lines[1]["timestamp"].endswith("Z")
    assert raw.execute("2")[0]["execution_count"] == 2


@pytest.mark.parametrize("body, status, says", [
    ({}, 400, "code"), ({"code": 1}, 400, "code: must be a text"), ({"code": "1", "context_id": "nobody"}, 404, "not found"),
    ({"code": "1", "context_id": "default", "language": "python"}, 400, "language"),
    ({"code": "1", "language": "cobol"}, 400, "cobol"), ({"code": "1", "env_vars": {"": "x"}}, 400, "no name")])
def test_interpreter_refuses_with_a_sentence(raw, body, status, says):
    answer = raw.http.post("/execute", json=body, headers=raw.headers(49999))
    assert answer.status_code == status and says in answer.text
    assert raw.http.post("/execute", content="{", headers=raw.headers(49999)).status_code == 400


def test_an_interpreter_says_that_it_lives(raw):
    types = [line["type"] for line in raw.execute("import time; time.sleep(6); print('x')")]
    assert "keepalive" in types and types[-1] == "end_of_execution"


def test_a_client_that_leaves_interrupts_and_keeps_the_context(raw):
    raw.execute("kept = 5")
    with pytest.raises(httpx.ReadTimeout):
        raw.http.post("/execute", json={"code": "import time\nwhile True: time.sleep(0.1)"},
                      headers=raw.headers(49999), timeout=1)
    assert [line["text"] for line in raw.execute("kept") if line["type"] == "result"] == ["5"]


def test_runs_in_a_context_are_one_at_a_time(raw):
    answers = {}

    def run(name):
        answers[name] = raw.http.post("/execute", headers=raw.headers(49999), json={
            "code": "import time; begun = time.time(); time.sleep(0.3); print(begun, time.time())"}).text

    threads = [threading.Thread(target=run, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times = sorted(tuple(map(float, json.loads(line)["text"].split())) for text in answers.values()
                   for line in text.splitlines() if json.loads(line)["type"] == "stdout")
    assert len(times) == 3 and all(first[1] <= second[0] for first, second in zip(times, times[1:]))
