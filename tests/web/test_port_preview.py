"""A page of a session's own web server in a real browser, by host name: what it can do, and what it cannot."""

import httpx
from harness.analyst import Analyst
from playwright.sync_api import expect


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


def start(server, http=None):
    """A session whose web server listens at 8080."""
    http = http or server.http
    session = http.post("/v1/sessions", json={}).json()["id"]
    code = INSIDE % PAGE.replace("API", server.url)
    process = http.post(f"/v1/sessions/{session}/processes", json={"argv": ["python3", "-c", code]}).json()
    output = f"/v1/sessions/{session}/processes/{process['id']}/output"
    with http.stream("GET", output, headers={"Accept": "text/event-stream"}) as events:
        assert any("listening" in line for line in events.iter_lines())
    return session


SEEN = {"own": "cookies: own=1", "api": "refused", "cookie": "own=1", "kept": "kept", "colour": "rgb(1, 2, 3)"}


def test_a_preview_has_an_origin_of_its_own(offline, context):
    server = offline
    session = start(server)
    page = context.new_page()
    page.goto(f"http://8080-{session}.localhost:{server.url.rsplit(':', 1)[1]}/deep/page.html")
    assert page.evaluate("window.done") == SEEN
    assert context.cookies(server.url) == [], "a cookie reached the API's origin"


def test_the_list_of_ports_says_where_to_open_them(offline):
    session = start(offline)
    port = offline.url.rsplit(":", 1)[1]
    ports = lambda **headers: offline.http.get(f"/v1/sessions/{session}/ports", headers=headers).json()["ports"]  # noqa: E731
    assert ports() == [{"port": 8080, "href": f"http://8080-{session}.localhost:{port}/"}]
    assert ports(Host="localhost") == [{"port": 8080, "href": f"http://8080-{session}.localhost/"}]
    # 127.0.0.2 is this machine, too, but no browser takes *.localhost there.
    assert ports(Host="127.0.0.2") == [{"port": 8080, "href": f"/v1/sessions/{session}/ports/8080/"}]
    policy = lambda host: offline.http.get("/ui", headers={"Host": host}).headers["Content-Security-Policy"]  # noqa: E731
    assert policy(f"localhost:{port}").endswith(f"frame-src 'self' http://*.localhost:{port}")
    assert policy("127.0.0.2").endswith("frame-src 'self'")
    # On disk nothing listens, and asking wakes nobody.
    assert offline.http.post(f"/v1/sessions/{session}/evict").is_success
    assert ports() == []
    assert offline.http.get(f"/v1/sessions/{session}").json()["state"] == "cold"
    assert offline.http.get("/v1/sessions/s-" + "a" * 32 + "/ports").status_code == 404


# Not what the page says of itself: a browser may refuse storage to a page in a frame, which ends its script.
ASKED = """async (api) => {
  const own = await (await fetch("/data", { method: "POST", body: "x" })).text();
  const answer = await fetch(api + "/v1/sessions").then((one) => one.text(), () => "refused");
  return { own: own.startsWith("cookies: "), token: own.includes("atoll_port_token"), api: answer };
}"""


def preview_in(page, server, session):
    page.get_by_role("button", name="Preview").click()
    frame = page.frame_locator('iframe[title="Port 8080"]')
    # Its style comes by a request of its own.
    expect(frame.get_by_text("text", exact=True)).to_have_css("color", "rgb(1, 2, 3)")
    inside = next(one for one in page.frames if one.url.startswith(f"http://8080-{session}.localhost:"))
    assert "token" not in inside.url
    assert inside.evaluate(ASKED, server.url) == {"own": True, "token": False, "api": "refused"}
    assert page.evaluate("document.querySelector('iframe').contentDocument") is None


def test_a_preview_inside_the_page(offline, page):
    page.may_complain = True  # of the request that is refused
    session = start(offline)
    page.goto(f"{offline.url}/ui/s/{session}?panel=ports")
    preview_in(page, offline, session)


def test_a_preview_inside_the_page_with_keys(tmp_path, page):
    page.may_complain = True
    admin = "an-administrators-key-for-previews-0123456789"
    server = Analyst(tmp_path, environment={"OPENAI_API_KEY": "", "OPENAI_BASE_URL": "", "ATOLL_ADMIN_KEY": admin})
    try:
        with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {admin}"}, timeout=120) as http:
            session = start(server, http)
            page.goto(f"{server.url}/ui/s/{session}?panel=ports")
            box = page.get_by_label("API key", exact=True)
            box.fill(admin)
            box.press("Enter")
            preview_in(page, server, session)
    finally:
        assert server.stop() == 0
