"""op "variables": what the session holds, without ever calling an expensive repr.

A preview is made only from types whose text is known to be cheap, or from a bounded part of a
container; any other object is named by its type. Looking must not run user code.
"""

import datetime
import decimal
import enum
import fractions
import pathlib
import re
import sys
import types
import uuid

from . import wire

PREVIEW_CHARACTERS_MAX = 200
_NAMES_MAX = 500
_DONE_BYTES_MAX = 200_000  # `done` travels in one frame of at most 262,144 bytes
_ITEMS = 8
_DEPTH = 3
_HISTORY = re.compile(r"_{1,3}|_i{1,3}|_i?\d+|_[ioa]h|_dh|_exit_code|__\w+__|In|Out")
_CHEAP = (
    bool, float, complex, type(None), type(...), range,
    datetime.date, datetime.time, datetime.timedelta, datetime.timezone,
    decimal.Decimal, fractions.Fraction, pathlib.PurePath, uuid.UUID,
)  # fmt: skip


def user_names(shell) -> list:
    """The names that a user made, in the order in which they came to be."""
    hidden = shell.user_ns_hidden
    missing = object()
    return [
        name
        for name, value in list(shell.user_ns.items())
        if isinstance(name, str)
        and is_text(name)
        and not _HISTORY.fullmatch(name)
        and hidden.get(name, missing) is not value
    ]


def unnamed(shell) -> list:
    """Variables that a user made under a name that is no text: it has no JSON, and no UTF-8."""
    hidden = shell.user_ns_hidden
    missing = object()
    found = []
    for name, value in list(shell.user_ns.items()):
        if isinstance(name, str) and is_text(name):
            continue
        try:
            if hidden.get(name, missing) is not value:
                found.append((name, value))
        except Exception:  # __eq__ of a key may raise anything
            found.append((name, value))
    return found


def is_text(name) -> bool:
    try:
        str.encode(name)
    except UnicodeEncodeError:
        return False
    return True


def escaped(name) -> str:
    """A name that is no text, so that people see which one it was. Its repr may be user code."""
    if isinstance(name, str):
        return str.__str__(name)[:1000].encode("ascii", "backslashreplace").decode("ascii")
    if type(name) is bytes:
        return ascii(name[:100])
    if type(name) in (bool, float, type(None)) or type(name) is int and name.bit_length() < 1000:
        return ascii(name)
    return f"<a name of type {type_name(name)}>"


def list_variables(shell, request: dict) -> dict:
    names = user_names(shell)
    offset = max(0, int(request.get("offset", 0)))
    limit = min(_NAMES_MAX, int(request.get("limit", _NAMES_MAX)))
    items, used = [], 0
    for name in names[offset : offset + limit]:
        item = describe(name, shell.user_ns[name])
        used += len(wire.encode(item)) + 1
        if used > _DONE_BYTES_MAX:
            break
        items.append(item)
    return {"variables": items, "total": len(names), "offset": offset}


def type_name(value) -> str:
    kind = type(value)
    module = kind.__module__ if isinstance(kind.__module__, str) else "?"
    name = (
        kind.__qualname__ if module in ("builtins", "__main__") else f"{module}.{kind.__qualname__}"
    )
    return name[:300]


def describe(name, value) -> dict:
    item = {"name": name[:1000], "type": type_name(value), "size": size(value)}
    item["preview"] = preview(value)
    shape = array_shape(value)
    if shape is not None:
        item["shape"] = shape
    return item


def _from(value, module, *names) -> bool:
    """isinstance of a library's class, without importing the library or asking the object."""
    loaded = sys.modules.get(module)
    if loaded is None:
        return False
    kinds = tuple(k for k in (getattr(loaded, n, None) for n in names) if isinstance(k, type))
    return issubclass(type(value), kinds)


def array_shape(value):
    if not (
        _from(value, "numpy", "ndarray")
        or _from(value, "pandas", "DataFrame", "Series", "Index")
        or _from(value, "torch", "Tensor")
    ):
        return None
    try:
        return [int(n) for n in value.shape]
    except Exception:
        return None


