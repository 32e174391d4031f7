"""What parts of one session have in common: a transport, and the session's address."""

from __future__ import annotations

from ._call import AsyncNode, SyncNode
from ._paths import part
from ._transport import AsyncTransport, SyncTransport


class SessionPart:
    """Something whose operations are about one session."""

    session_id: str

    def _at(self, *rest: str) -> str:
        return "/".join([f"/v1/sessions/{part(self.session_id)}", *rest])


class SyncPart(SyncNode):
    def __init__(self, transport: SyncTransport, session_id: str) -> None:
        self._transport, self.session_id = transport, session_id


class AsyncPart(AsyncNode):
    def __init__(self, transport: AsyncTransport, session_id: str) -> None:
        self._transport, self.session_id = transport, session_id
