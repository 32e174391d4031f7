"""Paths of a sandbox. Names on Linux are bytes; in Python they are str with surrogate escapes, and
on the wire they are percent-encoded, which is exact whatever bytes they have."""

from __future__ import annotations

import posixpath
from urllib.parse import quote, unquote

HOME = "/session"


def absolute(path: str) -> str:
    """An absolute path; a relative one is below /session. `.` and double slashes go."""
    whole = path if path.startswith("/") else f"{HOME}/{path}"
    parts = [part for part in whole.split("/") if part not in ("", ".")]
    return "/" + "/".join(parts)


def encoded(path: str) -> str:
    """As in an address, and in JSON: without the first slash, in percent."""
    return quote(absolute(path).removeprefix("/"), safe="/", errors="surrogateescape")


def decoded(text: str) -> str:
    """From a listing: an absolute path."""
    return "/" + unquote(text, errors="surrogateescape")


def part(text: str) -> str:
    """One part of an address: an id or a name."""
    return quote(text, safe="")


def join(folder: str, name: str) -> str:
    return posixpath.join(folder, name)
