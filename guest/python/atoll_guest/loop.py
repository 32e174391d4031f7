"""One asyncio loop for the life of a kernel, so that a task of one cell can be awaited in the next.

Made when first needed: it costs descriptors, and most sessions never await. It runs only while a
cell that awaits runs; between cells tasks stand still.
"""

import asyncio
import contextlib
import selectors

# A cell that makes tasks without awaiting needs a running loop, as it would have in a notebook …
_NEED_RUNNING = frozenset(("create_task", "ensure_future", "get_running_loop", "gather"))
# … but one that starts a loop itself must not find one running. asyncio.run() just works here.
_BRING_THEIR_OWN = frozenset(("run", "run_until_complete", "run_forever", "new_event_loop"))


_LOOP_FILES = frozenset(
    module.__file__
    for module in (
        selectors,
        asyncio.base_events,
        asyncio.events,
        asyncio.selector_events,
        asyncio.unix_events,
    )
)


def _in_loop_code(frame) -> bool:
    """Whether nothing but the loop stands between our run() and the interrupted line."""
    while frame is not None and frame.f_code is not Loop.run.__code__:
        if frame.f_code.co_filename not in _LOOP_FILES:
            return False
        frame = frame.f_back
    return True


def needs_running_loop(code) -> bool:
    names = code.co_names
    return (
        not _NEED_RUNNING.isdisjoint(names)
        and "asyncio" in names
        and _BRING_THEIR_OWN.isdisjoint(names)
    )


class Loop:
    def __init__(self, interrupts):
        self._loop = None
        self._interrupts = interrupts

    def prepare(self, code):
        """asyncio.run() leaves no loop behind; get_event_loop() in a later cell expects one."""
        if self._loop is not None or "get_event_loop" in code.co_names:
            asyncio.set_event_loop(self._get())

    def _get(self):
        if self._loop is None or self._loop.is_closed():
            self._loop = asyncio.new_event_loop()
        return self._loop

    def run(self, coroutine):
        loop = self._get()
        asyncio.set_event_loop(loop)
        task = loop.create_task(coroutine)
        cancelled = False

        def cancel_instead(frame):
            # Raised in a task's code, an interrupt is that task's end. Raised in the loop's own
            # code it can lose a callback that was just taken from the queue or was about to be
            # put there, and its task would never wake again. So there the cell's task is
            # cancelled instead, and unwinds where it waits. A second interrupt is always raised:
            # a task may refuse to be cancelled.
            nonlocal cancelled
            if cancelled or not _in_loop_code(frame):
                return False
            cancelled = True
            loop.call_soon_threadsafe(task.cancel)
            return True

        self._interrupts.instead = cancel_instead
        try:
            return loop.run_until_complete(task)
        except asyncio.CancelledError as error:
            if cancelled:
                raise KeyboardInterrupt().with_traceback(error.__traceback__) from None
            raise
        except KeyboardInterrupt:
            if not cancelled and not task.done():  # it was another task that was interrupted
                cancelled = True
                task.cancel()
                with contextlib.suppress(Exception, asyncio.CancelledError):
                    loop.run_until_complete(task)
            raise
        finally:
            self._interrupts.instead = None

    def forget(self):
        """In a forked child of user code: the loop's descriptors are shared with the parent."""
        self._loop = None


async def inside(function):
    return function()
