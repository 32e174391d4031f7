"""The InteractiveShell of a kernel: IPython without a terminal, a profile on disk, or threads.

Built in the zygote, before any session exists, so it reads nothing of a user's: no ~/.ipython, no
start-up files. History lives in memory (the SQLite one has a thread).
"""

import os
import sys
import tempfile

from IPython.core.autocall import IPyAutocall
from IPython.core.history import HistoryManager
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.profiledir import ProfileDir
from IPython.utils.text import SList
from traitlets import Instance, Type, default, observe
from traitlets.config import Config

from . import charts, commands, display, figures, tables


class Exit(IPyAutocall):
    """exit and quit, with or without parentheses; the run ends and the kernel stays."""

    rewrite = False

    def __call__(self, code=0):
        raise SystemExit(code)


class _Profile(ProfileDir):
    @observe("location")
    def _location_changed(self, change):
        pass  # IPython's own creates the folder and fills it


class KernelHistory(HistoryManager):
    """In memory. Plain attributes where IPython has traits: set for each cell, checked for none."""

    _i = _ii = _iii = _i00 = ""

    def store_inputs(self, line_num, source, source_raw=None):
        source = source.rstrip("\n")
        raw = source if source_raw is None else source_raw.rstrip("\n")
        self.input_hist_parsed.append(source)
        self.input_hist_raw.append(raw)
        self._i00, self._i, self._ii, self._iii = raw, self._i00, self._i, self._ii
        new = {"_i": self._i, "_ii": self._ii, "_iii": self._iii, f"_i{line_num}": raw}
        self.shell.user_ns.update(new)
        self.shell.user_ns_hidden.update(new)


class KernelShell(InteractiveShell):
    execution_count = 1  # these three are traits in IPython, for nobody who listens
    last_execution_succeeded = True
    last_execution_result = None
    displayhook_class = Type(display.ResultHook)
    display_pub_class = Type(display.Publisher)
    exiter = Instance(Exit)

    @default("exiter")
    def _exiter_default(self):
        return Exit(self)

    @observe("ipython_dir")
    def _ipython_dir_changed(self, change):
        pass  # IPython's own creates it

    def init_profile_dir(self, profile_dir):
        # `%store` and bookmarks write here when they are used; nothing is read before.
        self.profile_dir = _Profile(location=self.ipython_dir)

    def init_history(self):
        self.history_manager = KernelHistory(shell=self, parent=self)
        self.configurables.append(self.history_manager)

    def init_virtualenv(self):
        pass  # the interpreter that runs is the environment

    def init_sys_modules(self):
        # The script that started us must outlive its place in sys.modules: its globals are in use.
        self._first_main = sys.modules.get("__main__")
        super().init_sys_modules()

    def enable_gui(self, gui=None):
        if gui not in (None, "inline"):
            raise ValueError(f"there is no display for {gui!r} here: figures are shown inline")

    def system(self, cmd):
        self.user_ns["_exit_code"] = commands.run_command(self.var_expand(cmd, depth=1))

    system_piped = system_raw = system

    def getoutput(self, cmd, split=True, depth=0):
        if cmd.rstrip().endswith("&"):
            raise OSError("Background processes not supported.")
        text = commands.command_output(self.var_expand(cmd, depth=depth + 1))
        return SList(text.splitlines()) if split else text

    def ask_exit(self):
        raise SystemExit(0)

    def _showtraceback(self, etype, evalue, stb):
        # Not a run's error (run.py reports those): a formatter's or a callback's.
        print(self.InteractiveTB.stb2text(stb), file=sys.stderr)


def build_shell(outlet) -> KernelShell:
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "neutral"
    # Static completion parses whole libraries and keeps a cache on disk; names are looked up in
    # the live objects instead, which is what a session with state is for.
    config.IPCompleter.use_jedi = False
    folder = os.path.join(tempfile.gettempdir(), "atoll-ipython")
    shell = KernelShell.instance(config=config, ipython_dir=folder)
    shell.displayhook.outlet = outlet
    shell.display_pub.outlet = outlet
    commands.install(shell)
    tables.install(shell.display_formatter)
    figures.install(shell.display_formatter)
    charts.install(shell.display_formatter, shell.displayhook)
    figures.show_images_inline()
    shell.set_hook("show_in_pager", _show_help, 0)
    # For good, not around each cell: a callback of a thread may ask for get_ipython() any time.
    shell.builtin_trap.activate()
    return shell


def _show_help(shell, data, start=0, screen_lines=0):
    if not isinstance(data, dict):
        data = {"text/plain": data}
    shell.display_pub.publish({key: value for key, value in data.items() if "/" in key})
