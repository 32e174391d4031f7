"""sys.stdout and sys.stderr on descriptors 1 and 2.

Written through, unbuffered: progress dots leave at once without a timer or a thread, a process
that user code forks has no buffered text to write twice, and text stays in order with what C code
and child processes write to the same descriptors. The price is one write(2) for each write().

Closing them is refused quietly: libraries like to close what they were handed, and a wrapper that
somebody put around `sys.stdout.buffer` closes it when it is collected. os.close(1) does close it;
Streams.restore() brings it back before the next run from a duplicate kept above the usual numbers.
"""

import errno
import fcntl
import io
import os
import resource
import select
import sys

_KEPT_FD_MIN = 200


class _Descriptor(io.RawIOBase):
    def __init__(self, fd, name):
        super().__init__()
        self._fd = fd
        self.name = name
        self.mode = "wb"

    def fileno(self):
        return self._fd

    def isatty(self):
        return False

    def readable(self):
        return False

    def writable(self):
        return True

    def seekable(self):
        return False

    def write(self, data):
        view = memoryview(data).cast("B")
        total = len(view)
        done = 0
        while done < total:
            try:
                # write(2) may take a part only, when a signal arrives; FileIO would lose the rest.
                done += os.write(self._fd, view[done:] if done else view)
            except OSError as error:
                # A child that shares this pipe may have made it non-blocking (node does).
                if error.errno != errno.EAGAIN:
                    raise
                select.select([], [self._fd], [])
        return total

    def close(self):
        pass

    # io.RawIOBase's own calls close().
    def __del__(self):
        pass


class Stream(io.TextIOWrapper):
    def __init__(self, fd, name):
        super().__init__(
            _Descriptor(fd, name),
            encoding="utf-8",
            errors="backslashreplace",
            newline="\n",
            write_through=True,
        )

    def close(self):
        try:
            self.flush()
        except (OSError, ValueError):
            pass

    def __del__(self):
        pass


def _usable(stream):
    try:
        return not stream.closed and callable(stream.write)
    except Exception:  # detached: even asking raises
        return False


class Streams:
    """Owns the kernel's stdout and stderr objects and the kept duplicates of their descriptors."""

    def __init__(self):
        self._make()
        self.take_over()

    def take_over(self):
        """Again after a fork, when descriptors 1 and 2 have become the kernel's own. The streams
        themselves go by number, and stay."""
        self._kept = {}
        self._identity = {}
        # A sandbox may allow fewer open files than that.
        lowest = min(_KEPT_FD_MIN, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 2)
        for fd in (1, 2):
            self._kept[fd] = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, lowest)
            status = os.fstat(fd)
            self._identity[fd] = (status.st_dev, status.st_ino)
        sys.stdout = sys.__stdout__ = self.out
        sys.stderr = sys.__stderr__ = self.err

    def _make(self):
        self.out = Stream(1, "<stdout>")
        self.err = Stream(2, "<stderr>")

    def restore(self):
        """Before each run: descriptors as they were, and streams that can be written to."""
        for fd in (1, 2):
            try:
                status = os.fstat(fd)
                if (status.st_dev, status.st_ino) == self._identity[fd]:
                    continue
            except OSError:
                pass
            try:
                os.dup2(self._kept[fd], fd)
            except OSError:
                pass  # the duplicate was closed too: nothing left to restore from
        if not (_usable(self.out) and _usable(self.err)):
            self._make()
            sys.__stdout__, sys.__stderr__ = self.out, self.err
        # A stream that the user put there stays, as in a notebook, unless it is unusable.
        if not _usable(getattr(sys, "stdout", None)):
            sys.stdout = self.out
        if not _usable(getattr(sys, "stderr", None)):
            sys.stderr = self.err

    def flush(self):
        for name in ("stdout", "stderr"):
            try:
                getattr(sys, name).flush()
            except Exception:  # gone, closed, or not a stream at all
                pass
