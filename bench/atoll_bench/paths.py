"""Where things are. Everything the bench makes for itself is below .tools/bench."""

import os
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
REPOSITORY = BENCH.parent
WORK = BENCH / "work"
TOOLS = REPOSITORY / ".tools" / "bench"
ENVIRONMENT = TOOLS / "env"


def atoll_data() -> Path:
    """Atoll's data directory, by the server's own rule."""
    if os.geteuid() == 0:
        return Path("/var/lib/atoll")
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "atoll"


def template_python() -> Path:
    return atoll_data() / "templates" / "default" / "env" / "bin" / "python"
