"""Files of a session."""

from __future__ import annotations

import builtins
import os
import tempfile
from pathlib import Path

from ._archives import pack, unpack
from ._call import (
    Answer,
    Call,
    Effect,
    EventCall,
    LocalFile,
    Steps,
    Work,
    nothing,
    operation,
    stream,
    whole,
)
from ._decode import decode, json_of, one
from ._nodes import AsyncPart, SessionPart, SyncPart
from ._options import given
from ._paths import absolute, encoded
from ._sse import ServerEvent
from .errors import AtollError, NotFound
from .models import Extracted, FileChange, FileInfo, FileList

__all__ = ["AsyncFiles", "Files"]

LocalPath = str | os.PathLike[str]
_PAGE = 1000


class FileOperations(SessionPart):
    """Paths are absolute, or relative to /session."""

    @operation
    def read(self, path: str) -> Effect[bytes]:
        """A file's bytes."""
        return Call("GET", self._at("files", encoded(path)), parse=_bytes_of_file)

    @operation
    def read_text(self, path: str, encoding: str = "utf-8") -> Steps[str]:
        """A file as text."""
        data = yield from Call("GET", self._at("files", encoded(path)), parse=_bytes_of_file)
        return data.decode(encoding)

    @operation
    def write(
        self, path: str, data: str | bytes, *, parents: bool = True, mode: str | None = None
    ) -> Effect[FileInfo]:
        """Stores a file, whole or not at all; folders above it are made."""
        content = data.encode() if isinstance(data, str) else data
        return self._put(path, content, parents, mode)

    @operation
    def upload(self, local: LocalPath, path: str | None = None) -> Steps[FileInfo]:
        """A file or a folder of this machine, into the session; by default into /session, under
        its own name. A folder's files are added to a folder that is there."""
        source = Path(local)
        target = source.resolve().name if path is None else path
        if not source.is_dir():
            return (yield from self._put(target, LocalFile(source), True, None))
        descriptor, name = tempfile.mkstemp(suffix=".tar")
        os.close(descriptor)
        packed = Path(name)
        try:
            yield from Work(lambda: pack(source, packed))
            yield from self._unpack(LocalFile(packed), target, 0, True)
        finally:
            packed.unlink()
        return (yield from self._stat(target))

    @operation
    def download(self, path: str, local: LocalPath | None = None) -> Steps[Path]:
        """A file or a folder of the session, to this machine; by default into the current folder,
        under its own name. A link or a name that would leave the folder is refused."""
        found = yield from self._stat(path)
        target = Path(local) if local is not None else Path(found.name)
        if not found.is_folder:
            if target.is_dir():
                target = target / found.name
            yield from Call(
                "GET", self._at("files", encoded(path)), parse=nothing, into=target, timeout=None
            )
            return target
        target.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(suffix=".tar")
        os.close(descriptor)
        packed = Path(name)
        try:
            yield from Call(
                "GET",
                self._at("files", encoded(path)),
                query={"archive": "tar"},
                parse=nothing,
                into=packed,
                timeout=None,
            )
            yield from Work(lambda: unpack(packed, target))
        finally:
            packed.unlink()
        return target

    @operation
    def list(
        self, path: str = "/session", *, limit: int | None = None
    ) -> Steps[builtins.list[FileInfo]]:
        """What is in a folder, by name; all of it, or the first `limit`."""
        found: list[FileInfo] = []
        after: str | None = None
        while True:
            page = yield from Call(
                "GET",
                self._at("files", encoded(path)),
                query={"limit": _PAGE if limit is None else min(_PAGE, limit), "after": after},
                parse=_folder_page,
            )
            found += page.entries
            after = page.next_after
            if after is None or (limit is not None and len(found) >= limit):
                return found[:limit]

    @operation
    def stat(self, path: str) -> Effect[FileInfo]:
        """About a file, a folder or a link (not what it leads to)."""
        return self._stat(path)

    @operation
    def exists(self, path: str) -> Steps[bool]:
        """Whether there is something of this name."""
        try:
            yield from self._stat(path)
        except NotFound:
            return False
        return True

    @operation
    def make_folder(self, path: str, *, parents: bool = True) -> Effect[FileInfo]:
        """Makes a folder, with those above it; one that is there is fine."""
        return Call(
            "PUT",
            self._at("folders", encoded(path)),
            query={"parents": parents},
            parse=one(FileInfo),
            safe=parents,
        )

    @operation
    def move(
        self, source: str, target: str, *, parents: bool = True, overwrite: bool = False
    ) -> Effect[FileInfo]:
        """Moves or renames a file, a folder or a link."""
        body = {
            "from": encoded(source),
            "to": encoded(target),
            "parents": parents,
            "overwrite": overwrite,
        }
        return Call("POST", self._at("move"), json=body, parse=one(FileInfo))

    @operation
    def remove(self, path: str, *, recursive: bool = False) -> Effect[None]:
        """Removes a file, or with `recursive` a folder and all that is in it."""
        return Call(
            "DELETE",
            self._at("files", encoded(path)),
            query={"recursive": recursive},
            parse=nothing,
        )

    @operation
    def unpack(
        self, local: LocalPath, into: str, *, strip: int = 0, overwrite: bool = True
    ) -> Effect[Extracted]:
        """Unpacks an archive of this machine (tar, zip or 7z) in the session."""
        return self._unpack(LocalFile(Path(local)), into, strip, overwrite)

    @operation
    def extract(
        self, archive: str, into: str, *, strip: int = 0, overwrite: bool = True
    ) -> Effect[Extracted]:
        """Unpacks an archive that is in the session."""
        body = {
            "archive": encoded(archive),
            "into": encoded(into),
            "strip": strip,
            "overwrite": overwrite,
        }
        return Call("POST", self._at("extract"), json=body, parse=one(Extracted), timeout=None)

    @stream
    def watch(self, path: str = "/session", *, recursive: bool = True) -> EventCall[FileChange]:
        """Changes in a folder, as they happen; ends when you leave."""
        call = Call(
            "GET",
            self._at("watch"),
            query={"path": absolute(path), "recursive": recursive},
            parse=nothing,
        )
        return EventCall(call, _change, lambda event: False)

    def _put(
        self, path: str, content: bytes | LocalFile, parents: bool, mode: str | None
    ) -> Call[FileInfo]:
        return Call(
            "PUT",
            self._at("files", encoded(path)),
            query=given(parents=parents, mode=mode),
            body=content,
            parse=one(FileInfo),
            safe=True,
        )

    def _stat(self, path: str) -> Call[FileInfo]:
        def first(answer: Answer) -> FileInfo:
            return decode(FileList, json_of(answer)).entries[0]

        return Call("GET", self._at("files", encoded(path)), query={"stat": True}, parse=first)

    def _unpack(
        self, archive: LocalFile, into: str, strip: int, overwrite: bool
    ) -> Call[Extracted]:
        return Call(
            "POST",
            self._at("unpack"),
            query={"into": encoded(into), "strip": strip, "overwrite": overwrite},
            body=archive,
            parse=one(Extracted),
            timeout=None,
        )


class Files(FileOperations, SyncPart):
    """Files of a session: `sandbox.files`."""


class AsyncFiles(FileOperations, AsyncPart):
    """Files of a session: `sandbox.files`."""


def _is_folder(answer: Answer) -> bool:
    return answer.headers.get("X-Atoll-Type") == "directory"


def _bytes_of_file(answer: Answer) -> bytes:
    if _is_folder(answer):
        raise AtollError("that is a folder; list() shows what is in it, download() gets it")
    return whole(answer)


def _folder_page(answer: Answer) -> FileList:
    if not _is_folder(answer):
        raise AtollError("that is a file, not a folder; read() gets it")
    return decode(FileList, json_of(answer))


def _change(event: ServerEvent) -> FileChange | None:
    if event.name == "change":
        return decode(FileChange, event.json())
    if event.name == "overflow":
        return FileChange(what="overflow", path="/", directory=True)
    return None
