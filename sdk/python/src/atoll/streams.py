"""Streams of events: iterators that own a connection. Use them in a `with` (or `async with`), or
read them to their end; leaving one early closes the connection, which ends a run of code.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from dataclasses import replace
from types import TracebackType
from typing import Any, Generic, TypeVar

from ._call import Call, EventCall
from ._sse import EventReader
from ._transport import AsyncTransport, SyncTransport
from .errors import ConnectionFailed, StreamEnded

T = TypeVar("T")

_BROKEN = "the stream of events broke off; what it was about may still go on"


def _asking(events: EventCall[Any], last_id: str) -> Call[None]:
    headers = {"Accept": "text/event-stream", **events.call.headers}
    if last_id:
        headers["Last-Event-ID"] = last_id
    return replace(events.call, headers=headers)


class Stream(Generic[T]):
    """Values as they come; the last one is followed by the end of the iteration."""

    def __init__(self, transport: SyncTransport, events: EventCall[T]) -> None:
        self._transport, self._events = transport, events
        self._values = self._read()

    def __iter__(self) -> Stream[T]:
        return self

    def __next__(self) -> T:
        return next(self._values)

    def __enter__(self) -> Stream[T]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; code that runs for it is stopped."""
        self._values.close()

    def _read(self) -> Generator[T, None, None]:
        last_id, attempt = "", 0
        while True:
            reader = EventReader()
            reader.last_id = last_id
            broken: Exception = StreamEnded(_BROKEN)
            try:
                with self._transport.open(_asking(self._events, last_id)) as (_, response):
                    for piece in response.iter_bytes():
                        for event in reader.feed(piece):
                            last_id, attempt = reader.last_id, 0
                            value = self._events.decode(event)
                            if value is not None:
                                yield value
                            if self._events.is_last(event):
                                return
            except ConnectionFailed as error:
                broken = error
            pause = self._transport.retry.pause(attempt, None) if self._events.resumable else None
            if pause is None:
                raise broken
            self._transport.wait(pause)
            attempt += 1


class AsyncStream(Generic[T]):
    """The same for `async for`."""

    def __init__(self, transport: AsyncTransport, events: EventCall[T]) -> None:
        self._transport, self._events = transport, events
        self._values = self._read()

    def __aiter__(self) -> AsyncStream[T]:
        return self

    async def __anext__(self) -> T:
        return await self._values.__anext__()

    async def __aenter__(self) -> AsyncStream[T]:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection; code that runs for it is stopped."""
        await self._values.aclose()

    async def _read(self) -> AsyncGenerator[T, None]:
        last_id, attempt = "", 0
        while True:
            reader = EventReader()
            reader.last_id = last_id
            broken: Exception = StreamEnded(_BROKEN)
            try:
                async with self._transport.open(_asking(self._events, last_id)) as (_, response):
                    async for piece in response.aiter_bytes():
                        for event in reader.feed(piece):
                            last_id, attempt = reader.last_id, 0
                            value = self._events.decode(event)
                            if value is not None:
                                yield value
                            if self._events.is_last(event):
                                return
            except ConnectionFailed as error:
                broken = error
            pause = self._transport.retry.pause(attempt, None) if self._events.resumable else None
            if pause is None:
                raise broken
            await self._transport.wait(pause)
            attempt += 1
