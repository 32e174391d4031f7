"""Runs over HTTP: one answer, a stream of events, every way to end, and bad input."""

import json
import subprocess
import time

import httpx
import pytest
from harness.driver import BUILD


def events(server, path, **body):
    with server.http.stream("POST", path, json=body, headers={"Accept": "text/event-stream"}) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        name = None
        for line in answer.iter_lines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                yield name, json.loads(line[6:]), time.monotonic()


@pytest.mark.parametrize("language, code, out", [
    ("python", "print(6 * 7)", "42\n"),
    ("shell", "echo $((6 * 7))", "42\n"),
    ("javascript", "console.log(6 * 7)", "42\n"),
    ("typescript", "const n: number = 6; console.log(n * 7)", "42\n"),
])
def test_each_language_in_a_sandbox_of_its_own(server, language, code, out):
    answer = server.http.post("/v1/run", json={"code": code, "language": language}).json()
    assert (answer["stdout"], answer["exit_code"], answer["reason"]) == (out, 0, "exited")
    assert answer["timings_ms"]["total"] > 0


def test_code_has_no_arguments(server):
    """argparse, in a script that was pasted as code, takes its defaults."""
    code = ("import argparse, sys\nparser = argparse.ArgumentParser()\nparser.add_argument('--n', type=int, default=3)\n"
            "print(parser.parse_args().n, sys.argv)")
    session = server.session()
    for path in ("/v1/run", f"/v1/sessions/{session}/run"):
        assert server.http.post(path, json={"code": code}).json()["stdout"] == "3 ['']\n"
    server.http.post(f"/v1/sessions/{session}/restart")
    assert server.run(session, code)["stdout"] == "3 ['']\n"


def test_nothing_of_an_ephemeral_run_stays(server):
    server.http.post("/v1/run", json={"code": "leak = 1; open('/tmp/leak', 'w').write('x')"})
    answer = server.http.post("/v1/run", json={"code": "import os; print('leak' in dir(), os.path.exists('/tmp/leak'))"})
    assert answer.json()["stdout"] == "False False\n"


def test_events_come_while_it_runs(server):
    seen = list(events(server, "/v1/run", code="import time, sys\nprint('ü1', flush=True); time.sleep(.6); "
                                               "print('2', file=sys.stderr); 3"))
    names = [name for name, _, _ in seen]
    assert names[0] == "started" and names[-1] == "ended" and "result" in names
    text = "".join(data["text"] for name, data, _ in seen if name == "stdout")
    assert text == "ü1\n"
    first = next(at for name, _, at in seen if name == "stdout")
    assert seen[-1][2] - first > 0.4, "it came all at once"
    assert seen[-1][1]["exit_code"] == 0


def test_errors_are_told(server):
    answer = server.http.post("/v1/run", json={"code": "1/0"}).json()
    assert answer["exit_code"] == 1 and answer["error"]["name"] == "ZeroDivisionError"
    answer = server.http.post("/v1/run", json={"code": "import sys; print('!', end='', file=sys.stderr)\n1/0"}).json()
    assert answer["stderr"] == "!\n" + answer["error"]["traceback_text"] + "\n"
    assert "\x1b" not in answer["stderr"] and answer["stdout"] == ""
    answer = server.http.post("/v1/run", json={"code": "exit 3", "language": "shell"}).json()
    assert (answer["exit_code"], answer["reason"]) == (3, "exited")


@pytest.mark.parametrize("code, language, reason, says", [
    ("while True: pass", "python", "timeout", "its time limit"),
    ("sleep 60", "shell", "timeout", "its time limit"),
    ("import os; os.kill(os.getpid(), 11)", "python", "signalled", "signal 11"),
    ("x = bytearray(1 << 30)\nfor i in range(0, len(x), 4096): x[i] = 1", "python", "memory",
     "ran out of its 256 MiB of memory and was ended; its variables are gone"),
    ("while True: print('x' * 100000)", "python", "output", "printed more"),
])
def test_why_it_ended(server, code, language, reason, says):
    # On a busy machine filling the memory, or the output, takes longer than two seconds.
    body = {"code": code, "language": language, "timeout": "2s" if reason == "timeout" else "60s",
            "limits": {"memory_bytes_max": 256 << 20, "output_bytes_max": 1 << 20}}
    answer = server.http.post("/v1/run", json=body).json()
    if reason == "memory" and answer["reason"] == "exited":
        assert answer["error"]["name"] == "MemoryError"  # a host without cgroups limits the data size
        return
    assert answer["reason"] == reason and says in answer["message"], answer
    assert answer["exit_code"] == 124 or reason != "timeout"
    if reason == "output":
        assert answer["output_truncated"] and len(answer["stdout"]) <= 1 << 20


def test_memory_that_no_rlimit_sees_is_named_as_well(server):
    """Shared memory: without cgroups it is the guest that looks, kills, and says why."""
    code = ("import mmap, time\nblock = mmap.mmap(-1, 600 << 20)\n"
            "for i in range(0, len(block), 4096): block[i] = 1\ntime.sleep(60)")
    body = {"code": code, "timeout": "60s", "limits": {"memory_bytes_max": 256 << 20}}
    answer = server.http.post("/v1/run", json=body).json()
    assert answer["reason"] == "memory" and "ran out of its 256 MiB of memory" in answer["message"], answer


