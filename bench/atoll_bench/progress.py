"""Says on stderr what is being done. Stdout belongs to the table or to the JSON."""

import sys
import time

_start = time.monotonic()
_notes: list[str] = []


def say(text: str) -> None:
    print(f"[{time.monotonic() - _start:6.1f} s] {text}", file=sys.stderr, flush=True)


def note(text: str) -> None:
    """Something the reader of the numbers must know: shown now, and again under the table."""
    if text not in _notes:
        _notes.append(text)
        say(f"note: {text}")


def notes() -> list[str]:
    return list(_notes)
