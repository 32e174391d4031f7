"""Starts what is measured and takes the time; reads the memory of what is running."""

import os
import selectors
import signal
import subprocess
import time
from pathlib import Path

from .prepare import clean_environment

# Generous: a loaded machine must give slow numbers, not errors. Nothing measured hangs for ever.
TIMEOUT_S = 180


class Failed(Exception):
    """What was measured did not do its work; the text says how."""


def spawn(argv: list, environment: dict | None = None, **options) -> subprocess.Popen:
    return subprocess.Popen([str(part) for part in argv], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            start_new_session=True,
                            env={**clean_environment(), **(environment or {})}, **options)


def wait_for(process: subprocess.Popen, expected: bytes) -> None:
    """Returns the moment that `expected` has come out of the process."""
    seen = b""
    deadline = time.monotonic() + TIMEOUT_S
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while expected not in seen:
            if not selector.select(max(0, deadline - time.monotonic())):
                stop(process)
                raise Failed(f"no result within {TIMEOUT_S} s")
            chunk = os.read(process.stdout.fileno(), 65536)
            if not chunk:
                raise Failed(f"ended without the result: {_complaint(process)}")
            seen += chunk


def stop(process: subprocess.Popen) -> None:
    """Ends the process and its group (it is its own session), and waits for it."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()
    process.stdout.close()
    process.stderr.close()


def time_to(argv: list, expected: bytes, environment: dict | None = None, **options) -> float:
    """Milliseconds from the start of the program until the result is read. The program then ends
    by itself, off the clock: nobody waits for that either."""
    start = time.perf_counter()
    process = spawn(argv, environment, **options)
    try:
        wait_for(process, expected)
        taken = (time.perf_counter() - start) * 1000
        process.wait(TIMEOUT_S)
        return taken
    finally:
        stop(process)


def output_of(argv: list, environment: dict | None = None, timeout_s: float = TIMEOUT_S,
              **options) -> str:
    process = spawn(argv, environment, **options)
    try:
        output, errors = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        raise Failed(f"{argv[0]} did not end within {timeout_s:.0f} s") from None
    finally:
        stop(process)
    if process.returncode != 0:
        tail = errors.decode(errors="replace").strip().splitlines()[-3:]
        raise Failed(f"{Path(str(argv[0])).name} ended with {process.returncode}: "
                     + " | ".join(tail))
    return output.decode(errors="replace")


def _complaint(process: subprocess.Popen) -> str:
    process.wait()
    lines = process.stderr.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"status {process.returncode}"


# --- memory -------------------------------------------------------------------------------------

def pss_bytes(pids: list[int]) -> int:
    """Proportional set size: a page shared by n processes counts 1/n for each, so that a sum over
    all of them counts it once."""
    total = 0
    for pid in pids:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        for line in text.splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) * 1024
    return total


def family(pid: int) -> list[int]:
    """The process and all its descendants."""
    found, queue = [], [pid]
    while queue:
        current = queue.pop()
        found.append(current)
        for task in Path(f"/proc/{current}/task").glob("*/children"):
            try:
                queue += [int(child) for child in task.read_text().split()]
            except (FileNotFoundError, ProcessLookupError):
                continue
    return found
