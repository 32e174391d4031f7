"""What callers say about limits, times and new sessions, and how it stands in JSON. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, TypedDict

# Seconds, a text as "500ms" or "10m", or a timedelta.
Duration = float | str | timedelta


class LimitOptions(TypedDict, total=False):
    """What a sandbox may use; what is left out is the server's default."""

    memory_bytes_max: int
    processes_max: int
    cpus_max: float
    file_bytes_max: int
    open_files_max: int
    disk_bytes_max: int
    disk_files_max: int
    output_bytes_max: int


class SessionOptions(TypedDict, total=False):
    """What a new session is made of; see `Sandbox`."""

    name: str
    template: str
    network: str
    runtime: str
    datasets: Sequence[str]
    limits: LimitOptions
    environment: Mapping[str, str]
    metadata: Mapping[str, str]
    idle_to_warm: Duration
    idle_to_cold: Duration
    lifetime: Duration


def duration(value: Duration | None) -> float | str | None:
    """As the server reads it: seconds, or a text with a unit."""
    return value.total_seconds() if isinstance(value, timedelta) else value


def silence(timeout: Duration | None) -> float | None:
    """How long an answer may take whose work is limited to `timeout`; None: nobody knows."""
    if isinstance(timeout, timedelta):
        timeout = timeout.total_seconds()
    return float(timeout) + 60.0 if isinstance(timeout, (int, float)) and timeout > 0 else None


def given(**members: Any) -> dict[str, Any]:
    """Those that are not None."""
    return {name: value for name, value in members.items() if value is not None}


def session_body(options: SessionOptions) -> dict[str, Any]:
    """The body that creates a session."""
    body: dict[str, Any] = {}
    for name, value in options.items():
        if value is None:
            continue
        if name in ("idle_to_warm", "idle_to_cold", "lifetime"):
            body[name] = duration(value)  # type: ignore[arg-type]
        elif name == "datasets":
            body[name] = list(value)  # type: ignore[call-overload]
        elif name in ("limits", "environment", "metadata"):
            body[name] = dict(value)  # type: ignore[call-overload]
        else:
            body[name] = value
    return body


def metadata_query(metadata: Mapping[str, str] | None) -> list[str] | None:
    """Sessions and jobs are found by all of these."""
    return None if metadata is None else [f"{k}={v}" for k, v in metadata.items()]
