"""An exception as the `error` event: as people know it from notebooks.

`traceback` has colours, `traceback_text` has none. The kernel's own frames are not shown: the
story starts at the cell, and ends where user code asked the kernel for something. Formatting must
not fail, whatever the exception does in its __str__.
"""

import os
import re
import traceback
import types

from IPython.core.error import UsageError

from . import wire

_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_TRACEBACK_CHARACTERS_MAX = 1 << 20
_FRAMES_MAX = 60  # formatting thousands of frames (deep recursion) takes seconds and helps nobody


def plain(text: str) -> str:
    return _ANSI.sub("", text)


def error_event(shell, error: BaseException, cell_names) -> dict:
    error.__traceback__ = _to_user_code(from_cell(error.__traceback__, cell_names))
    lines = _bounded(_lines(shell, error))
    text = plain("\n".join(lines))
    return {
        "event": "error",
        "name": type(error).__name__,
        "value": _value(error, cell_names),
        "traceback": lines,
        "traceback_text": text,
    }


def _value(error, cell_names):
    if isinstance(error, SyntaxError) and error.filename in cell_names:
        return f"{wire.safe_text(error.msg)} (line {error.lineno})"  # not the cell's internal name
    return wire.safe_text(error)


def from_cell(trace, cell_names):
    """The traceback from its first frame in a cell on; what is above is the kernel's."""
    while trace is not None and trace.tb_frame.f_code.co_filename not in cell_names:
        trace = trace.tb_next
    return trace


def _to_user_code(trace):
    """Without the kernel's frames at its end, as of input() or of the handler of an interrupt."""
    last, one = None, trace
    while one is not None:
        if not one.tb_frame.f_code.co_filename.startswith(_OURS):
            last = one
        one = one.tb_next
    if last is not None:
        last.tb_next = None
    return trace


def _lines(shell, error):
    kind, trace = type(error), error.__traceback__
    try:
        if isinstance(error, UsageError):
            return [f"UsageError: {error}"]
        if hasattr(error, "_render_traceback_"):
            lines = error._render_traceback_()
            if isinstance(lines, list) and all(isinstance(line, str) for line in lines):
                return lines
        if isinstance(error, SyntaxError):
            frames = traceback.extract_tb(trace)
            return shell.SyntaxTB.structured_traceback(kind, error, frames)
        if _has_group(error):
            return traceback.format_exception(kind, error, trace)
        if trace is None:
            return [line.rstrip("\n") for line in traceback.format_exception_only(kind, error)]
        for earlier in _chain(error)[1:]:
            earlier.__traceback__ = _shortened(earlier.__traceback__)[0]
        trace, left_out = _shortened(trace)
        lines = shell.InteractiveTB.structured_traceback(kind, error, trace, tb_offset=0)
        if left_out:
            lines.insert(-1, f"[… {left_out} frames in the middle are not shown …]\n")
        return lines
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: B036
        pass
    try:
        return [line.rstrip("\n") for line in traceback.format_exception(kind, error, trace)]
    except Exception:
        return [f"{kind.__name__}: {wire.safe_text(error)}"]


def _chain(error):
    chain, seen = [], set()
    while error is not None and id(error) not in seen:
        chain.append(error)
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return chain


def _has_group(error):
    return any(hasattr(one, "exceptions") and hasattr(one, "derive") for one in _chain(error))


def _shortened(trace):
    """The first and last frames of a long traceback, and how many are left out between them."""
    frames = []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    left_out = len(frames) - _FRAMES_MAX
    if left_out <= 0:
        return (frames[0] if frames else None), 0
    half = _FRAMES_MAX // 2
    short = None
    for one in reversed(frames[:half] + frames[-half:]):
        short = types.TracebackType(short, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return short, left_out


def _bounded(lines):
    lines = [line if type(line) is str else wire.safe_text(line) for line in lines]
    if sum(map(len, lines)) <= _TRACEBACK_CHARACTERS_MAX:
        return lines
    text = "\n".join(lines)
    half = _TRACEBACK_CHARACTERS_MAX // 2
    cut = len(text) - 2 * half
    return [text[:half], f"… [{cut} characters of the traceback cut] …", text[-half:]]
