"""A template with Python and its kernel alone, for servers of whose sandboxes a test asks nothing else.

The default template imports pandas, matplotlib and more before the first sandbox exists: two seconds of a
processor for each server that is started, where this one takes a fifth of one. Made at its first use, in a
folder that belongs to the user who runs the tests.
"""

import fcntl
import json
import os
import subprocess
from functools import cache
from pathlib import Path

from .driver import BUILD

SPEC = {"description": "Python and its kernel, nothing else", "python": {"packages": [], "preload": []}}


def data_folder() -> Path:
    """Where `atoll` looks for templates (docs/settings.md)."""
    if given := os.environ.get("ATOLL_DATA_DIR"):
        return Path(given)
    if os.geteuid() == 0:
        return Path("/var/lib/atoll")
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "atoll"


@cache
def lean() -> Path:
    """A data folder whose template `default` has nothing to import."""
    folder = data_folder().with_name("atoll-lean")
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    with open(folder / "tests.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several workers begin at the same time
        environment = {**os.environ, "ATOLL_DATA_DIR": str(folder)}
        listed = subprocess.run([BUILD / "atoll", "template", "list"], env=environment, capture_output=True, text=True)
        if "default" not in listed.stdout.split():
            spec = folder / "lean.json"
            spec.write_text(json.dumps(SPEC))
            built = subprocess.run([BUILD / "atoll", "template", "build", "default", spec], env=environment,
                                   capture_output=True, text=True)
            assert built.returncode == 0, built.stderr
    return folder
