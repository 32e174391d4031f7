"""Runs typical first cells through the real path and leaves no trace.

The first use of a library is slow twice: it initialises lazily (in the zygote, once for all), and
after a fork it touches pages that must be copied (op "warm", in a member of the pool, while nobody
waits). Both run the same cells.
"""

import contextlib
import linecache
import sys
import warnings

from .link import NullLink
from .reseed import reseed

_LAST_ERROR = ("last_type", "last_value", "last_traceback", "last_exc")
_RUNS_TO_SPECIALISE = 30
_BASE = ["1+1", "f'{3}'", "[i for i in range(3)]", "raise ValueError('warm')", "%pwd", "x = 1\nx"]
_PANDAS = """
import pandas as pd
_f = pd.DataFrame({'a': [1, 2, 3], 'b': ['x', 'y', 'x'], 'c': [.5, 1.5, 2.5]})
_g = _f.groupby('b').agg({'a': 'sum', 'c': 'mean'})
_f.describe(); _f.merge(_f, on='a'); _f.sort_values('c'); _f[_f.a > 1]; _f.to_csv()
_f.sum()
"""
_SMALL = """
import pandas as pd
_f = pd.DataFrame({'a': [1, 2, 3], 'b': [4.0, 5.0, 6.0]})
print(f'{_f.sum().to_dict()}{_f.a.mean()}{_f.sum()}'[:0], end='')
"""
_FRAME = "import pandas as pd\npd.DataFrame({'a': [1, 2, 3], 'b': ['x', 'y', 'z']})"
_FIGURE = """
import matplotlib.pyplot as plt
plt.plot([1, 2, 3], label='a'); plt.title('t'); plt.xlabel('x'); plt.legend()
"""
_SEABORN = """
import seaborn as sns, pandas as pd
sns.barplot(data=pd.DataFrame({'a': ['x', 'y'], 'b': [1, 2]}), x='a', y='b')
"""
_NUMPY = "import numpy as np\n(np.arange(9.).reshape(3, 3) @ np.ones((3, 3))).sum()"


def cells():
    """What fits the libraries that are loaded: warming must not import what nobody asked for."""
    chosen = list(_BASE)
    if "numpy" in sys.modules:
        chosen.append(_NUMPY)
    if "pandas" in sys.modules:
        chosen += [_PANDAS, _FRAME]
    if "matplotlib.pyplot" in sys.modules:
        chosen.append(_FIGURE)
    if "seaborn" in sys.modules:
        chosen.append(_SEABORN)
    return chosen


def pool_cells():
    """After a fork: what most first cells touch, and no more: each page touched here is a page that
    every idle member of the pool holds. So no figure, no traceback, no table as HTML."""
    libraries = ("numpy", "pandas", "matplotlib.pyplot", "seaborn")
    imports = "".join(f"import {name}\n" for name in libraries if name in sys.modules)
    chosen = ["1+1", imports + "for _ in range(3):\n    f'{_}'\nlen('x')"]
    if "pandas" in sys.modules:
        chosen += [_SMALL, _SMALL]
    return chosen


def warm(kernel):
    """In the zygote: everything that initialises itself lazily, once for all."""
    with traceless(kernel):
        for source in cells():
            kernel.runner.run({"code": source})
        with contextlib.suppress(Exception):
            kernel.shell.Completer.complete(line_buffer="pri", cursor_pos=3)
    _forget_warnings()
    _close_fonts()


def specialise(kernel):
    """In the zygote: Python counts in a function's own code how often it ran, until it has replaced
    its instructions by faster ones. What is counted here is not counted, and copied, in a fork."""
    with traceless(kernel):
        for _ in range(_RUNS_TO_SPECIALISE):
            for source in pool_cells():
                kernel.runner.run({"code": source})


def touch(kernel):
    """In a member of the pool. Not what warm() does at its end: looking at every module would copy
    the pages of all of them."""
    with traceless(kernel):
        for source in pool_cells():
            kernel.runner.run({"code": source})


@contextlib.contextmanager
def traceless(kernel):
    shell, outlet = kernel.shell, kernel.outlet
    hook, history = shell.displayhook, shell.history_manager
    names, hidden = dict(shell.user_ns), dict(shell.user_ns_hidden)
    count, link = shell.execution_count, outlet.link
    unders = hook._, hook.__, hook.___
    inputs = history._i00, history._i, history._ii, history._iii
    lists = [(one, len(one)) for one in (history.input_hist_parsed, history.input_hist_raw)]
    outputs = dict(history.output_hist)
    lines, cell_names = set(linecache.cache), dict(shell.compile._filename_map)
    flags = shell.compile.flags
    last = [(name, getattr(sys, name)) for name in _LAST_ERROR if hasattr(sys, name)]
    outlet.link = NullLink()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        outlet.link = link
        shell.user_ns.clear()
        shell.user_ns.update(names)
        shell.user_ns_hidden.clear()
        shell.user_ns_hidden.update(hidden)
        shell.execution_count = count
        hook._, hook.__, hook.___ = unders
        history._i00, history._i, history._ii, history._iii = inputs
        for one, length in lists:
            del one[length:]
        history.output_hist.clear()
        history.output_hist.update(outputs)
        shell.compile._filename_map.clear()
        shell.compile._filename_map.update(cell_names)
        shell.compile.flags = flags
        shell.last_execution_result = None
        shell.last_execution_succeeded = True
        hook.cell, hook.count = "", 0
        for name in set(linecache.cache) - lines:
            if name.startswith("<ipython-input-"):
                del linecache.cache[name]
        for name in _LAST_ERROR:
            if hasattr(sys, name):
                delattr(sys, name)
        for name, value in last:
            setattr(sys, name, value)
        reseed()


def _close_fonts():
    """matplotlib keeps the files of its fonts open. A fork's descriptors are closed by number, and
    it would complain about each of these on the user's stderr."""
    fonts = getattr(sys.modules.get("matplotlib.font_manager"), "_get_font", None)
    if fonts is not None:
        fonts.cache_clear()


def _forget_warnings():
    """A warning that warm-up caused (and swallowed) must still be shown to the user once."""
    for module in list(sys.modules.values()):
        registry = getattr(module, "__dict__", {}).get("__warningregistry__")
        if registry:
            registry.clear()
