"""What every peer can be asked. A peer overrides what it can do; `can` names the works it takes
part in, by their letters (options.WORKS)."""

from contextlib import contextmanager

from ..paths import WORK

FIRST_RESULT = (WORK / "first_result.py").read_text()
FIRST_RESULT_SEEN = b"dtype: int64"
IDLE = FIRST_RESULT + "\nimport time\nprint('idle', flush=True)\ntime.sleep(3600)\n"
PRINTS = "import time\nprint(time.time_ns(), flush=True)\ntime.sleep(0.01)"
INSIDE = (WORK / "inside.py").read_text()


class Peer:
    name = ""
    title = ""
    can = ""
    burst = True  # whether many at once make sense

    def open(self) -> None:
        """Gets ready what its user would have ready too. Raises prepare.Unavailable."""

    def close(self) -> None:
        """Leaves nothing behind."""

    def first_result(self) -> float:
        """Milliseconds from nothing to the pandas result, in fresh state."""
        raise NotImplementedError

    def ephemeral(self) -> None:
        """print(1+1) in fresh state, to its end."""
        raise NotImplementedError

    def one_off(self) -> float:
        """Milliseconds of print(1) from the command line, to its end."""
        raise NotImplementedError

    def inside(self) -> dict:
        """What work/inside.py says inside."""
        raise NotImplementedError

    @contextmanager
    def idle(self):
        """A sandbox with pandas loaded that does nothing; yields a function to its pids."""
        raise NotImplementedError

    def round_trips(self, count: int) -> list[float]:
        raise NotImplementedError

    def restarts(self, count: int) -> list[float]:
        raise NotImplementedError
