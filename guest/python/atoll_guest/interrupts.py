"""SIGINT: interrupts a run, and does nothing between runs.

The handler is set again before and after each run, because user code may have replaced it; an
interrupt that arrives just too late must not end the kernel.
"""

import _signal as signal  # the signal module's own functions spend their time making enums


class Interrupts:
    def __init__(self):
        self.active = False
        self.instead = None  # may deal with an interrupt itself: returns whether it did
        self._handler = self._handle  # kept: each attribute access would make a new bound method

    def install(self):
        if signal.getsignal(signal.SIGINT) is not self._handler:
            signal.signal(signal.SIGINT, self._handler)

    def _handle(self, signum, frame):
        if self.active and not (self.instead is not None and self.instead(frame)):
            raise KeyboardInterrupt
