"""What plain python and bubblewrap share: a fresh process for each run, started by a command."""

import json
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from .. import paths, process
from . import base


class CommandPeer(base.Peer):
    can = "adefg"

    def command(self, scratch: Path | None = None) -> list:
        """The command up to the interpreter; `scratch` may be written to and is its directory."""
        raise NotImplementedError

    def first_result(self) -> float:
        return process.time_to([*self.command(), "-c", base.FIRST_RESULT],
                               base.FIRST_RESULT_SEEN)

    def ephemeral(self) -> None:
        assert process.output_of([*self.command(), "-c", "print(1+1)"]).strip() == "2"

    def one_off(self) -> float:
        start = time.perf_counter()
        process.output_of([*self.command(), "-c", "print(1)"])
        return (time.perf_counter() - start) * 1000

    def inside(self) -> dict:
        paths.TOOLS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=paths.TOOLS) as scratch:
            return json.loads(process.output_of(
                [*self.command(Path(scratch)), "-c", base.INSIDE], cwd=scratch))

    def loop(self) -> float:
        return json.loads(process.output_of([*self.command(), paths.WORK / "loop.py"]))["cpu_loop"]

    @contextmanager
    def idle(self):
        running = process.spawn([*self.command(), "-c", base.IDLE])
        try:
            process.wait_for(running, b"idle")
            yield lambda: process.family(running.pid)
        finally:
            process.stop(running)
