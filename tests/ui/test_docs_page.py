"""The documentation page in a real Chromium, against a small server of its own on 127.0.0.1.

The server sends the strictest Content-Security-Policy that the page promises to live with, so an
inline script, a style attribute or markup from a string shows as a console message and fails.
"""

import contextlib
import http.server
import json
import threading
import time
from pathlib import Path

import pytest
from playwright import sync_api as playwright


PAGE = Path(__file__).resolve().parents[2] / "src/api/docs_page/page"
POLICY = ("default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
          "object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript",
         ".svg": "image/svg+xml"}
MARKUP = '<img src=x onerror="window.reached=1"><script>window.reached=1</script>'


def operation(name, **more):
    answers = {"200": {"description": "Done."}}
    return {"operationId": name, "tags": ["Things"], "summary": name.replace("_", " "),
            "responses": answers, **more}


def parameter(name, where, schema, **more):
    return {"name": name, "in": where, "schema": schema, "description": f"The {name}.", **more}


ID = parameter("id", "path", {"type": "string", "examples": ["a b"]}, required=True)
FILE = {"type": "string", "contentMediaType": "application/octet-stream"}
SCHEMAS = {
    "Thing": {
        "type": "object", "description": "A thing.", "required": ["name"],
        "properties": {
            "name": {"type": "string", "maxLength": 64, "examples": ["taxi"]},
            "limits": {"$ref": "#/components/schemas/Limits", "description": "What it may use."},
            "children": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}},
        },
    },
    "Limits": {"type": "object", "properties": {
        "memory": {"type": "integer", "minimum": 5, "default": 7}}},
}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Sample", "version": "1.2.3", "description": "With `code`."},
    "tags": [{"name": "Things", "description": "All of them."}],
    "components": {"schemas": SCHEMAS},
    "paths": {
        "/v1/things": {
            "get": operation("list_things", parameters=[
                parameter("limit", "query", {"type": "integer", "default": 5}),
                parameter("tag", "query", {"type": "array", "items": {"type": "string"}}),
            ]),
            "post": operation("create_thing", requestBody={"content": {"application/json": {
                "schema": {"$ref": "#/components/schemas/Thing"}}}}),
        },
        "/v1/things/{id}/events": {"get": operation("watch_thing", parameters=[ID])},
        "/v1/things/{id}/files": {"post": operation("upload", parameters=[ID], requestBody={
            "content": {"multipart/form-data": {"schema": {"type": "object", "properties": {
                "overwrite": {"type": "boolean"}, "file": {"type": "array", "items": FILE},
            }}}}})},
        "/v1/things/{id}/files/{path}": {"get": operation("read_file", parameters=[
            ID, parameter("path", "path", {"type": "string", "examples": ["a/b c.csv"]},
                          required=True, **{"x-atoll-slashes": True})])},
    },
}


def hostile(value):
    """The same document by somebody who would like to run a script."""
    kept = {"$ref", "type", "in", "name", "operationId", "openapi", "contentMediaType", "tags"}
    if isinstance(value, dict):
        return {k: v if k in kept else hostile(v) for k, v in value.items()}
    if isinstance(value, list):
        return [hostile(v) for v in value]
    return value + MARKUP if isinstance(value, str) else value


