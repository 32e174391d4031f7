"""JSON that a strict parser on the other side accepts, whatever user code put into it.

Display data and error texts come from user code: NaN, lone surrogates, bytes, numpy scalars,
objects that contain themselves. The host drops a kernel whose messages do not parse, so nothing
invalid may leave.
"""

import base64
import json

_strict = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_DEPTH_MAX = 64


def encode(value) -> bytes:
    try:
        text = _strict.encode(value)
    except (TypeError, ValueError, RecursionError):
        text = _strict.encode(_clean(value, _DEPTH_MAX))
    try:
        return text.encode()
    except UnicodeEncodeError:  # a lone surrogate has no UTF-8, and its JSON escape is refused too
        return text.encode("utf-8", "replace")


def decode(payload: bytes):
    return json.loads(payload.decode())


def base64_text(data) -> str:
    return base64.b64encode(data).decode("ascii")


def _clean(value, depth):
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        number = float(value)
        return number if number - number == 0 else None  # NaN and infinities have no JSON
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64_text(value)
    if depth == 0:
        return "<nested too deeply>"
    if isinstance(value, dict):
        return {safe_text(key): _clean(item, depth - 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_clean(item, depth - 1) for item in value]
    item = getattr(value, "item", None)  # numpy scalars
    if callable(item):
        try:
            plain = item()
            if isinstance(plain, (bool, int, float, str)):
                return _clean(plain, 0)
        except Exception:
            pass
    return safe_text(value)


def safe_text(value, limit=65536) -> str:
    """str() that cannot fail and cannot be huge."""
    try:
        text = str(value)
    except BaseException as error:  # noqa: B036 - __str__ of user code may raise anything
        if isinstance(error, KeyboardInterrupt):
            raise
        text = f"<{type(value).__name__}: its text cannot be made ({type(error).__name__})>"
    if len(text) > limit:
        text = f"{text[:limit]}… [{len(text) - limit} more characters]"
    return text
