"""How an operation is written once and used by both clients.

An operation is a generator that never waits by itself: it yields what it wants done (a `Call` to
the server, or `Work` on this machine) and gets the outcome back.

    @operation
    def read(self, path: str) -> Steps[bytes]:
        return (yield from Call("GET", self._at("files", path), parse=whole))

`@operation` is a descriptor. On a `SyncNode` the method waits and returns the value; on an
`AsyncNode` it returns an awaitable of it, with the same parameters and types. `@stream` does the
same for streams of events.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Mapping
from dataclasses import dataclass, field
from functools import update_wrapper
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    BinaryIO,
    Concatenate,
    Generic,
    ParamSpec,
    Protocol,
    TypeVar,
    cast,
    overload,
)

if TYPE_CHECKING:
    from ._sse import ServerEvent
    from ._transport import AsyncTransport, SyncTransport
    from .streams import AsyncStream, Stream

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

Json = Any


class Effect(Generic[T]):
    """Something an operation wants done; `yield from` it gives its outcome."""

    def __iter__(self) -> Generator[Effect[Any], Any, T]:
        return cast(T, (yield self))


# An operation of several effects.
Steps = Generator[Effect[Any], Any, T]


class Doable(Protocol[T_co]):
    """An operation: a single effect, or steps that return a T."""

    def __iter__(self) -> Generator[Effect[Any], Any, T_co]: ...


@dataclass(frozen=True)
class Answer:
    """What the server answered to a call, as the parser sees it."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str = ""


@dataclass(frozen=True)
class LocalFile:
    """A request body that is read from a file while it is sent."""

    path: Path


def nothing(answer: Answer) -> None:
    """For answers without a body."""


def whole(answer: Answer) -> bytes:
    """The body as it is."""
    return answer.body


@dataclass(frozen=True)
class Call(Effect[T]):
    """One request. `timeout` is the longest silence in seconds, None for as long as it takes."""

    method: str
    path: str
    parse: Callable[[Answer], T]
    query: Mapping[str, Json] = field(default_factory=dict)
    json: Json = None
    body: bytes | LocalFile | BinaryIO | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout: float | None = 60.0
    # GET, HEAD and what may be sent twice without harm.
    safe: bool = False
    # The body of the answer goes there, in place of memory.
    into: Path | None = None
    # The answer is a program's own (a port of a sandbox): no status of it is ours to judge.
    foreign: bool = False

    @property
    def repeatable(self) -> bool:
        return self.safe or self.method in ("GET", "HEAD")


@dataclass(frozen=True)
class EventCall(Generic[T]):
    """A request whose answer is a stream of events, and how events become values.

    `is_last` tells the event after which nothing follows. A `resumable` stream is asked for again
    with the id of the last event when the connection breaks.
    """

    call: Call[None]
    decode: Callable[[ServerEvent], T | None]
    is_last: Callable[[ServerEvent], bool]
    resumable: bool = False


class Work(Effect[T]):
    """Blocking work on this machine: files, archives. The asynchronous client uses a thread."""

    def __init__(self, run: Callable[[], T]) -> None:
        self.run = run


class Pause(Effect[None]):
    """Some seconds between two looks at something that cannot be waited for."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds


class Consume(Effect[T]):
    """Reads a stream of events to its end, handing each value to `take`; then `result()`."""

    def __init__(
        self, events: EventCall[Any], take: Callable[[Any], None], result: Callable[[], T]
    ) -> None:
        self.events, self.take, self.result = events, take, result


class SyncNode:
    """Something with operations that wait."""

    _transport: SyncTransport


class AsyncNode:
    """Something with operations to be awaited."""

    _transport: AsyncTransport


class operation(Generic[P, T]):
    """Makes a generator of effects a method of both clients."""

    def __init__(self, steps: Callable[Concatenate[Any, P], Doable[T]]) -> None:
        self._steps = steps
        update_wrapper(cast(Any, self), steps)

    @overload
    def __get__(self, node: None, owner: type) -> operation[P, T]: ...
    @overload
    def __get__(self, node: SyncNode, owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, node: AsyncNode, owner: type) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, node: SyncNode | AsyncNode | None, owner: type) -> Any:
        if node is None:
            return self
        steps = self._steps
        if isinstance(node, SyncNode):
            sync = node

            def call(*args: P.args, **kwargs: P.kwargs) -> T:
                return sync._transport.drive(steps(sync, *args, **kwargs))

            return update_wrapper(call, steps.__get__(node))
        other = node

        async def call_async(*args: P.args, **kwargs: P.kwargs) -> T:
            return await other._transport.drive(steps(other, *args, **kwargs))

        return update_wrapper(call_async, steps.__get__(node))


class stream(Generic[P, T]):
    """Makes a method that describes a stream one that opens it, for both clients."""

    def __init__(self, describe: Callable[Concatenate[Any, P], EventCall[T]]) -> None:
        self._describe = describe
        update_wrapper(cast(Any, self), describe)

    @overload
    def __get__(self, node: None, owner: type) -> stream[P, T]: ...
    @overload
    def __get__(self, node: SyncNode, owner: type) -> Callable[P, Stream[T]]: ...
    @overload
    def __get__(self, node: AsyncNode, owner: type) -> Callable[P, AsyncStream[T]]: ...
    def __get__(self, node: SyncNode | AsyncNode | None, owner: type) -> Any:
        from .streams import AsyncStream, Stream

        if node is None:
            return self
        describe, current = self._describe, node

        def call(*args: P.args, **kwargs: P.kwargs) -> Any:
            events = describe(current, *args, **kwargs)
            if isinstance(current, SyncNode):
                return Stream(current._transport, events)
            return AsyncStream(current._transport, events)

        return update_wrapper(call, describe.__get__(node))
