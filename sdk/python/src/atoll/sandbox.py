"""A session with a handle: `Sandbox` waits, `AsyncSandbox` is awaited."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Generic, TypeVar

from ._call import Call, Effect, EventCall, Steps, operation, stream
from ._decode import many
from ._nodes import AsyncPart, SessionPart, SyncPart
from ._options import Duration
from ._running import run_body, run_effect, run_events
from .client import AsyncClient, Client
from .contexts import AsyncContexts, AsyncPorts, Contexts, Ports
from .errors import AtollError, Conflict, NotFound
from .events import RunEvent
from .files import AsyncFiles, Files
from .models import FileInfo, Session, Token
from .processes import AsyncProcesses, Processes, run_command
from .results import CommandResult, Display, RunError, RunResult
from .sessions import (
    create_session,
    delete_session,
    fork_session,
    session_call,
    session_token,
    update_session,
)

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._options import SessionOptions

__all__ = ["AsyncSandbox", "Sandbox"]

S = TypeVar("S")


class SandboxOperations(SessionPart, Generic[S]):
    """What both kinds of sandboxes do."""

    _handle: Callable[[str], S]

    @property
    def id(self) -> str:
        return self.session_id

    @operation
    def run(
        self,
        code: str,
        *,
        language: str | None = None,
        context: str | None = None,
        timeout: Duration | None = None,
        environment: Mapping[str, str] | None = None,
        keep_running: bool | None = None,
        on_stdout: Callable[[str], object] | None = None,
        on_stderr: Callable[[str], object] | None = None,
        on_result: Callable[[Display], object] | None = None,
        on_error: Callable[[RunError], object] | None = None,
    ) -> Effect[RunResult]:
        """Runs python (the default), javascript, typescript or shell. Variables stay for the next
        run of the same context. With `on_…`, hears the run while it goes on."""
        body = run_body(
            code, language, timeout, environment, context=context, keep_running=keep_running
        )
        path = self._at("run")
        return run_effect(path, body, timeout, on_stdout, on_stderr, on_result, on_error)

    @stream
    def stream(
        self,
        code: str,
        *,
        language: str | None = None,
        context: str | None = None,
        timeout: Duration | None = None,
        environment: Mapping[str, str] | None = None,
        keep_running: bool | None = None,
    ) -> EventCall[RunEvent]:
        """The same as events; the last one is `Ended`. Leaving early stops the code."""
        body = run_body(
            code, language, timeout, environment, context=context, keep_running=keep_running
        )
        return run_events(self._at("run"), body)[0]

    @operation
    def shell(
        self,
        command: str | Sequence[str],
        *,
        cwd: str | None = None,
        environment: Mapping[str, str] | None = None,
        input: str | None = None,
        timeout: Duration | None = None,
    ) -> Effect[CommandResult]:
        """Runs a line of bash, or a program and its arguments, and waits for its end."""
        return run_command(self, command, cwd, environment, input, timeout)

    @operation
    def artifacts(self) -> Effect[builtins.list[FileInfo]]:
        """Files in /session/artifacts and /data/outputs: what code left for its caller."""
        return Call("GET", self._at("artifacts"), parse=many(FileInfo, "artifacts"))

    @operation
    def info(self) -> Effect[Session]:
        """State, limits and usage."""
        return session_call(self.session_id, method="GET")

    @operation
    def pause(self) -> Effect[Session]:
        """Freezes it in memory; the next use wakes it."""
        return session_call(self.session_id, "pause")

    @operation
    def resume(self) -> Effect[Session]:
        """Wakes it."""
        return session_call(self.session_id, "resume")

    @operation
    def evict(self) -> Effect[Session]:
        """Moves it to disk, with its files and variables."""
        return session_call(self.session_id, "evict")

    @operation
    def restart(self) -> Effect[Session]:
        """A fresh sandbox with the same files; variables are gone."""
        return session_call(self.session_id, "restart")

    @operation
    def fork(self, *, count: int = 1, name: str | None = None) -> Steps[builtins.list[S]]:
        """Copies with the same files and Python variables. They stay until they are deleted."""
        copies = yield from fork_session(self.session_id, count, name)
        return [self._handle(copy.id) for copy in copies]

    @operation
    def update(
        self,
        *,
        name: str | None = None,
        metadata: Mapping[str, str] | None = None,
        idle_to_warm: Duration | None = None,
        idle_to_cold: Duration | None = None,
        lifetime: Duration | None = None,
    ) -> Effect[Session]:
        """Changes what is named; `metadata` replaces all of it."""
        return update_session(
            self.session_id, name, metadata, idle_to_warm, idle_to_cold, lifetime
        )

    @operation
    def delete(self) -> Effect[None]:
        """Ends it and removes its files."""
        return delete_session(self.session_id)

    @operation
    def token(self, scopes: Sequence[str], *, seconds: int = 300) -> Effect[Token]:
        """A short-lived token for this session, for browsers: terminal, ports, files."""
        return session_token(self.session_id, scopes, seconds)


class Sandbox(SandboxOperations["Sandbox"], SyncPart):
    """A sandbox: `with Sandbox() as sb: sb.run("…")`.

    Made at once, and deleted at the end of the `with` unless `keep` is set. The server is that of
    `client`, or `url` and `api_key`, or ATOLL_URL and ATOLL_API_KEY; with `local=True` one on this
    machine, which is started if none runs. Options: name, template, datasets, limits, environment,
    metadata, network, runtime, idle_to_warm, idle_to_cold, lifetime.
    """

    files: Files
    processes: Processes
    contexts: Contexts
    ports: Ports

    def __init__(
        self,
        *,
        client: Client | None = None,
        url: str | None = None,
        api_key: str | None = None,
        local: bool = False,
        keep: bool = False,
        **options: Unpack[SessionOptions],
    ) -> None:
        own = client is None
        client = Client(url, api_key, local=local) if client is None else client
        try:
            session = client._transport.drive(create_session(options))
        except BaseException:
            if own:
                client.close()
            raise
        self._attach(client, session.id, own, not keep)

    @classmethod
    def connect(
        cls,
        id: str,
        *,
        client: Client | None = None,
        url: str | None = None,
        api_key: str | None = None,
        local: bool = False,
    ) -> Self:
        """A session that is there, by its id or name. It is not deleted at the end of a `with`."""
        own = client is None
        client = Client(url, api_key, local=local) if client is None else client
        try:
            session = client.sessions.get(id)
        except BaseException:
            if own:
                client.close()
            raise
        return cls._of(client, session.id, own, False)

    @classmethod
    def open(
        cls,
        name: str,
        /,
        *,
        client: Client | None = None,
        url: str | None = None,
        api_key: str | None = None,
        local: bool = False,
        **options: Unpack[SessionOptions],
    ) -> Self:
        """The session of this name, made with these options if there is none. It is kept."""
        try:
            return cls.connect(name, client=client, url=url, api_key=api_key, local=local)
        except NotFound:
            pass
        options["name"] = name
        try:
            return cls(
                client=client, url=url, api_key=api_key, local=local, keep=True, **options
            )
        except Conflict:  # somebody else just made it
            return cls.connect(name, client=client, url=url, api_key=api_key, local=local)

    @classmethod
    def _of(cls, client: Client, id: str, own_client: bool, delete: bool) -> Self:
        made = cls.__new__(cls)
        made._attach(client, id, own_client, delete)
        return made

    def _attach(self, client: Client, id: str, own_client: bool, delete: bool) -> None:
        super().__init__(client._transport, id)
        self.client, self._own_client, self._delete = client, own_client, delete
        self.files = Files(self._transport, id)
        self.processes = Processes(self._transport, id)
        self.contexts = Contexts(self._transport, id)
        self.ports = Ports(self._transport, id)

    def _handle(self, id: str) -> Sandbox:
        return Sandbox._of(self.client, id, False, True)

    def close(self) -> None:
        """What the end of a `with` does: deletes the session, unless it is kept."""
        try:
            if self._delete:
                with suppress(NotFound):
                    self.delete()
                self._delete = False
        finally:
            if self._own_client:
                self.client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Sandbox({self.session_id!r})"


class AsyncSandbox(SandboxOperations["AsyncSandbox"], AsyncPart):
    """The same for async code: `async with AsyncSandbox() as sb`, or `await AsyncSandbox.create()`.

    It is made when the `async with` begins, not by the constructor.
    """

    files: AsyncFiles
    processes: AsyncProcesses
    contexts: AsyncContexts
    ports: AsyncPorts

    def __init__(
        self,
        *,
        client: AsyncClient | None = None,
        url: str | None = None,
        api_key: str | None = None,
        local: bool = False,
        keep: bool = False,
        **options: Unpack[SessionOptions],
    ) -> None:
        own = client is None
        client = AsyncClient(url, api_key, local=local) if client is None else client
        self._options = options
        self._attach(client, "", own, not keep)

    @classmethod
    async def create(
        cls,
        *,
        client: AsyncClient | None = None,
        url: str | None = None,
        api_key: str | None = None,
        local: bool = False,
        keep: bool = False,
        **options: Unpack[SessionOptions],
    ) -> Self:
        """Makes one outside of an `async with`; `close()` deletes it."""
        made = cls(
            client=client, url=url, api_key=api_key, local=local, keep=keep, **options
        )
        return await made.__aenter__()

    @classmethod
    async def connect(
        cls,
        id: str,
        *,
        client: AsyncClient | None = None,
        url: str | None = None,
        api_key: str | None = None,
        local: bool = False,
    ) -> Self:
        """A session that is there, by its id or name. It is not deleted at the end."""
        own = client is None
        client = AsyncClient(url, api_key, local=local) if client is None else client
        try:
            session = await client.sessions.get(id)
        except BaseException:
            if own:
                await client.close()
            raise
        return cls._of(client, session.id, own, False)

    @classmethod
    async def open(
        cls,
        name: str,
        /,
        *,
        client: AsyncClient | None = None,
        url: str | None = None,
        api_key: str | None = None,
        local: bool = False,
        **options: Unpack[SessionOptions],
    ) -> Self:
        """The session of this name, made with these options if there is none. It is kept."""
        try:
            return await cls.connect(name, client=client, url=url, api_key=api_key, local=local)
        except NotFound:
            pass
        options["name"] = name
        try:
            return await cls.create(
                client=client, url=url, api_key=api_key, local=local, keep=True, **options
            )
        except Conflict:  # somebody else just made it
            return await cls.connect(name, client=client, url=url, api_key=api_key, local=local)

    @classmethod
    def _of(cls, client: AsyncClient, id: str, own_client: bool, delete: bool) -> Self:
        made = cls.__new__(cls)
        made._options = {}
        made._attach(client, id, own_client, delete)
        return made

    def _attach(self, client: AsyncClient, id: str, own_client: bool, delete: bool) -> None:
        super().__init__(client._transport, id)
        self.client, self._own_client, self._delete = client, own_client, delete
        self.files = AsyncFiles(self._transport, id)
        self.processes = AsyncProcesses(self._transport, id)
        self.contexts = AsyncContexts(self._transport, id)
        self.ports = AsyncPorts(self._transport, id)

    def _handle(self, id: str) -> AsyncSandbox:
        return AsyncSandbox._of(self.client, id, False, True)

    def _at(self, *rest: str) -> str:
        if not self.session_id:
            raise AtollError("not made yet: use `async with AsyncSandbox()`, or create()")
        return super()._at(*rest)

    async def close(self) -> None:
        """What the end of an `async with` does: deletes the session, unless it is kept."""
        try:
            if self._delete and self.session_id:
                with suppress(NotFound):
                    await self.delete()
                self._delete = False
        finally:
            if self._own_client:
                await self.client.close()

    async def __aenter__(self) -> Self:
        if not self.session_id:
            try:
                session = await self._transport.drive(create_session(self._options))
            except BaseException:
                if self._own_client:
                    await self.client.close()
                raise
            self._attach(self.client, session.id, self._own_client, self._delete)
        return self

    async def __aexit__(self, *unused: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncSandbox({self.session_id!r})"
