"""op "export" and op "import": a session's variables as bytes, one by one.

The container is a row of entries, each self-describing:

    u32 length of the header | header, JSON | body

    header  {"name", "type", "kind", "bytes": of the body, …}
    kind    pickle  {"pickle": n, "buffers": [n, …]}: a pickle (protocol 5), then its large buffers,
                    out of band, so that a frame of 2 GiB is not copied to be sent
            module  {"module": "pandas"}: imported again
            alias   {"of": "a"}: the same object as that name
            source  a function or class as source text, where cloudpickle is not there

A variable whose name is no text has no place in a header: it is among those that failed, its name
escaped.

One by one, so that a variable which cannot be exported costs itself alone and is named with the
reason. The price: an object that two variables share *inside* (a list that holds df, and df) comes
back as two. Two names of one object come back as one.

Functions of the session are tied to the session's namespace again when they come back, not to a
copy of the globals they had.

Pickles are loaded inside the sandbox only: hostile content is that session's own.
"""

import importlib
import inspect
import io
import json
import pickle
import struct
import types

from . import wire
from .variables import escaped, type_name, unnamed, user_names

try:
    import cloudpickle
except ImportError:
    cloudpickle = None

CHUNK_BYTES = 256 << 10
_OUT_OF_BAND_BYTES_MIN = 16 << 10
_HEADER_BYTES_MAX = 1 << 20
_REASON_CHARACTERS_MAX = 300
_DONE_BYTES_MAX = 200_000
_LENGTH = struct.Struct("<I")
_ATOMS = (int, float, complex, bool, str, bytes, type(None))

_namespace = {}  # where functions that come back find their globals: the shell's


def bind_namespace(names: dict):
    global _namespace
    _namespace = names


# Export


def export_variables(shell, outlet, request: dict) -> dict:
    bind_namespace(shell.user_ns)
    names = request.get("names")
    exported, failed = [], []
    if names is None:
        names = user_names(shell)
        for name, value in unnamed(shell):
            reason = "its name is no text, and only names that are can be kept"
            failed.append({"name": escaped(name), "type": type_name(value), "reason": reason})
    first_name = {}
    for name in names:
        if name not in shell.user_ns:
            failed.append({"name": name, "type": "", "reason": "there is no variable of this name"})
            continue
        value = shell.user_ns[name]
        kind = type_name(value)
        try:
            header, parts = _entry(value, first_name)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: B036 - __reduce__ of user code may raise anything
            failed.append({"name": name, "type": kind, "reason": _reason(error)})
            continue
        if not isinstance(value, _ATOMS):
            first_name.setdefault(id(value), name)
        header = {"name": name, "type": kind, **header, "bytes": sum(map(len, parts))}
        head = wire.encode(header)
        parts = [_LENGTH.pack(len(head)) + head, *parts]
        total = sum(map(len, parts))
        outlet.event(
            {
                "event": "variable",
                "name": name,
                "type": kind,
                "kind": header["kind"],
                "bytes": total,
            }
        )
        _send_bytes(outlet.link, parts)
        exported.append(name)
    return _bounded({"exported": exported, "failed": failed})


def _entry(value, first_name):
    """The header's own fields and the body's parts, as bytes and memory views."""
    if isinstance(value, types.ModuleType):
        importlib.import_module(value.__name__)  # a module made by hand cannot come back
        return {"kind": "module", "module": value.__name__}, []
    same = first_name.get(id(value))
    if same is not None:
        return {"kind": "alias", "of": same}, []
    try:
        body, buffers = _dumps(value)
    except Exception:
        if cloudpickle is None and isinstance(value, (types.FunctionType, type)):
            source = inspect.getsource(value)
            return {"kind": "source"}, [inspect.cleandoc("\n" + source).encode()]
        raise
    header = {"kind": "pickle", "pickle": len(body), "buffers": [len(one) for one in buffers]}
    return header, [body, *buffers]


def _dumps(value):
    buffers = []

    def keep_in_band(buffer):
        try:
            view = buffer.raw()
        except BufferError:  # not contiguous
            return True
        if len(view) < _OUT_OF_BAND_BYTES_MIN:
            return True
        buffers.append(view)
        return False

    file = io.BytesIO()
    _Pickler(file, protocol=5, buffer_callback=keep_in_band).dump(value)
    return file.getbuffer(), buffers


class _Pickler(cloudpickle.Pickler if cloudpickle else pickle.Pickler):
    def reducer_override(self, obj):
        if type(obj) is types.FunctionType and obj.__globals__ is _namespace and cloudpickle:
            return _reduce_function(obj)
        if isinstance(obj, io.IOBase) and not isinstance(obj, (io.StringIO, io.BytesIO)):
            # cloudpickle would turn it into a copy of its text in memory, without a word
            raise pickle.PicklingError("an open file cannot be carried over")
        if cloudpickle:
            return super().reducer_override(obj)
        return NotImplemented


def _reduce_function(function):
    cells = function.__closure__ or ()
    state = {
        "defaults": function.__defaults__,
        "kwdefaults": function.__kwdefaults__,
        "annotations": dict(function.__annotations__),
        "attributes": dict(function.__dict__),
        "doc": function.__doc__,
        "module": function.__module__,
        "qualname": function.__qualname__,
        "cells": [_cell_content(cell) for cell in cells],
    }
    made_of = (function.__code__, function.__name__, len(cells))
    # In two steps, because a closure may contain the function itself.
    return make_function, made_of, state, None, None, fill_function


