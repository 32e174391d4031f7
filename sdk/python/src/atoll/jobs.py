"""Jobs: code that the server runs in the background, also if it is restarted meanwhile."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence

from ._call import (
    AsyncNode,
    Call,
    Consume,
    Effect,
    EventCall,
    Steps,
    SyncNode,
    nothing,
    operation,
    stream,
)
from ._decode import decode, json_of, one
from ._options import Duration, LimitOptions, duration, given, metadata_query
from ._paths import part
from ._sse import ServerEvent
from ._transport import AsyncTransport, SyncTransport
from .models import Job, JobLogChunk

__all__ = ["AsyncJobs", "Jobs"]

_PAGE = 500


class JobOperations:
    """Jobs of yours on this server."""

    @operation
    def create(
        self,
        code: str,
        kind: str = "python",
        *,
        timeout: Duration | None = None,
        retries: int | None = None,
        priority: int | None = None,
        after_crash: str | None = None,
        session: str | None = None,
        context: str | None = None,
        template: str | None = None,
        limits: LimitOptions | None = None,
        environment: Mapping[str, str] | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> Effect[Job]:
        """Queues a job: python, shell, typescript or javascript, in a sandbox of its own or in a
        session. `after_crash`: `fail` or `run_again`, if the server ends while it runs."""
        body = given(
            code=code,
            kind=kind,
            timeout=duration(timeout),
            retries=retries,
            priority=priority,
            after_crash=after_crash,
            session=session,
            context=context,
            template=template,
            limits=None if limits is None else dict(limits),
            environment=None if environment is None else dict(environment),
            metadata=None if metadata is None else dict(metadata),
        )
        return Call("POST", "/v1/jobs", json=body, parse=one(Job))

    @operation
    def list(
        self,
        *,
        state: Sequence[str] | None = None,
        metadata: Mapping[str, str] | None = None,
        limit: int | None = None,
    ) -> Steps[builtins.list[Job]]:
        """Your jobs, the newest first."""
        found: builtins.list[Job] = []
        cursor: str | None = None
        while True:
            query = {
                "state": None if state is None else [*state],
                "metadata": metadata_query(metadata),
                "limit": _PAGE if limit is None else min(limit, _PAGE),
                "cursor": cursor,
            }
            page = yield from Call("GET", "/v1/jobs", query=query, parse=json_of)
            found += [decode(Job, item) for item in page["jobs"]]
            cursor = page.get("next_cursor")
            if not cursor or (limit is not None and len(found) >= limit):
                return found[:limit]

    @operation
    def get(self, id: str) -> Effect[Job]:
        """One job."""
        return Call("GET", _there(id), parse=one(Job))

    @operation
    def wait(self, id: str) -> Steps[Job]:
        """Waits until it has ended."""
        last: builtins.list[Job] = []

        def take(value: JobLogChunk | Job) -> None:
            if isinstance(value, Job):
                last.append(value)

        return (yield from Consume(_log_events(id, 0), take, lambda: last[-1]))

    @operation
    def logs(self, id: str) -> Steps[builtins.list[JobLogChunk]]:
        """All that it printed so far."""
        found: builtins.list[JobLogChunk] = []
        begin = 0
        while True:
            page = yield from Call(
                "GET", _there(id, "logs"), query={"from": begin}, parse=json_of
            )
            chunks = [decode(JobLogChunk, item) for item in page["chunks"]]
            found += chunks
            if page["complete"] or not chunks:
                return found
            begin = page["next"]

    @stream
    def follow(self, id: str, *, begin: int = 0) -> EventCall[JobLogChunk | Job]:
        """Its log as it grows; the last value is the Job."""
        return _log_events(id, begin)

    @operation
    def cancel(self, id: str) -> Effect[Job]:
        """Cancels it; one that runs ends soon."""
        return Call("POST", _there(id, "cancel"), parse=one(Job))

    @operation
    def delete(self, id: str) -> Effect[None]:
        """Forgets one that has ended, with its log."""
        return Call("DELETE", _there(id), parse=nothing)


class Jobs(JobOperations, SyncNode):
    """Jobs of a server: `client.jobs`."""

    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport


class AsyncJobs(JobOperations, AsyncNode):
    """Jobs of a server: `client.jobs`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport


def _there(id: str, *rest: str) -> str:
    return "/".join([f"/v1/jobs/{part(id)}", *rest])


def _log_events(id: str, begin: int) -> EventCall[JobLogChunk | Job]:
    def chunk(event: ServerEvent) -> JobLogChunk | Job | None:
        if event.name == "ended":
            return decode(Job, event.json())
        if event.name in ("stdout", "stderr", "mark"):
            return decode(JobLogChunk, event.json())
        return None

    call = Call("GET", _there(id, "logs"), query={"from": begin}, parse=nothing)
    return EventCall(call, chunk, lambda event: event.name == "ended", resumable=True)
