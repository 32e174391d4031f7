"""What a run says while it goes on, and how its pieces become one result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._decode import decode
from ._sse import ServerEvent
from .results import Display, RunError, RunResult, run_result

__all__ = ["Artifact", "Ended", "Failed", "Result", "RunEvent", "Started", "Stderr", "Stdout"]


@dataclass(frozen=True)
class Started:
    """The sandbox is there and the code begins."""

    session_id: str | None = None
    run_id: str | None = None
    code: str | None = None


@dataclass(frozen=True)
class Stdout:
    """A piece of what was printed."""

    text: str


@dataclass(frozen=True)
class Stderr:
    """A piece of what was printed as errors."""

    text: str


@dataclass(frozen=True)
class Result:
    """A result or a display."""

    display: Display


@dataclass(frozen=True)
class Failed:
    """The exception that ends the run."""

    error: RunError


@dataclass(frozen=True)
class Artifact:
    """A file that the run just wrote among its artifacts."""

    path: str
    type: str
    size: int


@dataclass(frozen=True)
class Ended:
    """The last event: all of it together."""

    result: RunResult


RunEvent = Started | Stdout | Stderr | Result | Failed | Artifact | Ended


class RunCollector:
    """Turns the events of one run into values, and keeps what the last event leaves out."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.err: list[str] = []
        self.results: list[dict[str, Any]] = []
        self.error: dict[str, Any] | None = None
        self.result: RunResult | None = None

    def decode(self, event: ServerEvent) -> RunEvent | None:
        data = event.json()
        match event.name:
            case "started":
                return decode(Started, data)
            case "stdout":
                self.out.append(data["text"])
                return Stdout(data["text"])
            case "stderr":
                self.err.append(data["text"])
                return Stderr(data["text"])
            case "result":
                self.results.append(data)
                return Result(decode(Display, data))
            case "error":
                self.error = data
                return Failed(decode(RunError, data))
            case "artifact":
                return decode(Artifact, data)
            case "ended":
                self.result = self._all_of_it(data)
                return Ended(self.result)
        return None

    def _all_of_it(self, data: dict[str, Any]) -> RunResult:
        stderr = "".join(self.err)
        trace = (self.error or {}).get("traceback_text")
        if trace:  # where an answer in one piece has it, too
            if stderr and not stderr.endswith("\n"):
                stderr += "\n"
            stderr += trace + "\n"
        whole = {**data, "stdout": "".join(self.out), "stderr": stderr, "results": self.results}
        if self.error is not None:
            whole["error"] = self.error
        return run_result(whole)

    def ended(self) -> RunResult:
        assert self.result is not None  # a stream without its last event raises StreamEnded
        return self.result
