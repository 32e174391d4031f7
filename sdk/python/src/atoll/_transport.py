"""The two transports: they wait, everything else is shared. Both perform the effects of
`_call.py` with httpx, retry by `_retry.py` and raise the exceptions of `errors.py`.
"""

from __future__ import annotations

import os
import socket
import time
import urllib.request
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

import anyio
import anyio.to_thread
import httpx

from ._call import Answer, Call, Consume, Doable, Effect, LocalFile, Pause, Work
from ._config import Config
from ._retry import Retry, retry_after_of, worth_repeating
from .errors import AtollError, ConnectionFailed, error_of

T = TypeVar("T")

CHUNK_BYTES = 256 << 10
_PROBLEM_BYTES_MAX = 1 << 20  # of a refusal, more than any that the server writes
_CONNECT_S = 10.0

try:
    VERSION = version("atoll-sandbox")
except PackageNotFoundError:  # used from a source tree
    VERSION = "0"


class _Sent:
    """A request about to be sent: the pure half of both transports."""

    def __init__(self, config: Config, call: Call[Any]) -> None:
        self.call = call
        self.url = config.url + call.path
        self.headers = dict(call.headers)
        self.json = call.json
        self.timeout = httpx.Timeout(call.timeout, connect=_CONNECT_S, pool=None)
        query = {k: v for k, v in call.query.items() if v is not None}
        self.query = {k: _text(v) for k, v in query.items()}
        if isinstance(call.body, LocalFile):
            self.headers.setdefault("Content-Length", str(call.body.path.stat().st_size))
        if call.body is not None:
            self.headers.setdefault("Content-Type", "application/octet-stream")

    def build(self, client: httpx.Client | httpx.AsyncClient, content: Any) -> httpx.Request:
        return client.build_request(
            self.call.method,
            self.url,
            params=self.query or None,
            json=self.json,
            content=content,
            headers=self.headers,
            timeout=self.timeout,
        )

    def answer(self, response: httpx.Response, body: bytes) -> Answer:
        return Answer(response.status_code, response.headers, body, str(response.url))

    def refused(self, response: httpx.Response) -> bool:
        return response.status_code >= 300 and not self.call.foreign

    def refusal(self, response: httpx.Response, body: bytes) -> AtollError:
        if response.status_code < 400 and response.status_code != 304:
            sentence = f"{self.url} redirects to {response.headers.get('Location', 'elsewhere')}"
            return AtollError(sentence + "; is that an Atoll server?")
        return error_of(response.status_code, body, self.retry_after(response))

    @staticmethod
    def retry_after(response: httpx.Response) -> float | None:
        return retry_after_of(response.headers.get("Retry-After"))

    def may_repeat(self, error: httpx.TransportError) -> bool:
        """Nothing was sent, or sending it twice does no harm."""
        never_sent = isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout))
        return never_sent or self.call.repeatable

    def failure(self, error: Exception) -> ConnectionFailed:
        reason = str(error) or type(error).__name__
        sentence = f"{self.call.method} {self.url}: {reason}"
        if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)):
            sentence += "; start a server with `atoll serve`, set ATOLL_URL, or say local=True"
        return ConnectionFailed(sentence)


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return [_text(one) for one in value] if isinstance(value, (list, tuple)) else value


def _settings(config: Config) -> dict[str, Any]:
    headers = {"User-Agent": f"atoll-python/{VERSION}"}
    if config.api_key:
        headers["Authorization"] = f"Bearer {config.api_key}"
    return {"headers": headers, "follow_redirects": False}


def _socket_options() -> list[tuple[int, int, int]]:
    # Runs may be silent for hours: the system finds out whether the other side still lives.
    options = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]
    for name, value in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 6)):
        if hasattr(socket, name):
            options.append((socket.IPPROTO_TCP, getattr(socket, name), value))
    return options


def _direct(config: Config) -> bool:
    """Proxies of the environment are for other machines."""
    return config.on_this_machine or not urllib.request.getproxies()


@contextmanager
def _whole_or_not_at_all(target: Path) -> Iterator[BinaryIO]:
    """A file beside `target` that takes its place if all went well."""
    beside = target.with_name(f".{uuid.uuid4().hex}.part")
    try:
        with beside.open("xb") as file:
            yield file
        os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(CHUNK_BYTES):
            yield piece


