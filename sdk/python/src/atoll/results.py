"""Results of runs and commands, and how notebooks show them.

What comes out of a sandbox is not trusted, and a notebook's page may do all that its user may. So
text is escaped, images are shown as images, and HTML of the sandbox is shown in a frame without an
origin: its scripts run (plotly needs them), and reach nothing of the page around it.
"""

from __future__ import annotations

import base64
import html
from dataclasses import dataclass, field
from typing import Any

from .errors import CodeError, CommandError
from .models import LeftOut, Lost

__all__ = [
    "ChangedFile",
    "CommandResult",
    "Display",
    "ImageFile",
    "RunError",
    "RunResult",
    "RunTimings",
]

_IMAGES = ("image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml")


@dataclass(frozen=True)
class RunTimings:
    """Milliseconds: until the sandbox was there, the run itself, all of it."""

    sandbox: float
    run: float
    total: float


@dataclass(frozen=True)
class ChangedFile:
    """A file that a run changed; `change` is created, modified or removed."""

    path: str
    change: str
    type: str
    size: int


@dataclass(frozen=True)
class ImageFile:
    """An image that a run wrote; `href` is where to get it."""

    path: str
    content_type: str
    size: int
    href: str


@dataclass(frozen=True)
class RunError:
    """The exception that ended a run."""

    name: str
    value: str
    traceback: list[str] = field(default_factory=list)
    traceback_text: str = ""

    def __str__(self) -> str:
        return self.traceback_text or f"{self.name}: {self.value}"


@dataclass(frozen=True)
class Display:
    """A result or a display of a run: the same thing in several formats (MIME types).

    `event` is `result` (the value of the last expression) or `display`.
    """

    event: str
    data: dict[str, Any]
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str | None:
        return self._text("text/plain")

    @property
    def html(self) -> str | None:
        return self._text("text/html")

    @property
    def markdown(self) -> str | None:
        return self._text("text/markdown")

    @property
    def json(self) -> Any:
        return self.data.get("application/json")

    @property
    def png(self) -> bytes | None:
        return self._bytes("image/png")

    @property
    def svg(self) -> str | None:
        return self._text("image/svg+xml")

    def _text(self, kind: str) -> str | None:
        value = self.data.get(kind)
        return value if isinstance(value, str) else None

    def _bytes(self, kind: str) -> bytes | None:
        value = self._text(kind)
        return None if value is None else base64.b64decode(value)

    def __str__(self) -> str:
        return self.text or f"<{', '.join(self.data)}>"

    def _repr_html_(self) -> str:
        for kind in _IMAGES:
            value = self._text(kind)
            if value is not None:
                return _image(kind, value)
        if self.html is not None:
            return _frame(self.html)
        return _text_block(str(self))

    def _repr_mimebundle_(self, **unused: Any) -> dict[str, Any]:
        return {"text/plain": str(self), "text/html": self._repr_html_()}


@dataclass(frozen=True)
class RunResult:
    """How a run went. A run whose code failed is a result, not an exception; see
    `raise_for_error()`. `reason` is exited, signalled, timeout, memory, disk, output or killed."""

    stdout: str
    stderr: str
    results: list[Display]
    exit_code: int
    signal: int
    reason: str
    output_truncated: bool
    state_lost: bool
    execution_count: int
    timings_ms: RunTimings
    memory_peak_bytes: int
    files: list[ChangedFile]
    files_complete: bool
    images: list[ImageFile]
    artifact_map: dict[str, str]
    artifacts_left_out: list[LeftOut]
    lost: list[Lost]
    error: RunError | None = None
    message: str | None = None
    session_id: str | None = None
    run_id: str | None = None
    code: str | None = None

    @property
    def ok(self) -> bool:
        """It ended by itself, and well."""
        return self.exit_code == 0 and self.error is None and self.reason == "exited"

    @property
    def text(self) -> str | None:
        """The value of the last expression as text, or None."""
        for one in reversed(self.results):
            if one.event == "result":
                return one.text
        return None

    @property
    def figures(self) -> list[bytes]:
        """Figures that the code showed, as PNG."""
        return [png for one in self.results if (png := one.png) is not None]

    def raise_for_error(self) -> RunResult:
        """Raises CodeError if the code failed; returns itself otherwise."""
        if not self.ok:
            raise CodeError(self)
        return self

    def __str__(self) -> str:
        parts = [self.stdout]
        parts += [f"{one}\n" for one in self.results]
        parts.append(self.stderr)
        if self.error is not None and self.error.traceback_text not in self.stderr:
            parts.append(f"{self.error}\n")
        if self.message:
            parts.append(f"{self.message}\n")
        return "".join(parts)

    def _repr_html_(self) -> str:
        parts = []
        if self.stdout:
            parts.append(_text_block(self.stdout))
        parts += [one._repr_html_() for one in self.results]
        if self.stderr:
            parts.append(_text_block(self.stderr, "background:#fdeceb;color:#222;padding:.4em"))
        if self.error is not None and self.error.traceback_text not in self.stderr:
            parts.append(_text_block(str(self.error), "background:#fdeceb;color:#222;padding:.4em"))
        if self.message:
            parts.append(f"<p><em>{html.escape(self.message)}</em></p>")
        return "".join(parts)

    def _repr_mimebundle_(self, **unused: Any) -> dict[str, Any]:
        return {"text/plain": str(self), "text/html": self._repr_html_()}


@dataclass(frozen=True)
class CommandResult:
    """How a program went that was waited for."""

    id: str
    stdout: str
    stderr: str
    output_truncated: bool
    exit_code: int
    signal: int
    reason: str
    run_ms: float
    note: str | None = None

    @property
    def ok(self) -> bool:
        return self.exit_code == 0

    def raise_for_error(self) -> CommandResult:
        """Raises CommandError if the status is not 0; returns itself otherwise."""
        if not self.ok:
            said = self.note or self.stderr.strip() or self.reason
            raise CommandError(f"status {self.exit_code}: {said}")
        return self

    def __str__(self) -> str:
        return self.stdout + self.stderr

    def _repr_html_(self) -> str:
        parts = [_text_block(self.stdout)] if self.stdout else []
        if self.stderr:
            parts.append(_text_block(self.stderr, "background:#fdeceb;color:#222;padding:.4em"))
        if not self.ok:
            parts.append(f"<p><em>status {self.exit_code} ({html.escape(self.reason)})</em></p>")
        return "".join(parts)


def _text_block(text: str, style: str = "") -> str:
    return f'<pre style="margin:0;white-space:pre-wrap;{style}">{html.escape(text)}</pre>'


def _image(kind: str, value: str) -> str:
    # As an image even SVG runs no scripts.
    coded = base64.b64encode(value.encode()).decode() if kind == "image/svg+xml" else value
    coded = "".join(coded.split())
    return f'<img src="data:{kind};base64,{html.escape(coded, quote=True)}"/>'


def _frame(content: str) -> str:
    lines = min(max(content.count("<tr") + content.count("<br") + 2, 6), 24)
    return (
        '<iframe sandbox="allow-scripts" referrerpolicy="no-referrer" '
        f'style="width:100%;height:{lines * 1.7:.0f}em;border:0;resize:vertical;background:#fff" '
        f'srcdoc="{html.escape(content, quote=True)}"></iframe>'
    )


def run_result(data: Any) -> RunResult:
    """A result from the server's JSON."""
    from ._decode import decode

    return decode(RunResult, data)
