"""Results and displays as MIME bundles, sent as events.

Figures need no backend of ours: matplotlib-inline comes with IPython, emits every open figure
after a cell, and understands `%matplotlib inline` and `%config InlineBackend…`. One thing is added:
a figure that is the cell's result is closed when it is sent, or it would appear twice.

A bundle has a limit (`bundle_bytes_max`); what is above it is cut, and the bundle says so.
"""

import builtins
import json
import os
import sys
import tempfile

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.lib.pretty import _repr_pprint

from . import wire

BUNDLE_BYTES_MAX = 16 << 20
_builtin_names = vars(builtins)
_BEGINNING_CHARACTERS = 4096
_JSON_CHARACTERS_MAX = 1 << 20
_BINARY = ("image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf")
# Types whose bundle is their repr, unless somebody registered a formatter for them.
_PLAIN_TYPES = frozenset((int, bool, str, bytes))


class Outlet:
    """Where events go. One object, so that warm-up can point all of it at a NullLink."""

    def __init__(self, link, bundle_bytes_max=BUNDLE_BYTES_MAX):
        self.link = link
        self.bundle_bytes_max = bundle_bytes_max

    def event(self, event: dict) -> bool:
        return self.link.send("e", wire.encode(event))

    def bundle(self, kind: str, data: dict, metadata, **more):
        data = fit(encode_binary(data), self.bundle_bytes_max)
        event = {"event": kind, "data": data, "metadata": metadata or {}, **more}
        if not self.event(event) and not self.link.owned:
            # A forked child has no link. Its text can still be seen.
            print(data.get("text/plain", ""))


def encode_binary(data: dict) -> dict:
    """JSON has no bytes: images and documents travel as base64 text."""
    encoded = {}
    for mime, value in data.items():
        if isinstance(value, (bytes, bytearray, memoryview)):
            if mime in _BINARY or not mime.startswith("text/"):
                value = wire.base64_text(value)
            else:
                value = bytes(value).decode("utf-8", "replace")
        encoded[mime if type(mime) is str else wire.safe_text(mime)] = value
    return encoded


def _size(value) -> int:
    if isinstance(value, str):
        return len(value) if value.isascii() else len(value.encode("utf-8", "replace"))
    return len(wire.encode(value))


def fit(data: dict, bytes_max: int) -> dict:
    """The representations that fit, smallest first; a text/plain note names those that do not."""
    quick = 0
    for value in data.values():
        if type(value) is not str:
            quick = bytes_max
            break
        quick += 4 * len(value)
    if quick < bytes_max:
        return data
    sizes = sorted((_size(value), mime) for mime, value in data.items())
    if sum(size for size, _ in sizes) <= bytes_max:
        return data
    kept, used, cut = {}, 0, []
    for size, mime in sizes:
        if used + size <= bytes_max:
            kept[mime] = data[mime]
            used += size
        else:
            cut.append(f"{mime} ({size:,} bytes)")
    note = f"[cut: {', '.join(cut)}; one result may have {bytes_max:,} bytes]"
    text = data.get("text/plain")
    if isinstance(text, str) and "text/plain" not in kept:
        note += " It begins:\n" + text[:_BEGINNING_CHARACTERS]
    elif isinstance(text, str):
        note += "\n" + text
    return {**kept, "text/plain": note}


