"""Sessions of a server, by their ids or names. `Sandbox` is one of them with a handle."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import Any

from ._call import Answer, AsyncNode, Call, Effect, Steps, SyncNode, nothing, operation
from ._decode import decode, json_of, one
from ._options import Duration, SessionOptions, duration, given, metadata_query, session_body
from ._paths import part
from ._transport import AsyncTransport, SyncTransport
from .models import Session, Token

__all__ = ["AsyncSessions", "Sessions"]

_PAGE = 500


def create_session(options: SessionOptions) -> Call[Session]:
    return Call("POST", "/v1/sessions", json=session_body(options), parse=one(Session))


def session_call(id: str, what: str = "", method: str = "POST") -> Call[Session]:
    """One that answers with the session. Waking a large one takes a while."""
    there = f"/v1/sessions/{part(id)}" + (f"/{what}" if what else "")
    return Call(method, there, parse=one(Session), timeout=300.0)


def delete_session(id: str) -> Call[None]:
    return Call("DELETE", f"/v1/sessions/{part(id)}", parse=nothing)


def fork_session(id: str, count: int, name: str | None) -> Call[list[Session]]:
    def copies(answer: Answer) -> list[Session]:
        return [decode(Session, item) for item in json_of(answer)["sessions"]]

    there = f"/v1/sessions/{part(id)}/fork"
    body = given(count=count, name=name)
    return Call("POST", there, json=body, parse=copies, timeout=300.0)


def update_session(
    id: str,
    name: str | None,
    metadata: Mapping[str, str] | None,
    idle_to_warm: Duration | None,
    idle_to_cold: Duration | None,
    lifetime: Duration | None,
) -> Call[Session]:
    body = given(
        name=name,
        metadata=None if metadata is None else dict(metadata),
        idle_to_warm=duration(idle_to_warm),
        idle_to_cold=duration(idle_to_cold),
        lifetime=duration(lifetime),
    )
    return Call("PATCH", f"/v1/sessions/{part(id)}", json=body, parse=one(Session))


def session_token(id: str, scopes: Sequence[str], seconds: int) -> Call[Token]:
    there = f"/v1/sessions/{part(id)}/tokens"
    return Call(
        "POST", there, json={"scopes": list(scopes), "seconds": seconds}, parse=one(Token)
    )


class SessionOperations:
    """`id` is a session's id or its name."""

    @operation
    def create(self, options: SessionOptions | None = None) -> Effect[Session]:
        """Makes a session. `client.sandbox()` does the same and gives a handle."""
        return create_session(options if options is not None else {})

    @operation
    def list(
        self,
        *,
        state: Sequence[str] | None = None,
        metadata: Mapping[str, str] | None = None,
        limit: int | None = None,
    ) -> Steps[builtins.list[Session]]:
        """Your sessions, the newest first; of these states, with this metadata."""
        found: builtins.list[Session] = []
        cursor: str | None = None
        while True:
            query: dict[str, Any] = {
                "state": None if state is None else [*state],
                "metadata": metadata_query(metadata),
                "limit": _PAGE if limit is None else min(limit, _PAGE),
                "cursor": cursor,
            }
            page = yield from Call("GET", "/v1/sessions", query=query, parse=json_of)
            found += [decode(Session, item) for item in page["sessions"]]
            cursor = page.get("next_cursor")
            if not cursor or (limit is not None and len(found) >= limit):
                return found[:limit]

    @operation
    def get(self, id: str) -> Effect[Session]:
        """One session."""
        return session_call(id, method="GET")

    @operation
    def pause(self, id: str) -> Effect[Session]:
        """Freezes it in memory; the next use wakes it."""
        return session_call(id, "pause")

    @operation
    def resume(self, id: str) -> Effect[Session]:
        """Wakes it."""
        return session_call(id, "resume")

    @operation
    def evict(self, id: str) -> Effect[Session]:
        """Moves it to disk, with its files and variables."""
        return session_call(id, "evict")

    @operation
    def restart(self, id: str) -> Effect[Session]:
        """A fresh sandbox with the same files; variables are gone."""
        return session_call(id, "restart")

    @operation
    def fork(
        self, id: str, *, count: int = 1, name: str | None = None
    ) -> Effect[builtins.list[Session]]:
        """Copies its files and Python variables into new sessions."""
        return fork_session(id, count, name)

    @operation
    def update(
        self,
        id: str,
        *,
        name: str | None = None,
        metadata: Mapping[str, str] | None = None,
        idle_to_warm: Duration | None = None,
        idle_to_cold: Duration | None = None,
        lifetime: Duration | None = None,
    ) -> Effect[Session]:
        """Changes what is named; `metadata` replaces all of it."""
        return update_session(id, name, metadata, idle_to_warm, idle_to_cold, lifetime)

    @operation
    def delete(self, id: str) -> Effect[None]:
        """Ends it and removes its files."""
        return delete_session(id)


class Sessions(SessionOperations, SyncNode):
    """Sessions of a server: `client.sessions`."""

    def __init__(self, transport: SyncTransport) -> None:
        self._transport = transport


class AsyncSessions(SessionOperations, AsyncNode):
    """Sessions of a server: `client.sessions`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
