"""Files of sessions over HTTP: read, write, list, move, remove, upload, pack, unpack, watch."""

import io
import json
import os
import tarfile
import threading
import time
import zipfile
from urllib.parse import quote

import httpx
import pytest

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def session(server):
    return server.session()


@pytest.fixture
def files(server, session):
    return Files(server, session)


class Files:
    def __init__(self, server, session):
        self.server, self.session = server, session
        self.base = f"/v1/sessions/{session}/files/"

    def ask(self, method, path, **fields):
        return self.server.http.request(method, self.base + path, **fields)

    def put(self, path, content=b"", **fields):
        answer = self.ask("PUT", path, content=content, **fields)
        assert answer.status_code in (200, 201), answer.text
        return answer

    def get(self, path, **fields):
        return self.ask("GET", path, **fields)

    def names(self, path, **params):
        answer = self.get(path, params=params)
        assert answer.status_code == 200, answer.text
        return [one["name"] for one in answer.json()["entries"]]

    def shell(self, code):
        answer = self.server.run(self.session, code, language="shell")
        assert answer["exit_code"] == 0, answer
        return answer["stdout"]


# Read and write

@pytest.mark.parametrize("size", [0, 1, 100_000, 3_000_001])
def test_there_and_back(files, size):
    content = os.urandom(size)
    answer = files.put("session/blob.bin", content, params={"parents": "true"})
    assert answer.json()["size"] == size and answer.headers["etag"] == answer.json()["etag"]
    back = files.get("session/blob.bin")
    assert back.status_code == 200 and back.content == content
    assert int(back.headers["content-length"]) == size and back.headers["etag"] == answer.headers["etag"]
    head = files.ask("HEAD", "session/blob.bin")
    assert (head.status_code, head.headers["content-length"], head.content) == (200, str(size), b"")


def test_new_or_replaced(files):
    first = files.put("session/once.txt", b"1", params={"mode": "600"})
    assert first.status_code == 201 and first.headers["location"] == files.base + "session/once.txt"
    assert files.put("session/once.txt", b"22", params={"mode": "0755", "sync": "true"}).status_code == 200
    assert files.shell("stat -c '%a %s %U' /session/once.txt") == "755 2 user\n"
    entry = files.get("session/once.txt", params={"stat": "1"}).json()["entries"][0]
    assert (entry["name"], entry["path"], entry["type"], entry["mode"]) == \
        ("once.txt", "session/once.txt", "file", "0755")
    assert entry["href"] == files.base + "session/once.txt"


def test_a_chunked_upload(files):
    answer = files.put("session/chunked", (b"x" * 70_000 for _ in range(20)))
    assert answer.json()["size"] == 1_400_000


def test_folders_above_are_made_only_when_asked(files):
    assert files.ask("PUT", "session/no/such/file", content=b"x").status_code == 404
    assert files.put("session/yes/such/file", b"x", params={"parents": "1"}).status_code == 201
    assert files.names("session/yes/such") == ["file"]


@pytest.mark.parametrize("size", [1000, 500_000])  # as bytes over the link, and by a descriptor
def test_ranges(files, size):
    content = os.urandom(size)
    tag = files.put("session/ranged.bin", content).headers["etag"]

    def ask(text, **more):
        return files.get("session/ranged.bin", headers={"Range": text, **more})
    for text, first, last in [("bytes=0-0", 0, 0), ("bytes=10-99", 10, 99), ("bytes=900-", 900, size - 1),
                              ("bytes=-7", size - 7, size - 1), ("bytes=5-99999999", 5, size - 1)]:
        answer = ask(text)
        assert answer.status_code == 206 and answer.content == content[first:last + 1], text
        assert answer.headers["content-range"] == f"bytes {first}-{last}/{size}"
    refused = ask(f"bytes={size}-")
    assert refused.status_code == 416 and refused.headers["content-range"] == f"bytes */{size}"
    assert refused.json()["code"] == "invalid_argument"
    assert ask("bytes=3-4", **{"If-Range": tag}).status_code == 206
    assert ask("bytes=3-4", **{"If-Range": '"other"'}).content == content
    for odd in ["bytes=9-3", "lines=1-2", "bytes=a-b", "bytes=1-2,4-5"]:
        assert ask(odd).status_code == 200


