"""Paths of a sandbox. Names on Linux are bytes; in Python they are str with surrogate escapes, and
on the wire they are percent-encoded, which is exact whatever bytes they have."""

from __future__ import annotations

from urllib.parse import quote, unquote

HOME = "/session"


def absolute(path: str) -> str:
    """An absolute path; a relative one is below /session. `.` and double slashes go; `..` is
    refused."""
    whole = path if path.startswith("/") else f"{HOME}/{path}"
    parts = [part for part in whole.split("/") if part not in ("", ".")]
    if ".." in parts:
        no_dots(parts, path)
    return "/" + "/".join(parts)


def no_dots(parts: list[str], text: str) -> list[str]:
    """HTTP clients resolve dots in addresses: a path that a model wrote could lead out of `files/`
    to any other address of the server, with this caller's key."""
    if any(unquote(one) in (".", "..") for one in parts):
        raise ValueError(f"{text!r} has dots as a part of it")
    return parts


def encoded(path: str) -> str:
    """As in an address, and in JSON: without the first slash, in percent."""
    return quote(absolute(path).removeprefix("/"), safe="/", errors="surrogateescape")


def decoded(text: str) -> str:
    """From a listing: an absolute path."""
    return "/" + unquote(text, errors="surrogateescape")


def part(text: str) -> str:
    """One part of an address: an id or a name."""
    no_dots([text], text)
    return quote(text, safe="")