class ResultHook(DisplayHook):
    """sys.displayhook: the value of a cell's last expression becomes a `result` event."""

    outlet = None  # set when the shell is built
    cell = ""  # the source of the cell that runs, for the semicolon check
    count = 0
    exec_result = None  # a trait in IPython, whose checks cost more than a small cell
    plain_json = False  # of the run: dicts and lists as JSON, too
    charts = False  # of the run: figures as data, too (charts.py)
    _printers = ()

    def quiet(self):
        # Tokenising each cell to find out costs more than running most of them.
        if ";" not in self.cell:
            return False
        try:
            return self.semicolon_at_end_of_expression(self.cell)
        except Exception:  # a cell magic's body need not be Python
            return False

    def __call__(self, result=None):
        if result is None:
            return
        self.check_for_underscore()
        if self.quiet():
            return
        self._is_active = True
        try:
            data, metadata = self._format(result)
            if self.plain_json and type(result) in (dict, list):
                data = _with_json(data, result)
            self.update_user_ns(result)
            self.fill_exec_result(result)
            if data:
                self.outlet.bundle("result", data, metadata, execution_count=self.count)
                close_shown_figure(result)
                if self.shell.logger.log_output and "text/plain" in data:
                    self.shell.logger.log_write(data["text/plain"], "output")
        finally:
            self._is_active = False

    def _format(self, result):
        formatter = self.shell.display_formatter
        kind = type(result)
        if kind in _PLAIN_TYPES and self._is_plain(formatter, kind):
            try:
                return {"text/plain": repr(result)}, {}
            except ValueError:  # an int of more digits than Python likes to print
                pass
        return formatter.format(result)

    def _is_plain(self, formatter, kind) -> bool:
        formatters = formatter.formatters
        if len(self._printers) != len(formatters) + 2:
            several = [formatter.ipython_display_formatter, formatter.mimebundle_formatter]
            several += formatters.values()
            self._printers = [one.type_printers for one in several]
            self._plain = formatters["text/plain"].type_printers
        for printers in self._printers:
            if kind in printers and printers is not self._plain:
                return False
        return self._plain.get(kind) in (None, _repr_pprint)

    def update_user_ns(self, result):
        """Keeps _, __, ___ (unless they are the user's own), _N and Out[N]."""
        names, hidden = self.shell.user_ns, self.shell.user_ns_hidden
        results = names.get("_oh")
        if result is results or not isinstance(results, dict):
            return
        if len(results) >= self.cache_size:
            self.cull_cache()
        ours = all(
            hidden.get(name, old) is names.get(name, old)
            for name, old in (("_", self._), ("__", self.__), ("___", self.___))
        )
        self._, self.__, self.___ = result, self._, self.__
        new = {f"_{self.count}": result}
        if ours and "_" not in _builtin_names:
            new.update({"_": self._, "__": self.__, "___": self.___})
        names.update(new)
        hidden.update(new)
        results[self.count] = result

    @property
    def prompt_count(self):
        return self.count

    def cull_cache(self):
        """The oldest results go without a word: IPython warns into the output of a user's cell."""
        results = self.shell.user_ns.get("_oh", {})
        for number in sorted(results)[: max(int(len(results) * self.cull_fraction), 2)]:
            self.shell.user_ns.pop(f"_{number}", None)
            results.pop(number, None)


def _with_json(data, value):
    """Where it is data through and through, and not so much that it would crowd out the text."""
    try:
        text = json.dumps(value, allow_nan=False)
        if len(text) > _JSON_CHARACTERS_MAX:
            return data
        return {**data, "application/json": json.loads(text)}
    except (TypeError, ValueError, RecursionError):
        return data


def close_shown_figure(result):
    figures = sys.modules.get("matplotlib.figure")
    if figures is None or not isinstance(result, figures.Figure):
        return
    inline = sys.modules.get("matplotlib_inline.config")
    if inline is not None and inline.InlineBackend.instance().close_figures:
        sys.modules["matplotlib._pylab_helpers"].Gcf.destroy_fig(result)


class Publisher(DisplayPublisher):
    """display(), update_display() and clear_output()."""

    outlet = None

    def publish(self, data, metadata=None, source=None, *, transient=None, update=False, **_):
        more = {}
        display_id = (transient or {}).get("display_id")
        if display_id is not None:
            more["display_id"] = wire.safe_text(display_id, 1000)
        if update:
            more["update"] = True
        self.outlet.bundle("display", data, metadata, **more)

    def clear_output(self, wait=False):
        self.outlet.event({"event": "clear_output", "wait": bool(wait)})


def use_inline_figures(environment):
    """For a matplotlib that is imported later. Child processes get Agg's behaviour from it."""
    # The sandbox gives "agg" to every program; in a kernel it would keep each figure unseen.
    if environment.get("MPLBACKEND", "agg") == "agg":
        environment["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    # Its font cache must be writable; HOME of a session may not be.
    if not os.access(environment.get("HOME", "/nonexistent"), os.W_OK):
        environment.setdefault("MPLCONFIGDIR", os.path.join(tempfile.gettempdir(), "matplotlib"))
