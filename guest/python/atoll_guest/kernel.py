"""The kernel: takes one request at a time from the link and answers it.

    start       the environment and folder of the session; first, once
    run         a cell                                            run.py
    variables   what there is                                     variables.py
    export, import                                                transfer.py
    complete, inspect                                             introspect.py
    warm        touch what the first cell will touch              warm.py
    ping

Owns      the link, the shell, sys.stdout and sys.stderr.
Threads   none of its own; user code may start some, and they go on running while it waits.
Trusts    nobody has to trust it: user code shares the process. It only tries to stay usable.
If it dies the guest says so to the host and forks another; the session's variables are lost.
"""

import atexit
import os
import sys
import time

from . import display, figures, introspect, packages, transfer, variables, warm, wire
from .guard import Guard
from .inputs import Inputs
from .interrupts import Interrupts
from .link import NullLink
from .reseed import reseed
from .run import Runner
from .shell import build_shell
from .streams import Streams


class Kernel:
    """Built in the zygote without a link; attach() makes it somebody's kernel after the fork."""

    def __init__(self):
        self.outlet = display.Outlet(NullLink())
        self.shell = build_shell(self.outlet)
        self.interrupts = Interrupts()
        self.inputs = Inputs(self.outlet)
        self.streams = Streams()
        self.guard = Guard(self.streams, self.interrupts)
        self.runner = Runner(self.shell, self.outlet, self.guard, self.interrupts, self.inputs)
        self.inputs.install()
        self._rehearsed = None  # the environment that the zygote has prepared
        self.started_as_rehearsed = False
        self._folders_ahead = 0  # of sys.path, that start() put there
        self._packages = None  # the session's folder of them, likewise
        self._operations = {
            "start": self._start,
            "run": self.runner.run,
            "variables": lambda request: variables.list_variables(self.shell, request),
            "export": lambda r: transfer.export_variables(self.shell, self.outlet, r),
            "import": lambda r: transfer.import_variables(self.shell, self.outlet.link, r),
            "complete": lambda request: introspect.complete(self.shell, request),
            "inspect": lambda request: introspect.inspect(self.shell, request),
            "warm": self._warm,
            "ping": lambda request: {"pid": os.getpid()},
        }

    def attach(self, link):
        self.outlet.link = link
        sys.argv = [""]  # as in an interactive Python: ours are no arguments of the user's code
        self.streams.take_over()
        reseed()
        self.interrupts.install()
        os.register_at_fork(after_in_child=self._in_forked_child)

    def _in_forked_child(self):
        self.outlet.link.disown()
        self.runner.loop.forget()

    def serve(self):
        """Until the link closes."""
        link = self.outlet.link
        while True:
            try:
                if self.inputs.pending:
                    message = self.inputs.pending.pop(0)
                else:
                    message = link.receive()
                if message is None:
                    return
                kind, payload = message
                if kind == "q":  # an 'i' or 'b' here came too late for its request
                    link.send("d", wire.encode(self._answer(payload)))
            except KeyboardInterrupt:
                continue

    def _answer(self, payload) -> dict:
        try:
            request = wire.decode(payload)
            operation = self._operations.get(request.get("op"))
            if operation is None:
                return {"status": "error", "error": f"unknown op {request.get('op')!r}"}
            if operation == self.runner.run:
                return operation(request)
            return self._interruptible(operation, request)
        except KeyboardInterrupt:
            return {"status": "interrupted"}
        except Exception as error:
            return {"status": "error", "error": f"{type(error).__name__}: {wire.safe_text(error)}"}

    def _interruptible(self, operation, request):
        self.interrupts.install()
        self.inputs.allowed = False
        try:
            self.interrupts.active = True
            try:
                return {"status": "ok", **operation(request)}
            finally:
                self.interrupts.active = False
        finally:
            self.guard.after(False)

    def rehearse(self, environment):
        """In the zygote, as the last thing before the forks: what start() will most likely be asked
        for. A fork that is asked for just that only compares, and copies 100 pages less."""
        self._use(environment)
        if "MPLCONFIGDIR" not in environment:
            os.environ.pop("MPLCONFIGDIR", None)  # HOME is writable in a sandbox, but not here
        self._rehearsed = environment

    def _start(self, request) -> dict:
        environment = request.get("env")
        # Once only: before a second start, user code may have changed anything.
        rehearsed, self._rehearsed = self._rehearsed, None
        self.started_as_rehearsed = rehearsed is not None and environment == rehearsed
        if not self.started_as_rehearsed:
            self._use(environment)
        os.chdir(request.get("cwd") or "/")
        self.shell.user_ns["_dh"][:] = [os.getcwd()]
        self.outlet.bundle_bytes_max = int(
            request.get("result_bytes_max") or display.BUNDLE_BYTES_MAX
        )
        return {"pid": os.getpid()}

    def _use(self, environment):
        if environment is not None:
            # Only what differs: most of it is as in the zygote, and writing copies pages.
            for name in [name for name in os.environ if name not in environment]:
                del os.environ[name]
            for name, value in environment.items():
                if os.environ.get(name) != value:
                    os.environ[name] = value
        display.use_inline_figures(os.environ)
        figures.prepare_environment(os.environ)
        time.tzset()
        # The session's folder first, as in a notebook. In the zygote nothing is imported after it.
        folders = [f for f in os.environ.get("PYTHONPATH", "").split(os.pathsep) if f]
        # Again for a member of the pool, when it gets an owner with an environment.
        del sys.path[: self._folders_ahead]
        sys.path[:0] = ["", *folders]
        self._folders_ahead = 1 + len(folders)
        self._packages = packages.use(self._packages)

    def _warm(self, request) -> dict:
        warm.touch(self)
        return {}


def leave(kernel):
    """Exit handlers of the user's run; tearing down the interpreter would only touch every page."""
    try:
        atexit._run_exitfuncs()
    except BaseException:  # noqa: B036
        pass
    kernel.streams.flush()
    os._exit(0)


def main(arguments) -> int:
    """A kernel without a zygote: python -m atoll_guest.kernel FD. The descriptor is a socket."""
    import socket

    from .link import SocketLink

    link = SocketLink(socket.socket(fileno=int(arguments[0])))
    kernel = Kernel()
    kernel.attach(link)
    kernel.serve()
    leave(kernel)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