def test_unchanged_files_are_not_sent_again(files):
    put = files.put("session/tagged.txt", b"one")
    read = files.get("session/tagged.txt")
    again = files.get("session/tagged.txt", headers={"If-None-Match": read.headers["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", put.headers["etag"])
    since = files.get("session/tagged.txt", headers={"If-Modified-Since": read.headers["last-modified"]})
    assert since.status_code == 304
    files.shell("printf two! > /session/tagged.txt")
    changed = files.get("session/tagged.txt", headers={"If-None-Match": read.headers["etag"]})
    assert (changed.status_code, changed.content) == (200, b"two!")


@pytest.mark.parametrize("name, kind", [
    ("a.txt", "text/plain"), ("a.HTML", "text/html"), ("a.svg", "image/svg+xml"), ("a.png", "image/png"),
    ("a.csv", "text/csv"), ("a.unknown", "application/octet-stream"), ("none", "application/octet-stream"),
    (".json", "application/json"), ("a.", "application/octet-stream")])
def test_what_a_browser_gets_is_inert(files, name, kind):
    files.put("session/" + name, b"<script>alert(1)</script>")
    answer = files.get("session/" + name)
    assert answer.headers["content-type"].split(";")[0] == kind
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["content-disposition"].startswith("inline")
    saved = files.get("session/" + name, params={"download": "true"})
    assert saved.headers["content-disposition"].startswith(f'attachment; filename="{name}"')


# Names

ODD = ["a b", "ü", "日本", "line\nbreak", "back\\slash", 'quote"', "100%", "?query#", "-rf", " ", "...",
       "‮rtl", "x" * 255, "+plus", ";semi", "a:b"]


@pytest.mark.parametrize("name", ODD + [b"\xff\xferaw", b"half\xc3"])
def test_names_of_any_bytes(files, name):
    raw = name if isinstance(name, bytes) else name.encode()
    files.shell("rm -rf /session/odd; mkdir /session/odd")
    made = files.put("session/odd/" + quote(raw), b"content of it").json()
    assert made["path"] == "session/odd/" + quote(raw, safe="")
    (entry,) = files.get("session/odd").json()["entries"]
    assert entry["name"] == raw.decode(errors="replace")
    assert files.server.http.get(entry["href"]).content == b"content of it"
    # from inside it is the same name
    code = "import os; print([os.fsencode(n).hex() for n in os.listdir('/session/odd')])"
    assert files.server.run(files.session, code)["stdout"] == f"['{raw.hex()}']\n"
    moved = files.server.http.post(f"/v1/sessions/{files.session}/move",
                                   json={"from": entry["path"], "to": entry["path"] + ".x"[:255 - len(raw)]})
    assert moved.status_code in (200, 409), moved.text
    assert files.server.http.delete(moved.json().get("href", entry["href"])).status_code == 204
    assert files.names("session/odd") == []


# Folders

def test_a_folder_page_by_page(files):
    files.shell("rm -rf /session/many; mkdir /session/many; cd /session/many; seq -f 'n%03.0f' 0 249 | xargs touch; mkdir zz")
    seen, after = [], ""
    while True:
        page = files.get("session/many", params={"limit": 100, "after": after}).json()
        assert page["path"] == "session/many" and len(page["entries"]) <= 100
        seen += [one["name"] for one in page["entries"]]
        after = page.get("next_after")
        if after is None:
            break
        files.shell(f"rm /session/many/{seen[-1]}; touch /session/many/a-{len(seen)}")  # moves nothing else
    assert seen == [f"n{i:03}" for i in range(250)] + ["zz"]
    answer = files.get("session/many/")
    assert answer.headers["x-atoll-type"] == "directory" and answer.headers["content-type"] == "application/json"
    assert {"session", "tmp", "usr"} <= set(files.names("", limit=1000))


def test_make_move_remove(files):
    post = files.server.http.post
    folders = f"/v1/sessions/{files.session}/folders/"
    files.shell("rm -rf /session/tree")
    assert files.server.http.put(folders + "session/tree/a/b").status_code == 404
    made = files.server.http.put(folders + "session/tree/a/b", params={"parents": "true"})
    assert made.status_code == 201 and made.json()["type"] == "directory"
    assert files.server.http.put(folders + "session/tree").status_code == 409
    files.put("session/tree/a/f", b"moved")
    files.put("session/tree/there", b"there")
    move = f"/v1/sessions/{files.session}/move"
    refused = post(move, json={"from": "/session/tree/a/f", "to": "/session/tree/there"})
    assert refused.status_code == 409 and files.get("session/tree/there").content == b"there"
    answer = post(move, json={"from": "/session/tree/a/f", "to": "/session/tree/there", "overwrite": True})
    assert answer.json()["path"] == "session/tree/there"
    assert files.get("session/tree/there").content == b"moved"
    assert post(move, json={"from": "/session/tree/there", "to": "/session/tree/x/y/z"}).status_code == 404
    assert post(move, json={"from": "/session/tree/there", "to": "/session/tree/x/y/z", "parents": True}).status_code == 200
    for to in ("/session/tree/gone2", "/tmp/gone"):  # on the same file system, and on another
        answer = post(move, json={"from": "/session/tree/gone", "to": to})
        assert answer.status_code == 404, answer.text
    assert files.ask("DELETE", "session/tree").status_code == 409  # not empty
    assert files.ask("DELETE", "session/tree", params={"recursive": "true"}).status_code == 204
    assert files.get("session/tree").status_code == 404
    assert files.ask("DELETE", "session/tree").status_code == 404


def test_links_are_described_and_followed_inside(files):
    files.shell("cd /session; echo aim > aim; ln -sf aim link; ln -sfn /session folderlink")
    entry = files.get("session/link", params={"stat": "true"}).json()["entries"][0]
    assert (entry["type"], entry["target"]) == ("symlink", "aim")
    assert files.get("session/link").content == b"aim\n"
    assert files.get("session/folderlink/link").content == b"aim\n"
    assert files.ask("DELETE", "session/link").status_code == 204
    assert files.get("session/aim").content == b"aim\n"


# Forms

def test_several_files_in_one_form(files):
    big = os.urandom(2_000_000)
    form = [("files", ("one.txt", b"1")), ("files", ("sub/dir/two.bin", big)), ("files", ("empty", b"")),
            ("files", ('q"uo\\te.txt', b"q"))]
    answer = files.ask("POST", "session/up", files=form, params={"parents": "true"})
    assert answer.status_code == 201, answer.text
    assert [(one["path"], one["size"]) for one in answer.json()["files"]] == [
        ("session/up/one.txt", 1), ("session/up/sub/dir/two.bin", len(big)), ("session/up/empty", 0),
        ("session/up/q%22uo%5Cte.txt", 1)]
    assert files.get("session/up/sub/dir/two.bin").content == big


@pytest.mark.parametrize("form, says", [
    ([("files", ("../x", b"1"))], ".."), ([("files", ("/etc/x", b"1"))], "slash"),
    ([("files", ("a/../../x", b"1"))], ".."), ([("other", ("x", b"1"))], "files"),
    ([("files", ("a//b", b"1"))], "empty part"),
])
def test_forms_that_are_refused(files, form, says):
    answer = files.ask("POST", "session", files=[("files", ("before.txt", b"kept")), *form])
    assert answer.status_code == 400 and says in answer.text
    assert answer.json()["stored"] == ["session/before.txt"]
    assert files.get("session/x").status_code == 404


def test_a_form_is_needed(files):
    assert files.ask("POST", "session", json={}).status_code == 415
    assert files.ask("POST", "session", content=b"x", headers={"Content-Type": "multipart/form-data"}).status_code == 400
    broken = files.ask("POST", "session", content=b'--B\r\nContent-Disposition: form-data; name="files"; filename="half"\r\n\r\nxx',
                       headers={"Content-Type": "multipart/form-data; boundary=B"})
    assert broken.status_code == 400 and files.get("session/half").status_code == 404
    assert files.ask("POST", "session/nowhere", files=[("files", ("a", b"1"))]).status_code == 404


# Archives

@pytest.mark.parametrize("form", ["tar", "tar.gz", "tar.zst", "zip"])
def test_a_folder_as_an_archive_and_back(files, form):
    files.shell("rm -rf /session/pack /session/unpacked; mkdir -p /session/pack/in; cd /session/pack; "
                "echo one > 1.txt; echo two > in/2.txt; head -c 300000 /dev/urandom > big")
    answer = files.get("session/pack", params={"archive": form})
    assert answer.status_code == 200, answer.text
    assert f'filename="pack.{form}"' in answer.headers["content-disposition"]
    if form == "zip":
        assert zipfile.ZipFile(io.BytesIO(answer.content)).read("in/2.txt") == b"two\n"
    elif form != "tar.zst":
        assert tarfile.open(fileobj=io.BytesIO(answer.content)).extractfile("1.txt").read() == b"one\n"
    files.put(f"session/back.{form}", answer.content)
    done = files.server.http.post(f"/v1/sessions/{files.session}/extract",
                                  json={"archive": f"/session/back.{form}", "into": "/session/unpacked"})
    assert done.status_code == 200 and done.json()["entries"] >= 3 and done.json()["skipped"] == [], done.text
    assert files.shell("diff -r /session/pack /session/unpacked && echo same") == "same\n"


def test_an_archive_that_is_sent_along(files):
    def unpack(content, **query):
        return files.server.http.post(f"/v1/sessions/{files.session}/unpack", params=query, content=content,
                                      headers={"Content-Type": "application/octet-stream"})
    files.shell("rm -rf /session/sent /session/unpacked; mkdir -p /session/sent/in; cd /session/sent; "
                "echo one > 1.txt; head -c 3000000 /dev/urandom > in/big")
    content = files.get("session/sent", params={"archive": "tar.gz"}).content
    done = unpack(content, into="/session/unpacked/deep")
    assert done.status_code == 200 and done.json()["entries"] == 3 and done.json()["skipped"] == [], done.text
    assert files.shell("diff -r /session/sent /session/unpacked/deep && echo same") == "same\n"
    files.shell("echo mine > /session/unpacked/deep/1.txt")
    assert unpack(content, into="/session/unpacked/deep", overwrite="false").status_code == 200
    assert files.shell("cat /session/unpacked/deep/1.txt") == "mine\n"
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in ("../evil", "/tmp/../../evil", "good"):
            archive.addfile(tarfile.TarInfo(name))
    done = unpack(out.getvalue(), into="/session/unpacked/more")
    assert done.status_code == 200 and len(done.json()["skipped"]) == 2
    assert files.shell("ls /session/unpacked/more; ls -d /session/unpacked/evil /evil || true") == "good\n"
    for query in ({}, {"into": ""}, {"into": "/session/../etc"}, {"into": "/session", "strip": "x"}, {"into": "/x", "what": "1"}):
        assert unpack(content, **query).status_code == 400, query
    assert unpack(b"no archive", into="/session/nothing").status_code == 400
    assert unpack(content, into="/usr/x").status_code in (403, 409, 507)
    assert unpack(content[:-1000], into="/session/cut").status_code == 400


def test_archives_that_are_none(files):
    assert files.get("session", params={"archive": "rar"}).status_code == 400
    files.put("session/plain.txt", b"no archive")
    assert files.get("session/plain.txt", params={"archive": "zip"}).status_code == 409
    answer = files.server.http.post(f"/v1/sessions/{files.session}/extract",
                                    json={"archive": "/session/plain.txt", "into": "/session/nothing"})
    assert answer.status_code == 400 and answer.json()["detail"].startswith("unpack: "), answer.text


# Watches and artifacts

def test_changes_as_events(files):
    files.shell("rm -rf /session/watched; mkdir /session/watched")
    seen = []
    with files.server.http.stream("GET", f"/v1/sessions/{files.session}/watch",
                                  params={"path": "/session/watched"}) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        name = None
        for line in stream.iter_lines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                if name == "watching":
                    threading.Thread(target=lambda: httpx.put(
                        files.server.url + files.base + "session/watched/" + quote(b"f\xff"), content=b"x")).start()
                else:
                    seen.append((name, json.loads(line[6:])))
                    if seen[-1][1].get("what") == "moved_to":
                        break
    assert ("change", {"what": "moved_to", "path": "session/watched/f%FF", "directory": False}) in seen
    # the session is free again once the client has left
    until = time.monotonic() + 10
    while True:
        status = files.server.http.post(f"/v1/sessions/{files.session}/evict").status_code
        if status == 200 or time.monotonic() > until:
            break
        time.sleep(0.1)
    assert status == 200


def test_a_watch_of_nothing(files):
    answer = files.server.http.get(f"/v1/sessions/{files.session}/watch", params={"path": "/session/nowhere"})
    assert answer.status_code == 404 and answer.json()["code"] == "not_found"


def test_artifacts(files):
    files.server.run(files.session, "import os\nos.makedirs('/session/artifacts/sub', exist_ok=True)\n"
                                    "os.makedirs('/data/outputs', exist_ok=True)\n"
                                    "open('/session/artifacts/sub/r.csv','w').write('1,2')\n"
                                    "open('/data/outputs/p.png','w').write('png')")
    answer = files.server.http.get(f"/v1/sessions/{files.session}/artifacts").json()
    assert answer["complete"] and [one["path"] for one in answer["artifacts"]] == \
        ["data/outputs/p.png", "session/artifacts/sub/r.csv"]
    assert files.server.http.get(answer["artifacts"][1]["href"]).text == "1,2"


def test_a_sleeping_session_is_woken(server):
    files = Files(server, server.session())
    files.put("session/kept", b"kept")
    assert server.http.post(f"/v1/sessions/{files.session}/evict").json()["state"] == "cold"
    assert files.get("session/kept").content == b"kept"
    server.http.delete(f"/v1/sessions/{files.session}")
    assert files.get("session/kept").status_code == 404


# Bad input

@pytest.mark.parametrize("method, path, params, status", [
    ("GET", "session/absent", {}, 404), ("GET", "session", {"limit": "0"}, 400),
    ("GET", "session", {"after": "%"}, 400), ("GET", "session", {"unknown": "1"}, 400),
    ("PUT", "session", {}, 409), ("PUT", "", {}, 400), ("PUT", "session/x/", {}, 400),
    ("PUT", "session/x", {"mode": "9"}, 400), ("PUT", "usr/bin/x", {}, 403), ("PUT", "session/" + "y" * 256, {}, 400),
    ("DELETE", "", {"recursive": "true"}, (403, 409)), ("DELETE", "session", {"recursive": "true"}, (403, 409)),
    ("GET", "etc/shadow", {}, (403, 404)), ("GET", "session/" + "a/" * 300, {}, 400), ("PATCH", "session", {}, 405),
])
def test_bad_input_gets_a_sentence(server, method, path, params, status):
    files = Files(server, server.session())
    answer = files.ask(method, path, params=params, content=b"x" if method == "PUT" else None)
    allowed = status if isinstance(status, tuple) else (status,)
    assert answer.status_code in allowed, answer.text
    assert answer.headers["content-type"].startswith("application/problem+json") and answer.json()["detail"]
    server.http.delete(f"/v1/sessions/{files.session}")


def test_another_session_is_not_there(server):
    for method, rest in [("GET", "files/session"), ("PUT", "files/session/x"), ("DELETE", "files/session/x"),
                         ("GET", "artifacts"), ("GET", "watch?path=/session"), ("PUT", "folders/session/y")]:
        assert server.http.request(method, f"/v1/sessions/s-none/{rest}").status_code == 404


def test_the_document_has_it_all(server):
    paths = server.http.get("/openapi.json").json()["paths"]
    assert set(paths["/v1/sessions/{id}/files/{path}"]) >= {"get", "put", "post", "delete"}
    for rest in ["folders/{path}", "move", "extract", "unpack", "watch", "artifacts"]:
        assert f"/v1/sessions/{{id}}/{rest}" in paths