def _cell_content(cell):
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def make_function(code, name, cell_count):
    cells = tuple(types.CellType() for _ in range(cell_count))
    return types.FunctionType(code, _namespace, name, None, cells or None)


def fill_function(function, state):
    function.__defaults__ = state["defaults"]
    function.__kwdefaults__ = state["kwdefaults"]
    function.__annotations__ = state["annotations"]
    function.__dict__.update(state["attributes"])
    function.__doc__ = state["doc"]
    function.__module__ = state["module"]
    function.__qualname__ = state["qualname"]
    for cell, content in zip(function.__closure__ or (), state["cells"]):
        if content:
            cell.cell_contents = content[0]


def _send_bytes(link, parts):
    for part in parts:
        view = memoryview(part).cast("B") if not isinstance(part, bytes) else memoryview(part)
        for start in range(0, len(view), CHUNK_BYTES):
            link.send("b", bytes(view[start : start + CHUNK_BYTES]))


# Import


def import_variables(shell, link, request: dict) -> dict:
    """Takes the container in 'b' messages until 'f'. A damaged container ends the import there."""
    bind_namespace(shell.user_ns)
    imported, failed = [], []
    source = _Incoming(link)
    try:
        while True:
            header = _read_header(source)
            if header is None:
                break
            name = header["name"]
            try:
                value = _load(header, source, shell)
            except _Damaged:
                raise
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: B036 - __setstate__ may raise anything
                reason = _reason(error)
                failed.append({"name": name, "type": header["type"], "reason": reason})
                continue
            shell.user_ns[name] = value
            imported.append(name)
    except _Damaged as error:
        return _bounded({"imported": imported, "failed": failed, "error": str(error)})
    finally:
        source.drain()
    return _bounded({"imported": imported, "failed": failed})


class _Damaged(Exception):
    pass


def _read_header(source):
    prefix = source.read(_LENGTH.size, end_allowed=True)
    if prefix is None:
        return None
    (length,) = _LENGTH.unpack(prefix)
    if length > _HEADER_BYTES_MAX:
        raise _Damaged("the container is damaged: a header is too long")
    try:
        header = json.loads(bytes(source.read(length)))
        sizes = header.get("buffers", []) + [header["bytes"], header.get("pickle", 0)]
        texts = (header["name"], header["type"], header["kind"])
        if all(isinstance(n, int) and n >= 0 for n in sizes) and all(type(t) is str for t in texts):
            return header
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise _Damaged("the container is damaged: a header is not one of ours")


def _load(header, source, shell):
    kind = header["kind"]
    if kind == "pickle":
        # bytearrays: arrays that come back over them are writable, without another copy
        body = source.read(header["pickle"])
        buffers = [source.read(length) for length in header["buffers"]]
        return pickle.loads(body, buffers=buffers)
    body = source.read(header["bytes"])
    if kind == "module":
        return importlib.import_module(header["module"])
    if kind == "alias":
        if header["of"] not in shell.user_ns:
            raise LookupError(f"it is the same object as {header['of']}, which did not come back")
        return shell.user_ns[header["of"]]
    if kind == "source":
        scope = {}
        exec(compile(bytes(body), f"<{header['name']}>", "exec"), shell.user_ns, scope)
        return list(scope.values())[-1]
    raise ValueError(f"unknown kind of entry {kind!r}")


class _Incoming:
    """The 'b' messages as one stream that ends at 'f'."""

    def __init__(self, link):
        self._link = link
        self._chunk = memoryview(b"")
        self._ended = False

    def _next(self):
        while not self._ended and not self._chunk:
            message = self._link.receive()
            if message is None or message[0] == "f":
                self._ended = True
            elif message[0] == "b":
                self._chunk = memoryview(message[1])

    def read(self, count, end_allowed=False):
        data = bytearray(min(count, CHUNK_BYTES))  # grows as bytes come: `count` is only a claim
        filled = 0
        while filled < count:
            self._next()
            if self._ended:
                if end_allowed and filled == 0:
                    return None
                raise _Damaged("the container is damaged: it ends inside an entry")
            part = self._chunk[: count - filled]
            if filled + len(part) > len(data):
                data.extend(bytes(min(count - len(data), max(len(data), len(part)))))
            data[filled : filled + len(part)] = part
            filled += len(part)
            self._chunk = self._chunk[len(part) :]
        return data

    def drain(self):
        while not self._ended:
            self._chunk = memoryview(b"")
            self._next()


def _reason(error) -> str:
    text = f"{type(error).__name__}: {wire.safe_text(error, _REASON_CHARACTERS_MAX)}"
    return text[:_REASON_CHARACTERS_MAX]


def _bounded(done):
    """`done` has to fit one frame; the events before it had every name already."""
    for key in ("exported", "imported", "failed"):
        if key in done:
            done[f"{key}_count"] = len(done[key])
    while len(wire.encode(done)) > _DONE_BYTES_MAX:
        longest = max((v for v in done.values() if isinstance(v, list)), key=len)
        del longest[len(longest) // 2 :]
    return done
