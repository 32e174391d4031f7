"""Atoll itself. Its library is measured by a C++ program, build/release/atoll-bench-native, since
a millisecond is too short to be taken through another process:

    atoll-bench-native --what WHAT --count N [--pool 0]

prints lines of JSON, {"metric": "...", "samples_ms": [...], "extra": {...}}. WHAT is one of WHAT
below. Every line is taken, also of a metric that is not known here. In `extra`,
memory_per_sandbox gives "bytes_each" and "sandboxes", ephemeral_rate gives "per_second".
The command line (`atoll run`) is measured from here, like the peers'.
"""

import json
import time
from pathlib import Path

from .. import paths, process
from ..progress import note

WHAT = ("first_result", "burst_100", "round_trip", "restart", "memory_per_sandbox",
        "ephemeral_rate", "leak_check")
NATIVE_TIMEOUT_S = 300


class Atoll:
    name = "atoll"
    title = "Atoll"

    def __init__(self, build: str | None, wanted: bool = True):
        directory = Path(build) if build else paths.REPOSITORY / "build" / "release"
        self.native = directory / "atoll-bench-native"
        self.binary = directory / "atoll"
        self.has_native = wanted and self.native.exists()
        self.has_binary = wanted and self.binary.exists()
        if not wanted:
            return
        for there, path in ((self.has_native, self.native), (self.has_binary, self.binary)):
            if not there:
                note(f"Atoll's binary is not built ({path.name} is not in {directory}): "
                     "run ./scripts/build atoll-bench-native")

    def measure(self, what: str, count: int, *options: str) -> list[dict]:
        """The metrics that one run of the native program printed; none when it cannot run."""
        if not self.has_native:
            return []
        try:
            output = process.output_of([self.native, "--what", what, "--count", str(count),
                                        *options], timeout_s=NATIVE_TIMEOUT_S)
        except (process.Failed, OSError) as problem:
            note(f"Atoll, {what}: {problem}")
            return []
        found = []
        for line in output.splitlines():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue
            if isinstance(entry, dict) and "metric" in entry:
                found.append(entry)
        if not found:
            note(f"Atoll, {what}: {self.native.name} printed no metric")
        return found

    def one_off(self) -> float:
        start = time.perf_counter()
        process.output_of([self.binary, "run", "-c", "print(1)"])
        return (time.perf_counter() - start) * 1000

    def loop(self) -> float:
        said = process.output_of([self.binary, "run", paths.WORK / "loop.py"])
        return json.loads(said)["cpu_loop"]

    def inside(self) -> dict:
        """In the sandbox's own working directory, which is where programs write."""
        return json.loads(process.output_of([self.binary, "run", paths.WORK / "inside.py"]))
