"""`!command`, `%%bash` and their family, without threads and without a terminal.

IPython runs `!command` on a pseudo terminal and `%%script` on an event loop in a thread of its own
that never ends. Here the child inherits descriptors 1 and 2, so its output streams in order with
Python's, and the kernel stays single-threaded.
"""

import shutil
import signal
import subprocess
import sys
import tempfile

from IPython.core.magics.script import ScriptMagics
from IPython.utils.process import arg_split

_GRACE_S = 1.0


def shell_program() -> str:
    return shutil.which("bash") or "/bin/sh"


def wait_interruptible(process):
    """The child gets the interrupt too, then a moment to act on it."""
    try:
        return process.wait()
    except KeyboardInterrupt:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            try:
                process.send_signal(number)
                process.wait(_GRACE_S)
                break
            except subprocess.TimeoutExpired:
                continue
        raise


def run_command(command: str) -> int:
    sys.stdout.flush()
    process = subprocess.Popen(
        command, shell=True, executable=shell_program(), stdin=subprocess.DEVNULL
    )
    return wait_interruptible(process)


def command_output(command: str) -> str:
    """`files = !ls`: standard output and error together, as IPython does."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            shell=True,
            executable=shell_program(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        wait_interruptible(process)
        output.seek(0)
        return output.read().decode("utf-8", "replace")


class Scripts(ScriptMagics):
    """`%%bash`, `%%sh`, `%%script`, `%%perl`, … with the options of IPython's own."""

    def shebang(self, line, cell):
        arguments, argv = ScriptMagics.shebang.parser.parse_known_args(arg_split(line, posix=True))
        if not argv:
            raise ValueError("%%script needs a program, as in %%script bash")
        if not cell.endswith("\n"):
            cell += "\n"
        # The program is given on stdin, as IPython does; a file rather than a pipe, so that a
        # program that does not read it cannot block us and no thread is needed to feed it.
        with tempfile.TemporaryFile() as source:
            source.write(cell.encode("utf-8", "replace"))
            source.seek(0)
            if arguments.bg:
                self._start_in_background(arguments, argv, source)
                return
            self._run(arguments, argv, source, cell)

    def _run(self, arguments, argv, source, cell):
        out = tempfile.TemporaryFile() if arguments.out else None
        err = tempfile.TemporaryFile() if arguments.err else None
        sys.stdout.flush()
        try:
            process = self._start(argv, stdin=source, stdout=out, stderr=err)
            if process is None:
                return
            status = wait_interruptible(process)
        finally:
            for name, file in ((arguments.out, out), (arguments.err, err)):
                if file is not None:
                    file.seek(0)
                    self.shell.user_ns[name] = file.read().decode("utf-8", "replace")
                    file.close()
        if status != 0 and getattr(arguments, "raise_error", True):
            raise subprocess.CalledProcessError(status, cell)

    def _start_in_background(self, arguments, argv, source):
        pipe = subprocess.PIPE
        process = self._start(
            argv,
            stdin=source,
            stdout=pipe if arguments.out else subprocess.DEVNULL,
            stderr=pipe if arguments.err else subprocess.DEVNULL,
        )
        if process is None:
            return
        self.bg_processes.append(process)
        for name, value in (
            (arguments.out, process.stdout),
            (arguments.err, process.stderr),
            (arguments.proc, process),
        ):
            if name:
                self.shell.user_ns[name] = value

    def _start(self, argv, **streams):
        try:
            return subprocess.Popen(argv, **streams)
        except FileNotFoundError:
            print(f"Couldn't find program: {argv[0]!r}", file=sys.stderr)
            return None

    def _gc_bg_processes(self):
        self.bg_processes = [one for one in self.bg_processes if one.poll() is None]


def install(shell):
    scripts = Scripts(shell=shell)
    scripts.magics["cell"]["script"] = scripts.shebang
    shell.magics_manager.register(scripts)
    shell.magics_manager.register_function(scripts.shebang, "cell", "script")
