"""Output that cannot be written is an error, whichever command wrote it: never silence and success."""
import subprocess

import pytest

from harness.cli import ATOLL

pytestmark = pytest.mark.once


def into_full(*words):
    with open("/dev/full", "wb") as full:
        return subprocess.run([ATOLL, *words], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, timeout=120)


@pytest.mark.parametrize("words", [
    ("ls",), ("ls", "--json"), ("ps",), ("jobs",), ("config",), ("config", "--json"), ("doctor",), ("template", "list"),
    ("new",), ("--help",), ("--version",), ("completion", "bash"), ("run", "--json", "-c", "print(1)")])
def test_a_full_disk(client, words):
    done = into_full(*words)
    assert done.returncode == 125 and b"atoll: write to stdout: " in done.stderr, done


def test_of_a_program(client, session):
    done = into_full("exec", session, "-c", "print(1)")
    assert done.returncode == 125 and b"atoll: write to stdout: " in done.stderr
    done = into_full("exec", session, "-c", "print(1); raise SystemExit(7)")
    assert done.returncode == 7 and b"atoll: write to stdout: " in done.stderr  # its own status tells more


def test_a_reader_that_left_is_no_error():
    done = subprocess.run(["bash", "-c", 'set -o pipefail; "$0" completion bash | true; "$0" run --json -c 1 | true', ATOLL],
                          capture_output=True, timeout=120)
    assert done.stderr == b""


def test_a_closed_stdout():
    done = subprocess.run(["bash", "-c", '"$0" config >&-', ATOLL], capture_output=True, timeout=60)
    assert done.returncode == 125 and b"write to stdout: " in done.stderr
