"""Folders as tar archives: packed for a sandbox, and unpacked from one, which is not trusted.

tarfile's own filters are missing in Pythons that are still in use, so the rules are here: nothing
is written outside of the target, whatever the archive says. Files and folders are written, links
are made last, so that no file is written through one. All names are looked at before anything is
written.
"""

from __future__ import annotations

import os
import shutil
import tarfile
from pathlib import Path

from .errors import AtollError


def pack(folder: Path, into: Path) -> None:
    """A tar of what is in the folder."""
    with tarfile.open(into, "w") as archive:
        archive.add(folder, arcname=".", filter=_without_owner)


def unpack(archive: Path, target: Path) -> None:
    """What a sandbox packed, below `target`, which is there. AtollError for a name that leads out
    and for a device; then nothing was written."""
    with tarfile.open(archive, "r:") as packed:
        members = [(member, _parts(member.name)) for member in packed if _parts(member.name)]
        for member, parts in members:
            _check(member, parts)
        for member, parts in members:
            place = target.joinpath(*parts)
            if member.isdir():
                _no_link(place)
                place.mkdir(parents=True, exist_ok=True)
            elif not member.issym():
                _write(packed, member, place, target)
        for member, parts in members:
            if member.issym():
                place = target.joinpath(*parts)
                _folder_of(place, target)
                place.unlink(missing_ok=True)
                place.symlink_to(member.linkname)


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _parts(name: str) -> list[str]:
    if name.startswith("/"):
        raise AtollError(f"the archive's entry {name!r} has an absolute name")
    return [part for part in name.split("/") if part not in ("", ".")]


def _check(member: tarfile.TarInfo, parts: list[str]) -> None:
    if ".." in parts:
        raise AtollError(f"the archive's entry {member.name!r} leads out of the folder")
    if member.issym():
        _check_link(member, parts)
    elif not (member.isdir() or member.isreg() or member.islnk()):
        raise AtollError(f"the archive's entry {member.name!r} is no file, folder or link")


def _check_link(member: tarfile.TarInfo, parts: list[str]) -> None:
    # Dots only at the beginning: behind a name that may be a link, they would lead elsewhere.
    there = [part for part in member.linkname.split("/") if part not in ("", ".")]
    up = 0
    while up < len(there) and there[up] == "..":
        up += 1
    if member.linkname.startswith("/") or up > len(parts) - 1 or ".." in there[up:]:
        raise AtollError(
            f"the archive's link {member.name!r} leads out of the folder, to {member.linkname!r}"
        )


def _no_link(place: Path) -> None:
    # An earlier download, or two entries of one name, may have left one there.
    if place.is_symlink():
        place.unlink()


def _folder_of(place: Path, target: Path) -> None:
    for above in reversed(place.relative_to(target).parents):
        if above != Path("."):
            _no_link(target / above)
            (target / above).mkdir(exist_ok=True)


def _write(
    packed: tarfile.TarFile, member: tarfile.TarInfo, place: Path, target: Path
) -> None:
    _folder_of(place, target)
    try:
        content = packed.extractfile(member)  # of a hard link: what it is linked to
    except KeyError:
        content = None
    if content is None:
        raise AtollError(f"the archive's entry {member.name!r} is linked to nothing")
    place.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    # Owner's bits and those of others as they were; never setuid.
    with content, os.fdopen(os.open(place, flags, member.mode & 0o777), "wb") as file:
        shutil.copyfileobj(content, file)