class SyncTransport:
    """Performs effects and waits for them."""

    def __init__(
        self, config: Config, retry: Retry, transport: httpx.BaseTransport | None = None
    ) -> None:
        self.config, self.retry = config, retry
        if transport is None and _direct(config):
            transport = httpx.HTTPTransport(
                socket_options=_socket_options(), limits=httpx.Limits(max_connections=None)
            )
        self._client = httpx.Client(transport=transport, **_settings(config))

    def drive(self, steps: Doable[T]) -> T:
        generator = iter(steps)
        try:
            effect = next(generator)
            while True:
                try:
                    outcome = self.perform(effect)
                except Exception as error:
                    effect = generator.throw(error)
                else:
                    effect = generator.send(outcome)
        except StopIteration as end:
            return cast(T, end.value)
        finally:
            generator.close()  # it tidies up, also when this task is cancelled

    def perform(self, effect: Effect[Any]) -> Any:
        if isinstance(effect, Call):
            return self._request(effect)
        if isinstance(effect, Work):
            return effect.run()
        if isinstance(effect, Pause):
            return time.sleep(effect.seconds)
        if isinstance(effect, Consume):
            from .streams import Stream

            with Stream(self, effect.events) as values:
                for value in values:
                    effect.take(value)
            return effect.result()
        raise TypeError(f"not an effect: {effect!r}")

    def _request(self, call: Call[Any]) -> Any:
        with self.open(call) as (sent, response):
            if call.into is None:
                return call.parse(sent.answer(response, response.read()))
            with _whole_or_not_at_all(call.into) as file:
                for piece in response.iter_bytes(CHUNK_BYTES):
                    file.write(piece)
            return call.parse(sent.answer(response, b""))

    @contextmanager
    def open(self, call: Call[Any]) -> Iterator[tuple[_Sent, httpx.Response]]:
        """The head of an answer that is not a refusal; its body is still to be read."""
        sent, attempt = _Sent(self.config, call), 0
        while True:
            pause: float | None
            body = call.body
            content = _pieces(body.path) if isinstance(body, LocalFile) else body
            try:
                response = self._client.send(sent.build(self._client, content), stream=True)
            except httpx.TransportError as error:
                pause = self.retry.pause(attempt, None) if sent.may_repeat(error) else None
                if pause is None:
                    raise sent.failure(error) from error
            else:
                try:
                    if not sent.refused(response):
                        try:
                            yield sent, response
                        except httpx.TransportError as error:
                            raise sent.failure(error) from error
                        return
                    asked = sent.retry_after(response)
                    again = worth_repeating(call.repeatable, response.status_code, asked)
                    pause = self.retry.pause(attempt, asked) if again else None
                    if pause is None:
                        raise sent.refusal(response, self._head_of_body(response))
                finally:
                    response.close()
            time.sleep(pause)
            attempt += 1

    def _head_of_body(self, response: httpx.Response) -> bytes:
        found = b""
        try:
            for piece in response.iter_bytes():
                found += piece
                if len(found) >= _PROBLEM_BYTES_MAX:
                    break
        except httpx.TransportError:
            pass  # the status says enough
        return found

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    def close(self) -> None:
        self._client.close()


class AsyncTransport:
    """Performs effects without blocking the event loop (asyncio or trio)."""

    def __init__(
        self, config: Config, retry: Retry, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self.config, self.retry = config, retry
        if transport is None and _direct(config):
            transport = httpx.AsyncHTTPTransport(
                socket_options=_socket_options(), limits=httpx.Limits(max_connections=None)
            )
        self._client = httpx.AsyncClient(transport=transport, **_settings(config))

    async def drive(self, steps: Doable[T]) -> T:
        generator = iter(steps)
        try:
            effect = next(generator)
            while True:
                try:
                    outcome = await self.perform(effect)
                except Exception as error:
                    effect = generator.throw(error)
                else:
                    effect = generator.send(outcome)
        except StopIteration as end:
            return cast(T, end.value)
        finally:
            generator.close()  # it tidies up, also when this task is cancelled

    async def perform(self, effect: Effect[Any]) -> Any:
        if isinstance(effect, Call):
            return await self._request(effect)
        if isinstance(effect, Work):
            return await anyio.to_thread.run_sync(effect.run)
        if isinstance(effect, Pause):
            return await anyio.sleep(effect.seconds)
        if isinstance(effect, Consume):
            from .streams import AsyncStream

            async with AsyncStream(self, effect.events) as values:
                async for value in values:
                    effect.take(value)
            return effect.result()
        raise TypeError(f"not an effect: {effect!r}")

    async def _request(self, call: Call[Any]) -> Any:
        async with self.open(call) as (sent, response):
            if call.into is None:
                return call.parse(sent.answer(response, await response.aread()))
            with _whole_or_not_at_all(call.into) as file:
                async for piece in response.aiter_bytes(CHUNK_BYTES):
                    await anyio.to_thread.run_sync(file.write, piece)
            return call.parse(sent.answer(response, b""))

    @asynccontextmanager
    async def open(self, call: Call[Any]) -> AsyncIterator[tuple[_Sent, httpx.Response]]:
        """The head of an answer that is not a refusal; its body is still to be read."""
        sent, attempt = _Sent(self.config, call), 0
        while True:
            pause: float | None
            body = call.body
            content = _pieces_async(body.path) if isinstance(body, LocalFile) else body
            try:
                response = await self._client.send(sent.build(self._client, content), stream=True)
            except httpx.TransportError as error:
                pause = self.retry.pause(attempt, None) if sent.may_repeat(error) else None
                if pause is None:
                    raise sent.failure(error) from error
            else:
                try:
                    if not sent.refused(response):
                        try:
                            yield sent, response
                        except httpx.TransportError as error:
                            raise sent.failure(error) from error
                        return
                    asked = sent.retry_after(response)
                    again = worth_repeating(call.repeatable, response.status_code, asked)
                    pause = self.retry.pause(attempt, asked) if again else None
                    if pause is None:
                        raise sent.refusal(response, await self._head_of_body(response))
                finally:
                    await response.aclose()
            await anyio.sleep(pause)
            attempt += 1

    async def _head_of_body(self, response: httpx.Response) -> bytes:
        found = b""
        try:
            async for piece in response.aiter_bytes():
                found += piece
                if len(found) >= _PROBLEM_BYTES_MAX:
                    break
        except httpx.TransportError:
            pass  # the status says enough
        return found

    async def wait(self, seconds: float) -> None:
        await anyio.sleep(seconds)

    async def close(self) -> None:
        await self._client.aclose()


async def _pieces_async(path: Path) -> AsyncIterator[bytes]:
    pieces = _pieces(path)
    try:
        while (piece := await anyio.to_thread.run_sync(partial(next, pieces, None))) is not None:
            yield piece
    finally:
        pieces.close()  # type: ignore[attr-defined]
