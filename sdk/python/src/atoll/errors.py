"""What can go wrong, as exceptions. The server's error codes (problem+json) decide the class."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .results import RunError, RunResult


class AtollError(Exception):
    """The base of all exceptions of this package."""


class ConnectionFailed(AtollError):
    """No answer: the server cannot be reached, or the connection broke."""


class LocalServerError(AtollError):
    """A local server could not be started."""


class StreamEnded(AtollError):
    """A stream of events broke off before its last event."""


class CodeError(AtollError):
    """Code in a sandbox failed; raised only by `raise_for_error()`."""

    def __init__(self, result: RunResult) -> None:
        self.result = result
        self.error: RunError | None = result.error
        if result.error is not None:
            sentence = f"{result.error.name}: {result.error.value}"
        else:
            sentence = result.message or f"the code ended with status {result.exit_code}"
        super().__init__(sentence)


class CommandError(AtollError):
    """A command in a sandbox failed; raised only by `raise_for_error()`."""


class ToolFailed(AtollError):
    """A tool that the server does not offer was called."""


@dataclass(frozen=True)
class Issue:
    """One thing that is wrong with a request."""

    path: str
    message: str


class ApiError(AtollError):
    """The server refused a request. `code` says what a program can do about it."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str = "",
        request_id: str = "",
        issues: tuple[Issue, ...] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.request_id = request_id
        self.issues = issues
        self.retry_after = retry_after


class InvalidRequest(ApiError):
    """`invalid_argument`: something in the request is wrong; `issues` names each finding."""


class Unauthenticated(ApiError):
    """`unauthenticated`: there is no valid key; see ATOLL_API_KEY."""


class Forbidden(ApiError):
    """`forbidden`: the key lacks a scope."""


class NotFound(ApiError):
    """`not_found`: there is no such session, file, process, context or job."""


class Conflict(ApiError):
    """`conflict`: the name is taken, or the state does not allow it."""


class TooLarge(ApiError):
    """`too_large`: more than a limit allows."""


class QuotaExceeded(ApiError):
    """`exhausted`: a quota or the machine has no more to give."""


class DiskFull(ApiError):
    """`disk_full`: the session's disk quota or the server's disk is used up."""


class RateLimited(ApiError):
    """`rate_limited`: too many requests; `retry_after` says how many seconds to wait."""


class Unsupported(ApiError):
    """`unsupported`: this server does not offer it."""


class Unavailable(ApiError):
    """`unavailable`: not now; the server stops, or the sandbox has ended."""


class TimedOut(ApiError):
    """`timeout`: the server gave up waiting."""


class ServerError(ApiError):
    """`internal`: a fault of the server; `request_id` finds it in its log."""


_BY_CODE: dict[str, type[ApiError]] = {
    "invalid_argument": InvalidRequest,
    "unauthenticated": Unauthenticated,
    "forbidden": Forbidden,
    "not_found": NotFound,
    "conflict": Conflict,
    "too_large": TooLarge,
    "exhausted": QuotaExceeded,
    "disk_full": DiskFull,
    "rate_limited": RateLimited,
    "unsupported": Unsupported,
    "unavailable": Unavailable,
    "timeout": TimedOut,
    "internal": ServerError,
}

# For answers without a code, such as those of a proxy in between.
_BY_STATUS: dict[int, type[ApiError]] = {
    400: InvalidRequest,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: TooLarge,
    429: RateLimited,
    501: Unsupported,
    502: Unavailable,
    503: Unavailable,
    504: TimedOut,
    507: DiskFull,
}


def error_of(status: int, body: bytes, retry_after: float | None = None) -> ApiError:
    """The exception for an answer of 400 or above."""
    try:
        problem = json.loads(body)
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        text = body.decode(errors="replace").strip()[:500]
        kind = _BY_STATUS.get(status, ServerError if status >= 500 else ApiError)
        return kind(text or f"status {status}", status=status, retry_after=retry_after)
    code = str(problem.get("code", ""))
    found = problem.get("errors")
    issues = tuple(
        Issue(str(one.get("path", "")), str(one.get("message", "")))
        for one in (found if isinstance(found, list) else [])
        if isinstance(one, dict)
    )
    sentence = str(problem.get("detail") or problem.get("title") or f"status {status}")
    if status == 401:
        sentence += "; set ATOLL_API_KEY to a key of this server (`atoll key create` makes one)"
    missing = [f"{i.path}: {i.message}" for i in issues if i.message not in sentence]
    kind = _BY_CODE.get(code) or _BY_STATUS.get(status) or ApiError
    return kind(
        "; ".join([sentence, *missing]),
        status=status,
        code=code,
        request_id=str(problem.get("request_id", "")),
        issues=issues,
        retry_after=retry_after,
    )
