"""The chat model against a real one: llama.cpp with small weights, on this machine (docs/models.md).

Only when ATOLL_TEST_REAL_MODEL names a Python that has both packages: they are 130 MB, and the model
takes a processor for a while. What it says is nonsense; that it says it bit by bit is the test."""
import os
import re
import subprocess
from pathlib import Path

import pytest

from harness.model import Failed

PYTHON = os.environ.get("ATOLL_TEST_REAL_MODEL")
pytestmark = pytest.mark.skipif(not PYTHON, reason="ATOLL_TEST_REAL_MODEL names no Python")


@pytest.fixture(scope="module")
def url():
    process = subprocess.Popen(
        [PYTHON, Path(__file__).parents[1] / "harness" / "real_model.py"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    found = re.match(r"listening on (\S+)", process.stdout.readline())
    assert found, "the real model does not start"
    yield found[1]
    process.stdin.close()
    process.wait(timeout=60)


PATIENT = {"silence_ms": 120_000, "total_ms": 300_000, "model": "smollm2"}


def test_a_real_stream(program, url):
    heard = program.chat(url, text="Name the capital of France.", answer_tokens_max=48, **PATIENT)
    reply = heard.end(wait=200)["reply"]
    assert len(heard.text) > 3 and "".join(heard.text) == reply["text"]
    assert "Paris" in reply["text"]
    assert reply["finish"] in ("stop", "length") and not reply["tool_calls"]
    assert reply["prompt_tokens"] > 10 and 3 < reply["answer_tokens"] <= 48


def test_text_beyond_ascii_stays_whole(program, url):
    heard = program.chat(url, text="Repeat exactly: 你好，世界 🌍 Grüße", answer_tokens_max=48, **PATIENT)
    reply = heard.end(wait=200)["reply"]
    assert reply["text"] and "".join(heard.text) == reply["text"]


def test_two_at_one_time_and_one_cancelled(program, url):
    first = program.chat(url, text="Count from 1 to 100.", answer_tokens_max=400, **PATIENT)
    second = program.chat(url, text="Say hello.", answer_tokens_max=16, **PATIENT)
    first.next(200)
    first.cancel()
    with pytest.raises(Failed, match="(?i)cancel"):
        first.end(wait=200)
    assert second.end(wait=200)["reply"]["answer_tokens"] <= 16


def test_a_conversation_that_is_too_long(program, url):
    with pytest.raises(Failed) as failed:
        program.chat(url, text="word " * 6000, **PATIENT).end(wait=200)
    assert failed.value.code == "TooLarge" and "too long" in str(failed.value)


def test_a_wrong_address(program, url):
    with pytest.raises(Failed) as failed:
        program.chat(url.removesuffix("/v1") + "/nothing/here", **PATIENT).end()
    assert failed.value.code == "InvalidArgument" and "OPENAI_BASE_URL" in str(failed.value)
