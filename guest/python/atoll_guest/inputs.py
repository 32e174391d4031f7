"""input(), getpass() and sys.stdin: questions to the client, where a run allows them.

A run that does not allow input gets an error at once that says what to do instead. Waiting for a
line that nobody will send is how agents lose minutes.
"""

import builtins
import getpass
import io
import sys

from . import wire


class InputUnavailable(RuntimeError, EOFError):
    """EOFError too, so that code which copes with an empty stdin copes with this."""


class Inputs:
    def __init__(self, outlet):
        self._outlet = outlet
        self.allowed = False
        self.pending = []  # requests that arrived while waiting for an answer
        self.stdin = _Stdin(self)

    def install(self):
        builtins.input = self.input
        getpass.getpass = self.getpass
        sys.stdin = sys.__stdin__ = self.stdin

    def input(self, prompt="", /):
        return self._ask(prompt, False, "input()")

    def getpass(self, prompt="Password: ", stream=None, **_):
        return self._ask(prompt, True, "getpass()")

    def _ask(self, prompt, password, what):
        if not self.allowed:
            raise InputUnavailable(
                f"{what} is not available in this run: nobody is there to answer. Put the value "
                "into the code, or start the code as a program with standard input: "
                "atoll exec SESSION python FILE, or atoll run FILE."
            )
        link = self._outlet.link
        prompt = wire.safe_text(prompt)
        self._outlet.event({"event": "input_request", "prompt": prompt, "password": password})
        while True:
            message = link.receive()
            if message is None:
                raise EOFError("the link to the client is closed")
            kind, payload = message
            if kind == "i":
                answer = wire.decode(payload)
                if answer.get("error"):
                    raise InputUnavailable(wire.safe_text(answer["error"]))
                return str(answer.get("value", ""))
            if kind == "q":
                self.pending.append(message)


class _Stdin(io.TextIOBase):
    """sys.stdin: each line read is one question without a prompt."""

    encoding = "utf-8"
    errors = "strict"
    name = "<stdin>"
    mode = "r"

    def __init__(self, inputs):
        super().__init__()
        self._inputs = inputs

    def readable(self):
        return True

    def fileno(self):
        return 0

    def isatty(self):
        return False

    def readline(self, size=-1):
        line = self._inputs._ask("", False, "reading sys.stdin") + "\n"
        return line if size is None or size < 0 else line[:size]

    def read(self, size=-1):
        return self.readline(size)

    def __next__(self):
        return self.readline()

    def close(self):
        pass
