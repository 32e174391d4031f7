"""A server whose system calls fail on order: LD_PRELOAD of tests/faults, told what to do by a mapped file.

    faults = Faults(folder)
    server = Server(folder, environment=faults.environment)     # healthy
    with faults(DESCRIPTOR, errno.EMFILE, first=3):             # from the third descriptor on
        …
    faults.seen, faults.failed                                  # how many calls matched, how many of them failed
"""
import contextlib
import mmap
import os
import struct
from pathlib import Path

from .driver import BUILD

# As in tests/faults/faults.cpp.
DESCRIPTOR, WATCH, WRITE, SYNC, NAME, MAP, FORK, READ = (1 << n for n in range(8))
EVER = 1 << 62
_PLAN = struct.Struct("=IiQQQQ464s")


class Faults:
    def __init__(self, folder: Path):
        path = folder / "faults"
        path.write_bytes(bytes(_PLAN.size))
        with open(path, "r+b") as file:
            self._plan = mmap.mmap(file.fileno(), _PLAN.size)
        library = BUILD / "libatoll_faults.so"
        assert library.exists(), f"{library} is missing: ./scripts/build test-programs"
        # A sanitizer wants to be the first library; it is told that this one may be before it.
        told = os.environ.get("ASAN_OPTIONS", "")
        self.environment = {"LD_PRELOAD": str(library), "ATOLL_FAULTS": str(path),
                            "ASAN_OPTIONS": f"{told}:verify_asan_link_order=0".lstrip(":")}

    @contextlib.contextmanager
    def __call__(self, kinds: int, cause: int, first: int = 1, count: int = EVER, path: str = ""):
        """Calls of these kinds fail with this errno, from the `first` on, `count` of them. `path`: only those whose file's
        path holds this text. With cause 0 they are counted and none fails."""
        # The kinds are written last: until then nothing matches.
        _PLAN.pack_into(self._plan, 0, 0, cause, first, count, 0, 0, path.encode())
        struct.pack_into("=I", self._plan, 0, kinds)
        try:
            yield self
        finally:
            struct.pack_into("=I", self._plan, 0, 0)

    @property
    def seen(self) -> int:
        return _PLAN.unpack_from(self._plan, 0)[4]

    @property
    def failed(self) -> int:
        return _PLAN.unpack_from(self._plan, 0)[5]
