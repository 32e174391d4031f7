"""Running code: the request, and the two ways to hear of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ._call import Call, Consume, Effect, EventCall, nothing
from ._decode import json_of
from ._options import Duration, LimitOptions, duration, given, silence
from .events import Failed, Result, RunCollector, RunEvent, Stderr, Stdout
from .results import Display, RunError, RunResult, run_result

# The server sends a heartbeat every 15 seconds.
_SILENCE_OF_EVENTS = 60.0


def run_body(
    code: str,
    language: str | None,
    timeout: Duration | None,
    environment: Mapping[str, str] | None,
    **more: Any,
) -> dict[str, Any]:
    return given(
        code=code,
        language=language,
        timeout=duration(timeout),
        environment=None if environment is None else dict(environment),
        **more,
    )


def ephemeral_body(
    code: str,
    language: str | None,
    timeout: Duration | None,
    environment: Mapping[str, str] | None,
    session: str | None,
    template: str | None,
    datasets: Any,
    limits: LimitOptions | None,
) -> dict[str, Any]:
    return run_body(
        code,
        language,
        timeout,
        environment,
        session_id=session,
        template=template,
        datasets=None if datasets is None else list(datasets),
        limits=None if limits is None else dict(limits),
    )


def run_events(path: str, body: Mapping[str, Any]) -> tuple[EventCall[RunEvent], RunCollector]:
    collector = RunCollector()
    call = Call("POST", path, json=body, parse=nothing, timeout=_SILENCE_OF_EVENTS)
    return EventCall(call, collector.decode, lambda event: event.name == "ended"), collector


def run_effect(
    path: str,
    body: Mapping[str, Any],
    timeout: Duration | None,
    on_stdout: Callable[[str], object] | None,
    on_stderr: Callable[[str], object] | None,
    on_result: Callable[[Display], object] | None,
    on_error: Callable[[RunError], object] | None,
) -> Effect[RunResult]:
    """One answer; or, if somebody listens, events that end in the same."""
    if all(one is None for one in (on_stdout, on_stderr, on_result, on_error)):
        return Call(
            "POST",
            path,
            json=body,
            parse=lambda answer: run_result(json_of(answer)),
            timeout=silence(timeout),
        )
    events, collector = run_events(path, body)

    def hear(event: RunEvent) -> None:
        if isinstance(event, Stdout) and on_stdout is not None:
            on_stdout(event.text)
        elif isinstance(event, Stderr) and on_stderr is not None:
            on_stderr(event.text)
        elif isinstance(event, Result) and on_result is not None:
            on_result(event.display)
        elif isinstance(event, Failed) and on_error is not None:
            on_error(event.error)

    return Consume(events, hear, collector.ended)
