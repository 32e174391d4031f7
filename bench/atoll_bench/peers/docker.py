"""`docker run --rm --network none`, with an image that has the packages, their bytecode and
matplotlib's list of fonts. The daemon runs and the image is there before the clock starts."""

import json
import time
from contextlib import contextmanager
from pathlib import Path

from .. import prepare, process
from ..progress import note
from . import base


class Docker(base.Peer):
    name = "docker"
    title = "docker run"
    can = "adefg"

    def __init__(self, daemon, packages: list[str]):
        self.daemon = daemon
        self.packages = packages

    def open(self) -> None:
        self.daemon.start()
        self.image = self.daemon.image(self.packages)
        left = prepare.modules_compiled_at_import(self._run("python3"), self.daemon.environment())
        if left:
            note(f"python in Docker's image compiles {left} modules at each start: "
                 "the numbers of docker and llm-sandbox are too slow")
        self.first_result()  # pulls the image's files into the page cache, as on any used host

    def _run(self, *command, options=()) -> list:
        return [self.daemon.client, "run", "--rm", "--network", "none", *options, self.image,
                *command]

    def first_result(self) -> float:
        return process.time_to(self._run("python3", "-c", base.FIRST_RESULT),
                               base.FIRST_RESULT_SEEN, self.daemon.environment())

    def ephemeral(self) -> None:
        output = process.output_of(self._run("python3", "-c", "print(1+1)"),
                                   self.daemon.environment())
        assert output.strip() == "2"

    def one_off(self) -> float:
        start = time.perf_counter()
        process.output_of(self._run("python3", "-c", "print(1)"), self.daemon.environment())
        return (time.perf_counter() - start) * 1000

    def inside(self) -> dict:
        return json.loads(process.output_of(
            self._run("python3", "-c", base.INSIDE, options=("--workdir", "/root")),
            self.daemon.environment()))

    @contextmanager
    def idle(self):
        identity = self.daemon.docker("run", "-d", "--network", "none", self.image,
                                      "python3", "-c", base.IDLE).strip()
        try:
            deadline = time.monotonic() + process.TIMEOUT_S
            while "idle" not in self.daemon.docker("logs", identity):
                if time.monotonic() > deadline:
                    raise process.Failed("the container did not become idle")
                time.sleep(0.2)
            pid = int(self.daemon.docker("inspect", "-f", "{{.State.Pid}}", identity))
            # The shim is as much a cost of each container as what runs in it.
            shim = int(_stat_field(pid, "PPid"))
            yield lambda: process.family(shim)
        finally:
            self.daemon.docker("rm", "-f", identity)


def _stat_field(pid: int, name: str) -> str:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return line.split()[1]
    raise process.Failed(f"/proc/{pid}/status has no {name}")
