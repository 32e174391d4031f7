"""Code while it runs: it is seen when it starts, with what it prints, and how it ended; the same by everybody who follows."""

import threading

import pytest
from harness.host import eventually
from harness.model_server import call

START = {"run", "code", "language", "at_ms"}
OUTPUT = {"run", "stream", "text", "truncated"}
END = {"run", "language", "failed", "reason", "exit_code", "exec_ms"}

# Prints, and goes on when the test has seen it.
WAITS = """import os, sys, time
print('first', flush=True)
print('trouble', file=sys.stderr, flush=True)
while not os.path.exists('/data/go'): time.sleep(0.01)
print('last')"""


def of_runs(events):
    return [(name, data) for name, data, *_ in events if name.startswith("code_")]


def printed(events, stream="stdout"):
    return "".join(data["text"] for name, data in of_runs(events) if name == "code_output" and data["stream"] == stream)


def let_go(server, thread):
    session = server.http.get(f"/v1/threads/{thread}").json()["session_id"]
    assert server.http.put(f"/v1/sessions/{session}/files/data/go", content=b"").status_code in (200, 201, 204)


def test_code_is_seen_before_it_ends(server):
    thread, seen, gone = server.thread(), [], False
    for event in server.stream(thread, "run: " + WAITS):
        seen.append(event)
        if not gone and "first" in printed(seen) and "trouble" in printed(seen, "stderr"):
            # Nothing but this lets the code end, so all of it was seen while it ran.
            assert "code_run" not in [name for name, *_ in seen]
            let_go(server, thread)
            gone = True
    assert gone and seen[-1][0] == "done"
    runs = of_runs(seen)
    name, start = runs[0]
    assert name == "code_start" and set(start) == START
    assert (start["run"], start["language"], start["code"]) == (1, "python", WAITS) and start["at_ms"] > 0
    assert all(set(data) == OUTPUT and data["run"] == 1 for name, data in runs if name == "code_output")
    # The account of the end comes directly before what contract B says of a run.
    (before, end), (last, run) = runs[-2:]
    assert (before, last) == ("code_end", "code_run") and set(end) == END
    assert (end["run"], end["failed"], end["reason"], end["exit_code"]) == (1, False, "exited", 0)
    assert set(run) == {"code", "output", "exec_ms"} and run["exec_ms"] == end["exec_ms"] > 0
    assert "first\nlast" in run["output"] and "trouble" in run["output"]


def test_whoever_comes_later_sees_the_same(server):
    thread, first, second = server.thread(), [], []
    follower = threading.Thread(target=lambda: second.extend(server.resume(thread)))
    for event in server.stream(thread, "run: " + WAITS):
        first.append(event)
        if "first" in printed(first) and not follower.ident:
            follower.start()
            assert eventually(lambda: "first" in printed(second) and "trouble" in printed(second, "stderr"))
            # One that was cut off after the start goes on with the output.
            start = next(number for name, _, number, _ in first if name == "code_start")
            for name, *_ in (event[:2] for event in server.resume(thread, after=start)):
                assert name == "code_output"
                break
            let_go(server, thread)
    follower.join(60)
    assert of_runs(first) == of_runs(second) and first[-1][1] == second[-1][1]


def test_a_turn_from_the_store_has_starts_and_ends(own_server):
    thread = own_server.thread()
    seen = list(own_server.stream(thread, "run: print('kept')\n1 / 0"))
    own_server.kill()
    own_server.start()
    told = of_runs(own_server.resume(thread, turn=1))
    assert [name for name, _ in told] == ["code_start", "code_end", "code_run"]
    # What it printed line by line is gone; the run has all of it.
    before = {name: data for name, data in of_runs(seen)}
    for name, data in told:
        assert {**data, "at_ms": 0} == {**before[name], "at_ms": 0}
    end = dict(told)["code_end"]
    assert end["failed"] and (end["reason"], end["exit_code"], end["run"]) == ("exited", 1, 1)
    message = next(m for m in own_server.history(thread, all="true") if m["role"] == "tool")
    assert message["run"] == end


def test_a_flood_of_prints_is_no_flood_of_events(server):
    lines = 20_000
    seen = list(server.stream(server.thread(), f"run: for i in range({lines}): print(i, flush=True)"))
    pieces = [data for name, data in of_runs(seen) if name == "code_output"]
    text = "".join(data["text"] for data in pieces)
    assert text and "".join(f"{i}\n" for i in range(lines)).startswith(text) and len(text) <= 32 << 10
    # The last one says that there is more, and only that one.
    assert [data["truncated"] for data in pieces] == [False] * (len(pieces) - 1) + [True]
    end, run = [data for name, data in of_runs(seen)][-2:]
    assert not end["failed"] and f"{lines - 1}" in run["output"]
    # At once, and then at most one every tenth of a second; each of them has one or two streams.
    assert len(pieces) <= 2 + end["exec_ms"] / 100 * 2


def test_characters_are_not_torn(server):
    code = r"""import os
for byte in '中文 ✓'.encode(): os.write(1, bytes([byte]))
os.write(1, b'\xff\n')"""
    assert printed(list(server.stream(server.thread(), "run: " + code))) == "中文 ✓\ufffd\n"


def test_each_run_of_a_turn_has_its_number(server, models):
    calls = [{"tool_calls": [call("run_python", code="print('a')"), call("execute_shell", command="echo b; exit 3"),
                             call("list_files", path="/data")]},
             {"tool_calls": [call("execute_python_script", script="print('c')")]}, "done"]
    models.answer = list(calls)
    seen = list(server.stream(server.thread(), "several"))
    runs = of_runs(seen)
    assert [(d["run"], d["language"], d["code"]) for n, d in runs if n == "code_start"] == [
        (1, "python", "print('a')"), (2, "shell", "echo b; exit 3"), (3, "python", "print('c')")]
    assert [(d["run"], d["failed"], d["exit_code"]) for n, d in runs if n == "code_end"] == [
        (1, False, 0), (2, True, 3), (3, False, 0)]
    text = {number: "".join(d["text"] for n, d in runs if n == "code_output" and d["run"] == number) for number in (1, 2, 3)}
    assert text == {1: "a\n", 2: "b\n", 3: "c\n"}
    # A tool that runs no code has none of these.
    assert [data["tool"] for name, data, *_ in seen if name == "tool"] == ["list_files"]


@pytest.mark.parametrize("code, reason", [
    ("while True: pass", "timeout"),
    ("x = bytearray(1 << 40)", "exited"),
    ("import os; os.kill(os.getpid(), 9)", "signalled"),
])
def test_why_it_ended(server, models, code, reason):
    models.answer = [{"tool_calls": [call("run_python", code=code, timeout="1s")]}, "sorry"]
    seen = list(server.stream(server.thread(), "fail"))
    end = next((data for name, data, *_ in seen if name == "code_end"), None)
    assert end, seen
    assert end["failed"] and end["reason"] == reason, end


def test_a_run_that_is_stopped_says_so(server):
    thread, seen = server.thread(), []
    for event in server.stream(thread, "run: " + WAITS):
        seen.append(event)
        if event[0] == "code_start":
            assert server.http.post(f"/thread/{thread}/cancel").json()["cancelled"]
    end = next(data for name, data in of_runs(seen) if name == "code_end")
    assert end["failed"] and end["reason"] == "killed" and seen[-1][1]["stopped"] == "cancelled"
