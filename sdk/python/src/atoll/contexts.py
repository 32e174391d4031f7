"""Contexts of a session (kernels, each with variables of its own) and its ports."""

from __future__ import annotations

import json
import time
import builtins
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urljoin

from ._call import Answer, Call, Effect, Pause, Steps, nothing, operation
from ._decode import decode, json_of, many, one
from ._nodes import AsyncPart, SessionPart, SyncPart
from ._options import Duration, duration, given
from ._paths import no_dots, part
from .errors import AtollError
from .models import ContextInfo, Port, Variable

__all__ = ["AsyncContexts", "AsyncPorts", "Contexts", "PortAnswer", "Ports"]

_PAGE = 500


class ContextOperations(SessionPart):
    """A run makes the context that it names; these are for looking at them and ending them."""

    @operation
    def create(
        self, name: str, *, language: str = "python", cwd: str | None = None
    ) -> Effect[ContextInfo]:
        """Makes a context: python or javascript."""
        body = given(name=name, language=language, cwd=cwd)
        return Call("POST", self._at("contexts"), json=body, parse=one(ContextInfo))

    @operation
    def list(self) -> Effect[builtins.list[ContextInfo]]:
        """All of them."""
        return Call("GET", self._at("contexts"), parse=many(ContextInfo, "contexts"))

    @operation
    def get(self, name: str = "default") -> Effect[ContextInfo]:
        """One of them."""
        return Call("GET", self._at("contexts", part(name)), parse=one(ContextInfo))

    @operation
    def delete(self, name: str) -> Effect[None]:
        """Ends a context; its variables are gone."""
        return Call("DELETE", self._at("contexts", part(name)), parse=nothing)

    @operation
    def interrupt(self, name: str = "default", *, grace: Duration | None = None) -> Effect[bool]:
        """As Ctrl-C would. Whether something ran; its own answer says how it ended."""
        return Call(
            "POST",
            self._at("contexts", part(name), "interrupt"),
            json=given(grace=duration(grace)),
            parse=lambda answer: bool(json_of(answer)["was_running"]),
        )

    @operation
    def restart(self, name: str = "default") -> Effect[ContextInfo]:
        """A fresh kernel in its place."""
        return Call("POST", self._at("contexts", part(name), "restart"), parse=one(ContextInfo))

    @operation
    def variables(self, name: str = "default") -> Steps[builtins.list[Variable]]:
        """The variables of a context, with a preview of each."""
        found: list[Variable] = []
        offset: int | None = 0
        while offset is not None:
            page = yield from Call(
                "GET",
                self._at("contexts", part(name), "variables"),
                query={"offset": offset, "limit": _PAGE},
                parse=json_of,
            )
            found += [decode(Variable, item) for item in page["variables"]]
            offset = page.get("next_offset")
        return found


class Contexts(ContextOperations, SyncPart):
    """Contexts of a session: `sandbox.contexts`."""


class AsyncContexts(ContextOperations, AsyncPart):
    """Contexts of a session: `sandbox.contexts`."""


@dataclass(frozen=True)
class PortAnswer:
    """What a web server in the sandbox answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    def json(self) -> Any:
        return json.loads(self.body)


class PortOperations(SessionPart):
    """Web servers in the sandbox."""

    @operation
    def list(self) -> Effect[builtins.list[Port]]:
        """What listens in the sandbox; `href` opens it in a browser."""
        return self._list()

    @operation
    def wait_for(self, port: int, *, timeout: float = 30.0) -> Steps[Port]:
        """Waits until something listens there."""
        until = time.monotonic() + timeout
        while True:
            for found in (yield from self._list()):
                if found.port == port:
                    return found
            if time.monotonic() >= until:
                raise AtollError(f"nothing listens on port {port} after {timeout:g} s")
            yield from Pause(0.1)

    @operation
    def request(
        self,
        port: int,
        path: str = "/",
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Effect[PortAnswer]:
        """Asks a web server in the sandbox. `path` may hold a query. The program's own answer
        comes back whatever its status."""
        address, _, query = path.partition("?")
        no_dots(address.split("/"), path)
        there = quote(address.lstrip("/"), safe="/%:@!$&'()*+,;=~")
        return Call(
            method.upper(),
            self._at("ports", str(port), there) + (f"?{query}" if query else ""),
            headers=dict(headers or {}),
            body=body,
            parse=lambda answer: PortAnswer(answer.status, answer.headers, answer.body),
            foreign=True,
        )

    def _list(self) -> Call[builtins.list[Port]]:
        def ports(answer: Answer) -> list[Port]:
            listed = many(Port, "ports")(answer)
            return [Port(one.port, urljoin(answer.url, one.href)) for one in listed]

        return Call("GET", self._at("ports"), parse=ports)


class Ports(PortOperations, SyncPart):
    """Ports of a session: `sandbox.ports`."""


class AsyncPorts(PortOperations, AsyncPart):
    """Ports of a session: `sandbox.ports`."""
