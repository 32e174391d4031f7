"""What the style checks look at: the files git knows or would add, and the rooms of the map."""

import functools
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@functools.cache
def files() -> tuple[Path, ...]:
    """Tracked files and new ones that are not ignored. Without git (a source archive): all of them
    but what builds leave."""
    try:
        listed = subprocess.run(
            # safe.directory: the checks also run as another user than the one who cloned.
            ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-coz", "--exclude-standard"],
            cwd=ROOT, check=True, capture_output=True, text=True,
        ).stdout.split("\0")
        found = [ROOT / name for name in listed if name]
    except (OSError, subprocess.CalledProcessError):
        made = {".git", "build", ".tools", "__pycache__", "node_modules", "dist"}
        found = [p for p in ROOT.rglob("*") if not made & set(p.relative_to(ROOT).parts)]
    return tuple(sorted(p for p in set(found) if p.is_file()))


def text_of(path: Path) -> str | None:
    """The file's text, or None for a binary one."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def cpp_files() -> list[Path]:
    return [p for p in files() if p.suffix in {".cpp", ".hpp"}]


def table_after(heading: str, text: str) -> dict[str, list[str]]:
    """The first table below a heading: the names in backticks of column one, with those of column
    two."""
    section = text.split(f"\n{heading}\n", 1)[1]
    rows = {}
    for line in section.splitlines():
        if line.startswith("| `"):
            _, first, second, *_ = line.split("|")
            (room,) = re.findall(r"`([^`]+)`", first)
            rows[room] = re.findall(r"`([^`]+)`", second)
        elif rows:
            break
    return rows
