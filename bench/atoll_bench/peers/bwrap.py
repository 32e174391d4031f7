"""bubblewrap round python: all namespaces, read-only binds, no network. No seccomp, no limits."""

import json
import tempfile
from pathlib import Path

from .. import prepare, process
from .commands import CommandPeer


class Bubblewrap(CommandPeer):
    name = "bwrap"
    title = "bubblewrap + python"

    def __init__(self, python: Path):
        self.python = python

    def open(self) -> None:
        prepare.debian_package("bwrap", "bubblewrap")
        self.cache = tempfile.TemporaryDirectory(prefix="atoll-bench-")
        prefixes = json.loads(process.output_of(
            [self.python, "-c", "import json, sys; print(json.dumps([sys.prefix, "
                                "sys.base_prefix]))"]))
        self.binds = ["--ro-bind", "/usr", "/usr"]
        for name in ("bin", "lib", "lib64", "sbin"):
            path = Path("/") / name
            if path.is_symlink():
                self.binds += ["--symlink", str(path.readlink()), str(path)]
            elif path.exists():
                self.binds += ["--ro-bind", str(path), str(path)]
        for name in ("/etc/ld.so.cache", "/etc/fonts"):
            self.binds += ["--ro-bind-try", name, name]
        for prefix in prefixes:
            if not prefix.startswith("/usr"):
                self.binds += ["--ro-bind", prefix, prefix]
        # matplotlib's list of fonts, made once here: without it each start would search for fonts.
        self.binds += ["--bind", self.cache.name, "/cache", "--setenv", "MPLCONFIGDIR", "/cache"]
        try:
            self.first_result()
        except process.Failed as problem:
            self.cache.cleanup()
            raise prepare.Unavailable(f"bubblewrap does not work here: {problem}") from None

    def close(self) -> None:
        self.cache.cleanup()

    def command(self, scratch=None) -> list:
        place = ["--tmpfs", "/tmp", "--chdir", "/tmp"]
        if scratch:
            place = ["--bind", scratch, "/work", "--chdir", "/work"]
        return ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", *self.binds,
                "--proc", "/proc", "--dev", "/dev", *place, self.python]
