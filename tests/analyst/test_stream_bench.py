"""`atoll bench stream`: both ways measured for real, for people and for programs."""

import json
import os
import subprocess

from harness.driver import BUILD


def bench(server, *words):
    return subprocess.run([BUILD / "atoll", "bench", "stream", *words], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "ATOLL_URL": server.url})


def test_streaming_is_heard_before_blocking_ends(server, models):
    models.answer = {"text": "one two three four five six seven eight", "rate": 20}
    thread = server.thread()
    ran = bench(server, thread, "count", "-n", "3", "--json")
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["rounds"] == 3 and len(server.history(thread)) == 12
    blocking, streaming = told["blocking"], told["streaming"]
    assert blocking["total_ms"]["p50"] == blocking["first_token_ms"]["p50"]
    assert streaming["first_event_ms"]["p50"] <= streaming["first_token_ms"]["p50"] < streaming["total_ms"]["p50"]
    assert streaming["first_token_ms"]["p50"] < blocking["total_ms"]["p50"]


def test_a_table_for_people_and_a_sentence_for_mistakes(server):
    ran = bench(server, server.thread(), "hello", "-n", "1")
    assert ran.returncode == 0 and "BLOCKING P50" in ran.stdout and "first word" in ran.stdout
    ran = bench(server, "th-nothing", "hello")
    assert ran.returncode == 125 and "th-nothing" in ran.stderr
    assert bench(server, "x", "y", "-n", "0").returncode == 2
