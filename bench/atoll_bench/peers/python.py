"""A plain python subprocess: no walls at all. What the interpreter and the imports cost."""

from pathlib import Path

from .commands import CommandPeer


class PlainPython(CommandPeer):
    name = "python"
    title = "plain python"

    def __init__(self, python: Path):
        self.python = python

    def command(self, scratch=None) -> list:
        return [self.python]
