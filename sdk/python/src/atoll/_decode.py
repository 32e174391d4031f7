"""JSON objects to dataclasses. Unknown members are ignored, so that a newer server does no harm."""

from __future__ import annotations

import dataclasses
import functools
import json
import types
import typing
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from ._call import Answer
from .errors import AtollError

T = TypeVar("T")


def decode(kind: type[T], data: Any) -> T:
    """A `kind` (a dataclass) from the server's JSON; a member that is missing takes its default."""
    if not isinstance(data, dict):
        raise AtollError(f"the server answered with no {kind.__name__}; is it an Atoll server?")
    values = {}
    for name, convert in _members(typing.cast(Any, kind)):
        if name in data:
            values[name] = convert(data[name])
    try:
        return kind(**values)
    except TypeError as error:
        raise AtollError(f"the server's {kind.__name__} is incomplete: {error}") from error


def one(kind: type[T]) -> Callable[[Answer], T]:
    """A parser for an answer that is one object."""
    return lambda answer: decode(kind, json_of(answer))


def many(kind: type[T], member: str) -> Callable[[Answer], list[T]]:
    """A parser for an answer that is an object with a list."""
    return lambda answer: [decode(kind, item) for item in json_of(answer).get(member, [])]


def json_of(answer: Answer) -> Any:
    """The body as JSON."""
    try:
        return json.loads(answer.body)
    except ValueError:
        raise AtollError(
            f"{answer.url} answered with something else than JSON; is that an Atoll server?"
        ) from None


@functools.cache
def _members(kind: type) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    hints = typing.get_type_hints(kind)
    return tuple(
        (f.name, f.metadata.get("from_json") or _plain(hints[f.name]))
        for f in dataclasses.fields(kind)
        if f.init and not f.metadata.get("ours")
    )


def _plain(hint: Any) -> Callable[[Any], Any]:
    """How a value of this type is made from JSON."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        inner = [a for a in arguments if a is not type(None)]
        convert = _plain(inner[0])
        return lambda value: None if value is None else convert(value)
    if origin is list:
        item = _plain(arguments[0])
        return lambda value: [item(v) for v in value]
    if origin is dict:
        item = _plain(arguments[1])
        return lambda value: {str(k): item(v) for k, v in value.items()}
    if hint is datetime:
        return _time
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return functools.partial(decode, hint)
    if hint is float:
        return float
    return lambda value: value


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
