"""A page of a session's own web server in a real browser, by host name: what it can do, and what it cannot."""

import time

PAGE = """<!doctype html><link rel=stylesheet href=/style.css><p id=text>text</p><script>
document.cookie = "own=1; path=/"; localStorage.own = "kept";
window.done = (async () => {
  const own = await (await fetch("/data", { method: "POST", body: "x" })).text();
  let api = "refused";
  try { api = await (await fetch("API/v1/sessions")).text() } catch (error) {}
  return { own, api, cookie: document.cookie, kept: localStorage.own, colour: getComputedStyle(text).color };
})()</script>"""

INSIDE = """
import http.server
PAGE = %r
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def do_GET(self):
        kind, body = ("text/css", "p { color: rgb(1, 2, 3) }") if self.path == "/style.css" else ("text/html", PAGE)
        if self.command == "POST": kind, body = "text/plain", "cookies: " + self.headers.get("Cookie", "")
        self.send_response(200); self.send_header("Content-Type", kind); self.send_header("Content-Length", str(len(body)))
        self.end_headers(); self.wfile.write(body.encode())
    do_POST = do_GET
server = http.server.ThreadingHTTPServer(("127.0.0.1", 8080), Handler)
print("listening", flush=True)
server.serve_forever()
"""


def test_a_preview_has_an_origin_of_its_own(offline, context):
    server = offline
    session = server.session()
    code = INSIDE % PAGE.replace("API", server.url)
    process = server.http.post(f"/v1/sessions/{session}/processes", json={"argv": ["python3", "-c", code]}).json()
    until = time.monotonic() + 60
    while "listening" not in server.http.get(f"/v1/sessions/{session}/processes/{process['id']}/output").json()["stdout"]:
        assert time.monotonic() < until
        time.sleep(0.05)
    page = context.new_page()
    page.goto(f"http://8080-{session}.localhost:{server.url.rsplit(':', 1)[1]}/deep/page.html")
    seen = page.evaluate("window.done")
    assert seen == {"own": "cookies: own=1", "api": "refused", "cookie": "own=1", "kept": "kept", "colour": "rgb(1, 2, 3)"}
    assert context.cookies(server.url) == [], "a cookie reached the API's origin"
