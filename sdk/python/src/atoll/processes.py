"""Programs in a session: started, fed, followed, signalled, waited for."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from ._call import Answer, Call, Effect, EventCall, Steps, nothing, operation, stream
from ._decode import decode, json_of, many, one
from ._nodes import AsyncPart, SessionPart, SyncPart
from ._options import Duration, duration, given, silence
from ._sse import ServerEvent
from ._transport import AsyncTransport, SyncTransport
from .models import OutputGap, OutputSnapshot, OutputText, ProcessInfo
from .results import CommandResult

__all__ = ["AsyncProcess", "AsyncProcesses", "Process", "Processes"]

H = TypeVar("H")
_WAIT_S = 30  # of one request, after which the next one waits on


def process_body(
    command: str | Sequence[str],
    cwd: str | None,
    environment: Mapping[str, str] | None,
    input: str | None,
    timeout: Duration | None,
) -> dict[str, object]:
    """A text is a line for bash, a sequence a program and its arguments."""
    line = {"command": command} if isinstance(command, str) else {"argv": list(command)}
    return {
        **line,
        **given(
            cwd=cwd,
            environment=None if environment is None else dict(environment),
            input=input,
            timeout=duration(timeout),
        ),
    }


class ProcessOperations(SessionPart):
    """One process. It ends with its sandbox."""

    id: str

    @operation
    def info(self) -> Effect[ProcessInfo]:
        """How it is."""
        return Call("GET", self._there(), parse=one(ProcessInfo))

    @operation
    def wait(self) -> Steps[ProcessInfo]:
        """Waits until it has ended."""
        while True:
            found = yield from Call(
                "GET",
                self._there("wait"),
                query={"timeout": _WAIT_S},
                parse=one(ProcessInfo),
                timeout=_WAIT_S + 30,
            )
            if found.state == "ended":
                return found

    @operation
    def write(self, data: str | bytes, *, end: bool = False) -> Effect[int]:
        """Writes to its input (`stdin_open=True`), with `end` for the last time; how many bytes."""
        content = data.encode() if isinstance(data, str) else data
        return Call(
            "POST",
            self._there("stdin"),
            query={"end": end},
            body=content,
            parse=lambda answer: int(json_of(answer)["bytes"]),
            timeout=None,
        )

    @operation
    def signal(self, name: str = "term") -> Effect[ProcessInfo]:
        """Sends it and its group a signal: term, int, hup, kill, usr1, stop, cont, …"""
        return Call(
            "POST", self._there("signal"), json={"signal": name}, parse=one(ProcessInfo)
        )

    @operation
    def kill(self) -> Effect[None]:
        """Kills it and all that it started, and forgets it."""
        return Call("DELETE", self._there(), parse=nothing)

    @operation
    def output(self, after: int | None = None) -> Effect[OutputSnapshot]:
        """Its output that is still kept (the latest 256 KiB), from a byte on."""
        return Call(
            "GET", self._there("output"), query=given(after=after), parse=one(OutputSnapshot)
        )

    @stream
    def follow(
        self, after: int | None = None
    ) -> EventCall[OutputText | OutputGap | ProcessInfo]:
        """Its output as it comes; the last value is a ProcessInfo that says how it ended."""
        call = Call("GET", self._there("output"), query=given(after=after), parse=nothing)
        return EventCall(call, _output, lambda event: event.name == "ended", resumable=True)

    def _there(self, *rest: str) -> str:
        return self._at("processes", self.id, *rest)


def _output(event: ServerEvent) -> OutputText | OutputGap | ProcessInfo | None:
    if event.name in ("stdout", "stderr"):
        return replace(decode(OutputText, event.json()), stream=event.name)
    if event.name == "gap":
        return decode(OutputGap, event.json())
    if event.name == "ended":
        return decode(ProcessInfo, event.json())
    return None


class Process(ProcessOperations, SyncPart):
    """A process of a session."""

    def __init__(self, transport: SyncTransport, session_id: str, id: str) -> None:
        super().__init__(transport, session_id)
        self.id = id

    def __repr__(self) -> str:
        return f"Process({self.id!r})"


class AsyncProcess(ProcessOperations, AsyncPart):
    """A process of a session."""

    def __init__(self, transport: AsyncTransport, session_id: str, id: str) -> None:
        super().__init__(transport, session_id)
        self.id = id

    def __repr__(self) -> str:
        return f"AsyncProcess({self.id!r})"


class ProcessesOperations(SessionPart, Generic[H]):
    """Programs of a session. `command` is a line for bash, or a sequence: a program and its
    arguments."""

    _handle: Callable[[str], H]

    @operation
    def run(
        self,
        command: str | Sequence[str],
        *,
        cwd: str | None = None,
        environment: Mapping[str, str] | None = None,
        input: str | None = None,
        timeout: Duration | None = None,
    ) -> Effect[CommandResult]:
        """Runs a program and waits for its end, at most 5 minutes unless `timeout` says more."""
        return run_command(self, command, cwd, environment, input, timeout)

    @operation
    def start(
        self,
        command: str | Sequence[str],
        *,
        cwd: str | None = None,
        environment: Mapping[str, str] | None = None,
        input: str | None = None,
        stdin_open: bool = False,
        timeout: Duration | None = None,
        keep_awake: bool = False,
    ) -> Effect[H]:
        """Starts a program in the background. `stdin_open`: `write()` will send more input."""
        body = process_body(command, cwd, environment, input, timeout)
        body |= {"stdin_open": stdin_open, "keep_awake": keep_awake}

        def handle(answer: Answer) -> H:
            return self._handle(decode(ProcessInfo, json_of(answer)).id)

        return Call("POST", self._at("processes"), json=body, parse=handle)

    @operation
    def list(self) -> Effect[builtins.list[ProcessInfo]]:
        """Running ones, and those that ended lately; the newest first."""
        return Call("GET", self._at("processes"), parse=many(ProcessInfo, "processes"))

    def get(self, id: str) -> H:
        """The process of this id, without asking whether it is there."""
        return self._handle(id)


def run_command(
    node: SessionPart,
    command: str | Sequence[str],
    cwd: str | None,
    environment: Mapping[str, str] | None,
    input: str | None,
    timeout: Duration | None,
) -> Call[CommandResult]:
    """Also `sandbox.shell`."""
    body = process_body(command, cwd, environment, input, timeout)
    return Call(
        "POST",
        node._at("processes"),
        json={**body, "wait": True},
        parse=one(CommandResult),
        timeout=silence(timeout),
    )


class Processes(ProcessesOperations[Process], SyncPart):
    """Programs of a session: `sandbox.processes`."""

    def _handle(self, id: str) -> Process:
        return Process(self._transport, self.session_id, id)


class AsyncProcesses(ProcessesOperations[AsyncProcess], AsyncPart):
    """Programs of a session: `sandbox.processes`."""

    def _handle(self, id: str) -> AsyncProcess:
        return AsyncProcess(self._transport, self.session_id, id)