def size(value) -> int:
    """Bytes, cheaply: arrays and frames by what they hold, all else by the object alone."""
    try:
        if _from(value, "numpy", "ndarray"):
            return int(value.nbytes)
        if _from(value, "pandas", "DataFrame"):
            return int(value.memory_usage(deep=False).sum())
        if _from(value, "pandas", "Series", "Index"):
            return int(value.memory_usage(deep=False))
        if _from(value, "torch", "Tensor"):
            return int(value.element_size() * value.nelement())
        if type(type(value)) is type and type(value).__sizeof__ is not object.__sizeof__:
            if type(value).__module__ not in ("builtins", "collections", "array"):
                return object.__sizeof__(value)
        return int(sys.getsizeof(value))
    except Exception:
        return 0


def preview(value) -> str:
    try:
        text = _preview(value, _DEPTH)
    except Exception:
        text = f"<{type_name(value)}>"
    if len(text) > PREVIEW_CHARACTERS_MAX:
        text = text[: PREVIEW_CHARACTERS_MAX - 1] + "…"
    return text


def _preview(value, depth):
    kind = type(value)
    if kind is str:
        return repr(value) if len(value) <= 200 else repr(value[:200]) + "…"
    if kind in (bytes, bytearray):
        return repr(value) if len(value) <= 100 else repr(value[:100]) + "…"
    if kind is int:
        bits = value.bit_length()
        return repr(value) if bits < 600 else f"<int of {bits} bits>"
    if kind in _CHEAP or (kind.__module__ != "__main__" and issubclass(kind, _CHEAP)):
        return repr(value)
    if kind in (list, tuple, set, frozenset):
        return _sequence(value, depth)
    if kind is dict:
        return _mapping(value, depth)
    if issubclass(kind, enum.Enum):
        return f"{kind.__qualname__}.{value._name_}"
    if issubclass(kind, types.ModuleType):
        return f"<module {value.__name__}>"
    if issubclass(kind, type):
        return f"<class {value.__module__}.{value.__qualname__}>"
    if kind is types.FunctionType:
        return f"{value.__qualname__}{_signature(value)}"
    if _from(value, "numpy", "generic"):
        return str(value)
    if _from(value, "numpy", "ndarray"):
        return _array(value)
    if _from(value, "pandas", "DataFrame"):
        names = ", ".join(_preview(n, 1) for n in list(value.columns[:_ITEMS]))
        more = ", …" if value.shape[1] > _ITEMS else ""
        return f"{value.shape[0]} rows × {value.shape[1]} columns: {names}{more}"
    if _from(value, "pandas", "Series", "Index"):
        some = value[:_ITEMS] if _from(value, "pandas", "Index") else value.iloc[:_ITEMS]
        values = ", ".join(_preview(v, 1) for v in some.tolist())
        more = ", …" if value.shape[0] > _ITEMS else ""
        return f"{value.shape[0]} values, {value.dtype}: {values}{more}"
    return f"<{type_name(value)}>"


def _signature(function):
    code = function.__code__
    return f"({', '.join(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])})"


def _sequence(value, depth):
    brackets = {list: "[]", tuple: "()", set: "{}", frozenset: "{}"}[type(value)]
    parts = _some(value, depth)
    if len(value) == 1 and type(value) is tuple:
        parts += ","
    return f"{brackets[0]}{parts}{brackets[1]}" + (
        f" ({len(value)} items)" if len(value) > _ITEMS else ""
    )


def _some(value, depth):
    if depth == 0 and len(value):
        return "…"
    parts = []
    for item in value:
        if len(parts) == _ITEMS:
            parts.append("…")
            break
        parts.append(_preview(item, depth - 1))
    return ", ".join(parts)


def _mapping(value, depth):
    if depth == 0 and value:
        return "{…}"
    parts = []
    for key, item in value.items():
        if len(parts) == _ITEMS:
            parts.append("…")
            break
        parts.append(f"{_preview(key, depth - 1)}: {_preview(item, depth - 1)}")
    return "{" + ", ".join(parts) + "}" + (f" ({len(value)} items)" if len(value) > _ITEMS else "")


def _array(value):
    if value.dtype.hasobject:
        return f"{value.dtype} array"
    # flat[] copies the few elements only, also of a memory-mapped file
    some = ", ".join(str(v) for v in value.flat[:_ITEMS].tolist())
    return f"{value.dtype} array: {some}{', …' if value.size > _ITEMS else ''}"
