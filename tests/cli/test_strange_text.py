"""Text of servers and sandboxes that would steer the terminal, or read other than it is; servers that never come to an end."""
import http.server
import json
import threading

import pytest

from harness.cli import atoll
from harness.terminal import Terminal

pytestmark = pytest.mark.once

# Clears the screen by C1, turns the text round, begins a new line.
STRANGE = "a\x9b2Jb\u202ecod.exe\u2028\u2066"
SHOWN = r"a\u009b2Jb\u202ecod.exe\u2028\u2066"


class Pretender:
    """A server that answers what a test says; whatever it is asked for."""

    def __init__(self, answer):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                status, body = answer(self.path)
                text = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)
            do_DELETE = do_POST = do_GET

            def log_message(self, *words):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.server.shutdown()
        self.server.server_close()


def harmless(text: str) -> bool:
    return not any(c < " " and c != "\n" or "\x7f" <= c <= "\x9f" or c in "\u2028\u202e\u2066" for c in text)


@pytest.mark.parametrize("name", ["a\x9b2J", "\u202etxt.exe", "\u2066x", "\u200fx", "line\u2028line"])
def test_names_that_steer_are_refused(server, name):
    for path, body in [("/v1/sessions", {"name": name}), ("/v1/sessions", {"metadata": {name: "x"}}), ("/thread/new", {"title": name})]:
        answer = server.http.post(path, json=body)
        assert answer.status_code == 400 and "control characters" in answer.text, (path, answer.text)
        assert name not in answer.text
    session = server.session(name="שלום 日本 👩‍💻")  # words of any language are names
    assert server.http.patch(f"/v1/sessions/{session}", json={"name": name}).status_code == 400
    server.http.delete(f"/v1/sessions/{session}")


def test_lists_and_errors_show_what_steers(monkeypatch):
    def answer(path):
        if path.startswith("/v1/sessions?"):
            return 200, {"sessions": [{"id": STRANGE, "name": STRANGE, "state": STRANGE, "template": "default",
                                       "created_at": "2026-01-01T00:00:00Z", "last_used_at": "x"}, {"id": "s-2", "name": "plain"}]}
        if path == "/v1/sessions":
            return 201, {"id": STRANGE}
        return 404, {"code": STRANGE, "detail": f"there is no {STRANGE}"}
    with Pretender(answer) as there:
        monkeypatch.setenv("ATOLL_URL", there.url)
        listed = atoll("ls")
        out = listed.stdout.decode()
        assert harmless(out) and out.count(SHOWN) == 3
        lines = out.splitlines()
        assert len(lines) == 3 and lines[1].index("default") == lines[0].index("TEMPLATE")
        whole = atoll("ls", "--json").stdout.decode()
        assert harmless(whole) and json.loads(whole)["sessions"][0]["name"] == STRANGE  # JSON says the same in other letters
        assert harmless(atoll("new").stdout.decode())
        for words in (["rm", "s-1"], ["logs", "--no-follow", "job"], ["exec", "s-1", "-c", "1"], ["cp", "s-1:/session/a", "-"]):
            failed = atoll(*words)
            assert failed.returncode == 125 and SHOWN in failed.stderr.decode() or words[0] == "cp", failed
            assert harmless(failed.stderr.decode())
        assert harmless(atoll("exec", "s-1", "--json", "-c", "1").stdout.decode())


def test_a_server_that_repeats_its_cursor_does_not_loop(monkeypatch):
    asked = []

    def answer(path):
        asked.append(path)
        if "logs" in path:
            return 200, {"chunks": [{"stream": "stdout", "text": "x"}], "next": 1}
        return 200, {"sessions": [{"id": "s-1"}], "next_cursor": "b" if "cursor=a" in path else "a"}
    with Pretender(answer) as there:
        monkeypatch.setenv("ATOLL_URL", there.url)
        done = atoll("ls", timeout=60)
        assert done.returncode == 125 and b"same cursor again" in done.stderr and len(asked) == 3
        done = atoll("logs", "--no-follow", "job", timeout=60)
        assert done.returncode == 125 and b"does not go on" in done.stderr


def test_output_of_a_program_is_filtered_on_a_terminal_alone(client, server, session, monkeypatch):
    monkeypatch.setenv("ATOLL_URL", server.url)
    code = r"print('\x1b[31mred\x1b[0m \x1b[2Jcleared \x9b2J \u202eturned \x1b]0;title\x07end')"
    raw = client("exec", session, "-c", code).out
    assert raw == "\x1b[31mred\x1b[0m \x1b[2Jcleared \x9b2J \u202eturned \x1b]0;title\x07end\n"
    seen = Terminal("exec", session, "-c", code)
    seen.expect("end")
    assert r"\u001b[2Jcleared \u009b2J \u202eturned \u001b]0;title\u0007end" in seen.seen
    assert "\x1b[31mred\x1b[0m" in seen.seen and "\x1b[2J" not in seen.seen and "\x07" not in seen.seen


def test_downloads_have_names_that_read_as_they_are(server, session):
    name = "invoice\u202efdp.exe\x9b"
    assert server.http.put(f"/v1/sessions/{session}/files/session/{name}", content=b"x").status_code in (200, 201)
    got = server.http.get(f"/v1/sessions/{session}/files/session/{name}", params={"download": "true"})
    assert got.status_code == 200
    assert got.headers["content-disposition"] == 'attachment; filename="invoice_fdp.exe_"'