HOSTILE = hostile(DOCUMENT)
HOSTILE["paths"]["//127.0.0.1:9/x"] = {"get": operation("elsewhere")}
HOSTILE["paths"]["/__proto__"] = {"get": operation("__proto__", tags=["__proto__"])}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="application/json", **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def events(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        with contextlib.suppress(BrokenPipeError):  # the page may stop listening
            for i in range(3):
                self.wfile.write(f"event: output\r\ndata: line {i} {MARKUP}\r\n\r\n".encode())
                self.wfile.flush()
                time.sleep(0.2)

    def handle_any(self):
        path = self.path.split("?")[0]
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        for base, document in (("/docs/", DOCUMENT), ("/hostile/", HOSTILE)):
            if not path.startswith(base):
                continue
            name = path.removeprefix(base) or "index.html"
            if name == "openapi.json":
                return self.answer(200, json.dumps(document).encode())
            file = PAGE / name
            return self.answer(200, file.read_bytes(), TYPES[file.suffix])
        if path.endswith("/events"):
            return self.events()
        if "/files/" in path:
            return self.answer(200, b"\x00\x01\x02" * 500, "application/octet-stream",
                               Content_Disposition='attachment; filename="b c.csv"')
        seen = {"method": self.command, "target": self.path, "body": body.decode(errors="replace"),
                "authorization": self.headers.get("Authorization")}
        text = json.dumps({"seen": seen, "markup": MARKUP})
        return self.answer(200, text[:-1].encode() + b',"big":18446744073709551615}')

    do_GET = do_POST = do_PUT = do_DELETE = handle_any


@pytest.fixture(scope="module")
def origin():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture
def page(chromium):
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
    page = context.new_page()
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    yield page
    assert page.evaluate("window.reached") is None, "markup of the document was run"
    context.close()
    assert said == [], "the browser complained"


def open_operation(page, url, name):
    page.goto(f"{url}#{name}")
    page.reload()
    box = page.locator(f"[id='op-{name}']")
    box.locator("form").wait_for()
    return box


def heads(page, document):
    """The lines that unfold an operation, once the page has shown the whole document."""
    found = page.locator(".operation-head")
    playwright.expect(found).to_have_count(sum(len(path) for path in document["paths"].values()))
    return found.all()


def send(box):
    box.locator("button[type=submit]").click()
    box.locator(".status strong").wait_for()
    return box


def answer_of(box):
    return json.loads(send(box).locator(".answer pre").text_content())["seen"]


def test_search_finds_and_says_when_nothing_is_there(page, origin):
    page.goto(origin + "/docs/")
    page.locator(".operation").first.wait_for()
    assert page.locator(".operation:visible").count() == 5
    page.keyboard.press("/")
    page.keyboard.type("post files")
    assert page.locator(".operation:visible").count() == 1
    page.keyboard.type("zzz")
    assert page.get_by_text("Nothing matches.").is_visible()
    page.keyboard.press("Escape")
    assert page.locator(".operation:visible").count() == 5


def test_schemas_unfold_even_when_they_contain_themselves(page, origin):
    box = open_operation(page, origin + "/docs/", "create_thing")
    about = box.locator(".about")
    assert about.get_by_text("A thing.").first.is_visible()
    limits = about.locator(".field", has=page.locator("code.name", has_text="limits")).first
    limits.locator("summary").click()
    for _ in range(3):
        about.locator("section").first.locator("details:not([open]) > summary").last.click()
    assert about.locator("code.name", has_text="children").count() >= 3
    assert about.get_by_text("≥ 5").first.is_visible()


def test_a_request_is_sent_as_filled_in(page, origin):
    box = open_operation(page, origin + "/docs/", "create_thing")
    page.fill("#key", "secret-key")
    command = box.locator(".command").text_content()
    assert "$ATOLL_API_KEY" in command and "secret-key" not in command
    seen = answer_of(box)
    assert seen["authorization"] == "Bearer secret-key"
    assert json.loads(seen["body"]) == {"name": "taxi"}
    assert "18446744073709551615" in box.locator(".answer pre").text_content()

    box.locator("textarea.json").fill("{oops")
    assert box.get_by_text("This is not valid JSON").is_visible()


def test_the_key_stays_in_the_tab(page, origin):
    page.goto(origin + "/docs/")
    page.fill("#key", "secret-key")
    page.reload()
    assert page.input_value("#key") == "secret-key"
    assert page.evaluate("JSON.stringify(localStorage) + document.cookie") == "{}"


def test_query_and_paths_are_encoded(page, origin):
    box = open_operation(page, origin + "/docs/", "list_things")
    box.get_by_label("tag").fill("a&b\nc")
    assert answer_of(box)["target"] == "/v1/things?tag=a%26b&tag=c"
    box = open_operation(page, origin + "/docs/", "read_file")
    assert "/v1/things/a%20b/files/a/b%20c.csv" in box.locator(".command").text_content()
    with page.expect_download() as download:
        send(box).locator("a[download]").click()
    assert download.value.suggested_filename == "b c.csv"
    assert Path(download.value.path()).stat().st_size == 1500


def test_files_are_uploaded_as_a_form(page, origin, tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("hello")
    box = open_operation(page, origin + "/docs/", "upload")
    box.locator("input[type=file]").set_input_files([str(file)])
    box.get_by_label("overwrite").select_option("true")
    body = answer_of(box)["body"]
    assert 'filename="a.txt"' in body and "hello" in body and 'name="overwrite"' in body
    assert "-F 'file=@a.txt'" in box.locator(".command").text_content()


def test_events_are_shown_as_they_come(page, origin):
    box = open_operation(page, origin + "/docs/", "watch_thing")
    send(box)
    box.locator(".events li").first.wait_for()
    assert box.get_by_text("Streaming…").is_visible()
    box.get_by_text("The stream has ended.").wait_for()
    assert box.locator(".events li").count() == 3
    send(box)
    box.locator(".actions").get_by_text("Stop").click()
    box.get_by_text("Stopped.").wait_for()


def test_the_language_changes_and_nothing_typed_is_lost(page, origin):
    box = open_operation(page, origin + "/docs/", "list_things")
    box.get_by_label("limit").fill("17")
    page.get_by_role("button", name="中文").click()
    assert box.get_by_role("heading", name="参数").is_visible()
    assert box.get_by_role("button", name="发送").is_visible()
    assert box.get_by_label("limit").input_value() == "17"
    page.reload()
    assert page.get_by_placeholder("搜索").is_visible()
    page.get_by_role("button", name="EN", exact=True).click()
    assert page.get_by_placeholder("Search").is_visible()


def test_choices_of_the_web_interface_count_here(page, origin):
    page.goto(origin + "/docs/")
    colour = "getComputedStyle(document.documentElement).getPropertyValue('--ground')"
    seen = {}
    for theme in ("light", "dark"):
        page.evaluate(f"localStorage.setItem('atoll.language', 'zh'); localStorage.setItem('atoll.theme', '{theme}')")
        page.reload()
        page.get_by_placeholder("搜索").wait_for()
        seen[theme] = page.evaluate(colour)
    assert seen["light"] != seen["dark"]


def test_the_list_says_where_one_is_and_leads_back(page, origin):
    page.goto(origin + "/docs/")
    link = page.locator("#contents a").nth(1)
    link.click()
    box = page.locator("[id='op-create_thing']")
    box.locator("form").wait_for()
    assert page.locator("#contents a[aria-current]").all_text_contents() == link.all_text_contents()
    box.locator(".operation-head").click()
    box.locator("form").wait_for(state="hidden")
    link.click()  # the address is the same as before
    box.locator("form").wait_for()
    page.locator("[id='op-list_things'] .operation-head").click()
    assert page.locator("#contents a[aria-current]").get_attribute("href") == "#list_things"
    assert box.locator(".command").text_content().startswith("curl -X POST 'http")
    assert page.locator("[id='op-list_things'] .command").text_content().startswith("curl 'http")


def test_it_can_be_used_with_the_keyboard(page, origin):
    page.goto(origin + "/docs/")
    head = page.locator(".operation-head").first
    head.focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-expanded") == "true"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.operation') !== null")


def test_a_hostile_document_is_only_text(page, origin):
    page.goto(origin + "/hostile/")
    for head in heads(page, HOSTILE):
        head.click()
    for _ in range(200):  # each round unfolds what the one before has made
        page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        page.wait_for_timeout(50)
        if page.get_by_text(MARKUP).count() > 20:
            break
    assert page.get_by_text(MARKUP).count() > 20
    page.fill("#key", "secret-key")
    box = page.locator("[id='op-elsewhere']")
    box.locator("button[type=submit]").click()
    assert box.get_by_text("leads to another server").first.is_visible()
    page.locator("[id='op-__proto__'] button[type=submit]").click()
    page.locator("[id='op-__proto__'] .status strong").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone(chromium, origin, scheme):
    context = chromium.new_context(viewport={"width": 360, "height": 740}, is_mobile=True,
                                   has_touch=True, color_scheme=scheme)
    page = context.new_page()
    page.goto(origin + "/docs/")
    for head in heads(page, DOCUMENT):
        head.tap()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    context.close()
