"""Server-sent events, read from bytes as they come. Pure: no I/O here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

# More than the server sends as one event: results of a run are limited to 1 GiB in any case, and
# a server that never ends a line must not fill this machine's memory.
EVENT_BYTES_MAX = 1 << 30


@dataclass(frozen=True)
class ServerEvent:
    """One event: its name, its data (JSON text), its id."""

    name: str
    data: str
    id: str

    def json(self) -> Any:
        return json.loads(self.data)


class EventReader:
    """Feed it bytes, get events. `last_id` is what a client that comes back names."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._searched = 0
        self._data: list[str] = []
        self._size = 0
        self._name = ""
        self.last_id = ""

    def feed(self, data: bytes) -> Iterator[ServerEvent]:
        self._rest += data
        begin = 0
        while (end := self._rest.find(b"\n", max(begin, self._searched))) >= 0:
            line = bytes(self._rest[begin:end]).rstrip(b"\r")
            begin = self._searched = end + 1
            event = self._take(line)
            if event is not None:
                yield event
        del self._rest[:begin]
        # What was looked through already is not looked through again: a long line stays linear.
        self._searched = len(self._rest)
        if len(self._rest) + self._size > EVENT_BYTES_MAX:
            raise ValueError("an event of the server exceeds 1 GiB")

    def _take(self, line: bytes) -> ServerEvent | None:
        if not line:
            event = None
            if self._data:
                event = ServerEvent(self._name or "message", "\n".join(self._data), self.last_id)
            self._data, self._name, self._size = [], "", 0
            return event
        field, _, rest = line.partition(b":")
        value = rest.removeprefix(b" ").decode("utf-8", errors="replace")
        if field == b"event":
            self._name = value
        elif field == b"data":
            self._data.append(value)
            self._size += len(rest)
        elif field == b"id":
            self.last_id = value
        return None