def test_input_is_refused_with_what_to_do(server):
    code = "try:\n    input()\nexcept EOFError as error:\n    print(error)"
    answer = server.http.post("/v1/run", json={"code": code}).json()
    assert "atoll run FILE" in answer["stdout"], answer


def test_long_shell_code_runs_like_short_code(server):
    """One argument of a program has 128 KiB at most."""
    filler = "# " + "x" * 96 + "\n"
    for code in ("echo $0 $#; cat; ls /proc/self/fd | wc -w\nnosuch\nexit 3", "echo '\\n'; echo \"'$\""):
        short = server.http.post("/v1/run", json={"code": code, "language": "shell"}).json()
        long = code + "\n" + filler * ((199_000 - len(code)) // len(filler))
        answer = server.http.post("/v1/run", json={"code": long, "language": "shell"}).json()
        assert len(long) > 198_000 and answer["exit_code"] == short["exit_code"], answer["stderr"]
        assert (answer["stdout"], answer["stderr"]) == (short["stdout"], short["stderr"])
    wide = "echo " + "é" * 120_000 + " | wc -m"
    answer = server.http.post("/v1/run", json={"code": wide, "language": "shell"}).json()
    assert answer["stdout"] == "120001\n", answer["stderr"]


def test_what_was_killed_before_is_no_reason(server):
    session = server.session(limits={"memory_bytes_max": 256 << 20})
    full = server.run(session, "x = bytearray(1 << 30)\nfor i in range(0, len(x), 4096): x[i] = 1")
    assert full["reason"] == "memory" or full["error"]["name"] == "MemoryError"  # without cgroups
    for code, language, status in [("exit 7", "shell", 7), ("false", "shell", 1)]:
        later = server.run(session, code, language=language)
        assert (later["exit_code"], later["reason"]) == (status, "exited"), later
    killed = server.run(session, "kill -9 $$", language="shell")
    assert killed["reason"] == "signalled", killed


def test_a_client_that_leaves_cancels_its_run(server):
    session = server.session()
    with pytest.raises(httpx.TimeoutException):
        server.http.post(f"/v1/sessions/{session}/run", json={"code": "import time\nwhile True: time.sleep(.05)"},
                         timeout=1)
    began = time.monotonic()
    assert server.run(session, "print('free')")["stdout"] == "free\n"
    assert time.monotonic() - began < 10


def test_bytes_that_are_no_text(server):
    answer = server.http.post("/v1/run", json={"code": r"printf 'a\xff\xc3b'", "language": "shell"})
    assert answer.json()["stdout"] == "a��b"


@pytest.mark.parametrize("body, says", [
    (b"{", "line 1"), (b"[]", "object"), (b'{"code": 5}', "code"), (b'{"code": "1", "languag": "x"}', "languag"),
    (b'{"code": "1", "language": "cobol"}', "python"), (b'{"code": "1", "code": "2"}', "twice"),
    (b'{"code": "\xff"}', "UTF-8"), (b"[" * 1000, "deep"), (b'{"code": "1", "timeout": "-3s"}', "timeout"),
    (b'{"code": "1", "limits": {"memory_bytes_max": 1}}', "limits.memory_bytes_max"),
    (b'{"code": "1", "template": "nothing-of-this-name"}', "nothing-of-this-name"), (b"", ""),
])
def test_bad_input_gets_a_sentence(server, body, says):
    answer = server.http.post("/v1/run", content=body, headers={"Content-Type": "application/json"})
    assert 400 <= answer.status_code < 500, answer.text
    problem = answer.json()
    assert answer.headers["content-type"].startswith("application/problem+json")
    assert says in json.dumps(problem, ensure_ascii=False), problem
    assert problem["request_id"] == answer.headers["x-request-id"]


def test_a_huge_body_is_refused(server):
    answer = server.http.post("/v1/run", content=b'{"code": "' + b"x" * (9 << 20) + b'"}')
    assert answer.status_code == 413


@pytest.mark.parametrize("headers", [
    {"Host": "evil.example"}, {"Host": "localhost.evil.example"}, {"Origin": "https://evil.example"},
    {"Origin": "null"}])
def test_other_origins_and_names_are_refused(server, headers):
    answer = server.http.post("/v1/run", json={"code": "1"}, headers=headers)
    assert answer.status_code == 403


def test_an_address_beyond_this_machine_is_refused(tmp_path):
    ended = subprocess.run([BUILD / "atoll", "serve", "--listen", "0.0.0.0:0", "--data-dir", tmp_path],
                           capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1 and "API keys" in ended.stderr


def test_no_secret_of_the_server_is_inside(server):
    answer = server.http.post("/v1/run", json={"code": "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'",
                                               "language": "shell"}).json()
    assert "ATOLL_DATA_DIR" not in answer["stdout"] and "listen" not in answer["stdout"]
