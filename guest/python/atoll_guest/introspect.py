"""op "complete" and op "inspect": what an editor asks."""

from . import wire
from .errors import plain

_MATCHES_MAX = 500
_TEXT_CHARACTERS_MAX = 60_000


def complete(shell, request: dict) -> dict:
    from IPython.core.completer import provisionalcompleter, rectify_completions

    code = request["code"]
    cursor = _cursor(request, code)
    with provisionalcompleter():
        found = list(rectify_completions(code, shell.Completer.completions(code, cursor)))
    if not found:
        return {"matches": [], "start": cursor, "end": cursor}
    matches = list(dict.fromkeys(one.text for one in found))[:_MATCHES_MAX]
    return {"matches": matches, "start": found[0].start, "end": found[0].end}


def inspect(shell, request: dict) -> dict:
    from IPython.utils.tokenutil import token_at_cursor

    code = request["code"]
    name = token_at_cursor(code, _cursor(request, code))
    if not name:
        return {"found": False, "name": ""}
    try:
        data = shell.object_inspect_mime(name, detail_level=int(request.get("detail", 0)))
    except KeyError:
        return {"found": False, "name": name}
    text = plain(data.get("text/plain", ""))
    return {"found": True, "name": name, "text": wire.safe_text(text, _TEXT_CHARACTERS_MAX)}


def _cursor(request, code):
    cursor = request.get("cursor")
    return len(code) if cursor is None else max(0, min(int(cursor), len(code)))
