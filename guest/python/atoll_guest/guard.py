"""Puts back what a cell may have bent in the process, before and after each run.

Only what would make the kernel deaf, mute or broken. What a user changed on purpose and the kernel
can live with (a patched builtin, another stdout, a higher recursion limit) stays, as in a notebook.
"""

import builtins
import ctypes
import sys

_RECURSION_LIMIT_MIN = 1000


class Guard:
    def __init__(self, streams, interrupts):
        self._streams = streams
        self._interrupts = interrupts
        self._builtins = dict(vars(builtins))
        self._names = self._builtins.keys()
        self._live = vars(builtins)
        # printf of C code is buffered in libc: without this its text would appear a cell later.
        self._fflush = ctypes.PyDLL(None).fflush
        self._stdout = self._stderr = None

    def before(self, displayhook):
        self._interrupts.install()
        self._streams.restore()
        sys.displayhook = displayhook
        self._stdout, self._stderr = sys.stdout, sys.stderr

    def after(self, failed: bool):
        # First, and without calling any builtin: they may be gone.
        if not self._names <= self._live.keys():
            self._live.update({k: v for k, v in self._builtins.items() if k not in self._live})
        if sys.gettrace() is not None:
            sys.settrace(None)
        if sys.getprofile() is not None:
            sys.setprofile(None)
        if sys.getrecursionlimit() < _RECURSION_LIMIT_MIN:
            sys.setrecursionlimit(_RECURSION_LIMIT_MIN)
        self._repair_callables()
        self._interrupts.install()
        if failed:
            # A redirection that an exception left behind would swallow everything from here on.
            sys.stdout, sys.stderr = self._stdout, self._stderr
        self._streams.flush()
        self._fflush(None)

    def _repair_callables(self):
        for name in ("len", "isinstance", "type", "str", "getattr", "callable", "dict", "repr"):
            if self._live[name] is not self._builtins[name] and not hasattr(
                self._live[name], "__call__"
            ):
                self._live[name] = self._builtins[name]
