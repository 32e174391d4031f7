"""A server: runs without a session, sessions, jobs, tools."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx

from ._call import AsyncNode, Call, Effect, EventCall, SyncNode, operation, stream, whole
from ._config import resolve
from ._decode import many, one
from ._options import Duration, LimitOptions
from ._paths import no_dots, part
from ._retry import Retry
from ._running import ephemeral_body, run_effect, run_events
from ._transport import AsyncTransport, SyncTransport
from .events import RunEvent
from .jobs import AsyncJobs, Jobs
from .models import Info, Template, ToolInfo, ToolResult
from .results import Display, RunError, RunResult
from .sessions import AsyncSessions, Sessions

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._options import SessionOptions
    from .sandbox import AsyncSandbox, Sandbox

__all__ = ["AsyncClient", "Client"]


class ClientOperations:
    """What both clients do."""

    @operation
    def run(
        self,
        code: str,
        *,
        language: str | None = None,
        session: str | None = None,
        timeout: Duration | None = None,
        environment: Mapping[str, str] | None = None,
        template: str | None = None,
        datasets: Sequence[str] | None = None,
        limits: LimitOptions | None = None,
        on_stdout: Callable[[str], object] | None = None,
        on_stderr: Callable[[str], object] | None = None,
        on_result: Callable[[Display], object] | None = None,
        on_error: Callable[[RunError], object] | None = None,
    ) -> Effect[RunResult]:
        """Runs code in a sandbox that is gone afterwards; or in a session: its id, or a name of
        yours, which makes one at its first use."""
        body = ephemeral_body(
            code, language, timeout, environment, session, template, datasets, limits
        )
        return run_effect("/v1/run", body, timeout, on_stdout, on_stderr, on_result, on_error)

    @stream
    def stream(
        self,
        code: str,
        *,
        language: str | None = None,
        session: str | None = None,
        timeout: Duration | None = None,
        environment: Mapping[str, str] | None = None,
        template: str | None = None,
        datasets: Sequence[str] | None = None,
        limits: LimitOptions | None = None,
    ) -> EventCall[RunEvent]:
        """The same as events; the last one is `Ended`. Leaving early stops the code."""
        body = ephemeral_body(
            code, language, timeout, environment, session, template, datasets, limits
        )
        return run_events("/v1/run", body)[0]

    @operation
    def output(self, run_id: str, path: str) -> Effect[bytes]:
        """A file that a run without a session left in /work/artifacts. It stays for a day."""
        there = path.removeprefix("/work/artifacts").lstrip("/")
        no_dots(there.split("/"), path)
        encoded = quote(there, safe="/", errors="surrogateescape")
        return Call("GET", f"/v1/outputs/{part(run_id)}/{encoded}", parse=whole)

    @operation
    def fetch(self, href: str) -> Effect[bytes]:
        """What is at an `href` of an answer, such as an image of a run."""
        if not href.startswith("/") or href.startswith("//"):
            # The key is for this server only.
            raise ValueError(f"{href!r} is no path on this server")
        return Call("GET", href, parse=whole)

    @operation
    def tools(self) -> Effect[builtins.list[ToolInfo]]:
        """What an agent can do on this server, with JSON schemas."""
        return Call("GET", "/v1/tools", parse=many(ToolInfo, "tools"))

    @operation
    def call_tool(self, name: str, arguments: Mapping[str, Any]) -> Effect[ToolResult]:
        """Calls a tool, as a model asked for it. `session_id` in the arguments names the session:
        its id, or a name of yours, which makes one at its first use."""
        return Call(
            "POST",
            f"/v1/tools/{part(name)}",
            json=dict(arguments),
            parse=one(ToolResult),
            timeout=None,
        )

    @operation
    def info(self) -> Effect[Info]:
        """Version, walls, networks, data sets."""
        return Call("GET", "/v1/info", parse=one(Info))

    @operation
    def templates(self) -> Effect[builtins.list[Template]]:
        """What sessions can start from."""
        return Call("GET", "/v1/templates", parse=many(Template, "templates"))


class Client(ClientOperations, SyncNode):
    """A server. `url` and `api_key` default to ATOLL_URL (or SANDBOX_API_URL) and ATOLL_API_KEY;
    `local=True` is a server on this machine, started if none runs. Threads may share one."""

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        local: bool = False,
        retry: Retry | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        config = resolve(_local(url) if local else url, api_key)
        self._transport = SyncTransport(config, retry or Retry(), transport)
        self.sessions = Sessions(self._transport)
        self.jobs = Jobs(self._transport)

    @property
    def url(self) -> str:
        return self._transport.config.url

    def sandbox(self, *, keep: bool = False, **options: Unpack[SessionOptions]) -> Sandbox:
        """A new sandbox on this server."""
        from .sandbox import Sandbox

        return Sandbox(client=self, keep=keep, **options)

    def connect(self, id: str) -> Sandbox:
        """A session that is there, by its id or name."""
        from .sandbox import Sandbox

        return Sandbox.connect(id, client=self)

    def close(self) -> None:
        """Closes connections. Sessions stay."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self.url!r})"


class AsyncClient(ClientOperations, AsyncNode):
    """The same for async code. `local=True` blocks while a server is started."""

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        local: bool = False,
        retry: Retry | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        config = resolve(_local(url) if local else url, api_key)
        self._transport = AsyncTransport(config, retry or Retry(), transport)
        self.sessions = AsyncSessions(self._transport)
        self.jobs = AsyncJobs(self._transport)

    @property
    def url(self) -> str:
        return self._transport.config.url

    async def sandbox(
        self, *, keep: bool = False, **options: Unpack[SessionOptions]
    ) -> AsyncSandbox:
        """A new sandbox on this server."""
        from .sandbox import AsyncSandbox

        return await AsyncSandbox.create(client=self, keep=keep, **options)

    async def connect(self, id: str) -> AsyncSandbox:
        """A session that is there, by its id or name."""
        from .sandbox import AsyncSandbox

        return await AsyncSandbox.connect(id, client=self)

    async def close(self) -> None:
        """Closes connections. Sessions stay."""
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *unused: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncClient({self.url!r})"


def _local(url: str | None) -> str:
    if url is not None:
        raise ValueError("local=True and url exclude each other")
    from ._local import local_url

    return local_url()
