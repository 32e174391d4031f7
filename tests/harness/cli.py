"""The command line as a person uses it: runs build/release/atoll."""
import json
import subprocess

from .driver import BUILD

ATOLL = BUILD / "atoll"


def atoll(*words, stdin=subprocess.DEVNULL, timeout=120, **more) -> subprocess.CompletedProcess:
    """stdout and stderr as bytes. `stdin`: bytes to pipe in, or nothing."""
    if isinstance(stdin, bytes):
        more["input"] = stdin
    else:
        more["stdin"] = stdin
    return subprocess.run([ATOLL, *words], capture_output=True, timeout=timeout, **more)


def run_json(*words, **more) -> dict:
    """`atoll run --json …`, parsed."""
    done = atoll("run", "--json", *words, **more)
    assert done.stdout, done.stderr.decode(errors="replace")
    return json.loads(done.stdout)
