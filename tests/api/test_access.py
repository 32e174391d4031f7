"""Who may come in: keys, scopes, owners, tokens, origins, rate limits, quotas, the audit log (rows A1-A3, B3, B5)."""

import base64
import json
import os
import re
import sqlite3
import stat
import subprocess
import time

import httpx
import pytest
from harness.cli import ATOLL, atoll
from harness.server import Server

pytestmark = pytest.mark.once

ADMIN = "an-administrators-key-for-these-tests-0123456789"


class Keyed(Server):
    """A server with keys: an administrator's, and what the tests make."""

    def client(self, key=None, **headers) -> httpx.Client:
        if key:
            headers["Authorization"] = f"Bearer {key}"
        return httpx.Client(base_url=self.url, timeout=60, headers=headers)

    def key(self, owner, *scopes, **fields) -> str:
        with self.client(ADMIN) as admin:
            answer = admin.post("/v1/keys", json={"owner": owner, "scopes": list(scopes), **fields})
            assert answer.status_code == 201, answer.text
            return answer.json()["key"]

    def audit(self, **parameters) -> list[dict]:
        with self.client(ADMIN) as admin:
            answer = admin.get("/v1/audit", params={"limit": 1000, **parameters})
            assert answer.status_code == 200, answer.text
            return answer.json()["records"]


@pytest.fixture(scope="module")
def keyed(tmp_path_factory):
    running = Keyed(tmp_path_factory.mktemp("keyed"), "--access-log", environment={"ATOLL_ADMIN_KEY": ADMIN})
    yield running
    assert running.stop() == 0


def problem(answer, status):
    assert answer.status_code == status, (answer.request.method, answer.request.url, answer.status_code, answer.text)
    assert answer.headers["content-type"].startswith("application/problem+json")
    return answer.json()


def examples(document, schema) -> dict:
    """A body of which the schema says that it is good: the required fields with their examples."""
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    made = {}
    for name in schema.get("required", []):
        field = schema["properties"][name]
        values = field.get("examples") or [field.get("example", field.get("default", "x"))]
        made[name] = values[0]
    return made


def every_route(document):
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            if method in ("get", "post", "put", "patch", "delete"):
                yield method.upper(), path, route


def asked(client, document, method, path, route, **values):
    """The request that the document describes, with these values in its path."""
    for name in re.findall(r"\{(\w+)\}", path):
        path = path.replace("{%s}" % name, str(values.get(name, {"port": 8080, "path": "session/a.txt"}.get(name, "none"))))
    bodies = route.get("requestBody", {}).get("content", {})
    body = bodies.get("application/json")
    sent = {"json": examples(document, body["schema"])} if body else {}
    if method == "POST" and path.endswith("/processes"):
        sent["json"]["command"] = "true"  # either this or argv, which a schema does not say
    if "multipart/form-data" in bodies:
        sent = {"files": {"file": ("a.txt", b"content")}}
    sent["params"] = {one["name"]: one["schema"].get("examples", ["/session"])[0]
                      for one in route.get("parameters", []) if one["in"] == "query" and one.get("required")}
    return client.request(method, path, **sent)


# ---- A1: keys, and where they are needed -----------------------------------------------------------------------------


def test_a1_beyond_this_machine_it_refuses_to_start_without_keys(tmp_path):
    ended = subprocess.run([ATOLL, "serve", "--listen", "0.0.0.0:0", "--data-dir", tmp_path],
                           capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1 and "API keys" in ended.stderr and "--make-key" in ended.stderr
    ended = subprocess.run([ATOLL, "serve", "--listen", "[::]:0", "--require-keys", "never", "--data-dir", tmp_path],
                           capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2 and "never" in ended.stderr


def test_a1_it_makes_one_key_and_prints_it_once(tmp_path):
    server = Keyed(tmp_path, "--make-key", listen="0.0.0.0:0")
    try:
        said = (tmp_path / "log").read_text()
        (key,) = re.findall(r"atl_[a-z2-7]{16}_[a-z2-7]{52}", said)
        assert "plain HTTP" in said  # keys in clear on a wire: it says so
        with server.client() as nobody:
            refused = nobody.get("/v1/sessions")
            problem(refused, 401)
            assert refused.headers["www-authenticate"].startswith("Bearer")
            assert nobody.get("/healthz").status_code == 200
        with server.client(key) as owner:
            assert owner.get("/v1/keys").json()["keys"][0]["scopes"] == ["admin"]
            assert owner.post("/v1/run", json={"code": "print(2)"}).json()["stdout"] == "2\n"
        server.stop()
        for line in (tmp_path / "data").iterdir():
            if line.is_file():
                assert key.rsplit("_", 1)[1].encode() not in line.read_bytes(), line
        server.start()  # the key is there: no second one
        assert len(re.findall(r"atl_[a-z2-7]{16}_", (tmp_path / "log").read_text())) == 1
        with server.client(key) as owner:
            assert owner.get("/v1/sessions").status_code == 200
    finally:
        server.stop()


def test_on_this_machine_it_works_at_once_and_the_first_key_closes_it(own_server):
    assert own_server.http.get("/v1/sessions").status_code == 200
    assert own_server.http.get("/v1/sessions", headers={"Authorization": "Bearer anything"}).status_code == 200
    problem(own_server.http.get("/v1/sessions", headers={"Authorization": "Bearer atl_not_ours"}), 401)
    data = str(own_server.folder / "data")
    made = atoll("key", "--data-dir", data, "create", "--name", "first")  # while the server runs
    key = made.stdout.decode().strip()
    assert re.fullmatch(r"atl_[a-z2-7]{16}_[a-z2-7]{52}", key), made.stderr
    assert b"from now on the server requires a key" in made.stderr
    problem(own_server.http.get("/v1/sessions"), 401)
    good = {"Authorization": f"Bearer {key}"}
    assert own_server.http.get("/v1/sessions", headers=good).status_code == 200
    listed = json.loads(atoll("key", "--data-dir", data, "list", "--json").stdout)["keys"]
    assert [one["name"] for one in listed] == ["first"] and "key" not in listed[0]
    assert atoll("key", "--data-dir", data, "revoke", listed[0]["id"]).returncode == 0
    problem(own_server.http.get("/v1/sessions", headers=good), 401)
    problem(own_server.http.get("/v1/sessions"), 401)  # taking the last key away opens nothing
    assert atoll("key", "--data-dir", data, "revoke", "none").returncode == 1
    own_server.stop()
    usual = json.loads(atoll("key", "create", "--data-dir", data, "--owner", "ann", "--json").stdout)
    assert set(usual["scopes"]) == {"sessions:read", "sessions:write", "run", "files", "jobs", "threads"}
    stopped = atoll("key", "--data-dir", data, "create", "--scope", "admin", "--json")  # and while it does not
    assert json.loads(stopped.stdout)["scopes"] == ["admin"]
    assert b"revoked" in atoll("key", "list", "--data-dir", data).stdout
    assert b"from now on" not in atoll("key", "create", "--data-dir", data).stderr
    own_server.start()
    assert own_server.http.get("/v1/keys", headers={"X-API-Key": json.loads(stopped.stdout)["key"]}).status_code == 200


@pytest.mark.parametrize("words, says", [
    (["create", "--scope", "everything"], b"there is no scope"), (["create", "--owner", "a b"], b"--owner"),
    (["create", "--lifetime", "soon"], b"--lifetime")])
def test_key_commands_that_make_no_sense(tmp_path, words, says):
    done = atoll("key", "--data-dir", str(tmp_path), *words)
    assert done.returncode == 2 and says in done.stderr and not done.stdout


def test_the_files_of_secrets_are_for_their_owner_alone(keyed):
    for name in ("atoll.db", "token.key", "control.sock"):
        assert stat.S_IMODE((keyed.folder / "data" / name).stat().st_mode) & 0o077 == 0, name


def test_keys_are_kept_as_digests(keyed):
    key = keyed.key("digest", "run")
    secret = key.rsplit("_", 1)[1]
    with sqlite3.connect(f"file:{keyed.folder}/data/atoll.db?mode=ro", uri=True) as database:
        rows = database.execute("SELECT * FROM api_keys").fetchall()
    assert rows and not any(secret in str(value) for row in rows for value in row)
    assert secret not in (keyed.folder / "log").read_text()


# ---- Wrong, absent, lacking ------------------------------------------------------------------------------------------


def test_every_route_of_the_document_needs_a_key(keyed):
    document = keyed.http.get("/openapi.json").json()
    count = 0
    with keyed.client() as nobody, keyed.client("atl_aaaaaaaaaaaaaaaa_" + "a" * 52) as wrong:
        for method, path, route in every_route(document):
            for client in (nobody, wrong):
                answer = asked(client, document, method, path, route)
                if not route["security"]:
                    assert answer.status_code < 500 and answer.status_code != 401
                else:
                    if path.startswith("/v1/chat/") or path in ("/v1/models", "/v1/models/{id}"):
                        assert answer.status_code == 401 and answer.json()["error"]["code"] == "invalid_api_key"
                    else:
                        problem(answer, 401)
                    assert answer.headers["www-authenticate"].startswith("Bearer realm=")
                    count += 1
    assert count > 20


def test_every_route_needs_its_scope(keyed):
    """A key with every scope but one is refused where that one is needed, and nowhere else."""
    document = keyed.http.get("/openapi.json").json()
    scopes = ["sessions:read", "sessions:write", "run", "files", "jobs", "metrics"]
    for lacking in scopes:
        with keyed.client(keyed.key("lacking", *[one for one in scopes if one != lacking])) as client:
            for method, path, route in every_route(document):
                needed = route.get("x-atoll-scope")
                if not route["security"] or (needed not in (lacking, "admin") and path != "/v1/audit"):
                    continue
                refused = problem(asked(client, document, method, path, route), 403)
                assert refused["scope"] == needed
    for _, path, route in every_route(document):
        assert not route["security"] or route["x-atoll-scope"], path


def test_each_route_has_the_scope_of_what_it_is_about(keyed):
    """Derived from the path: one that nobody thought of would need `admin`, or pass for the session itself."""
    document = keyed.http.get("/openapi.json").json()
    scopes = {path: {route.get("x-atoll-scope") for route in methods.values() if "x-atoll-scope" in route}
              for path, methods in document["paths"].items()}
    for part in ("files/{path}", "folders/{path}", "move", "extract", "unpack", "watch", "artifacts"):
        assert scopes[f"/v1/sessions/{{id}}/{part}"] == {"files"}, part
    for part in ("run", "contexts", "processes", "terminal", "ports/{port}/{path}"):
        assert scopes[f"/v1/sessions/{{id}}/{part}"] == {"run"}, part
    assert scopes["/v1/outputs/{run_id}/{path}"] == {"run"}
    assert {path for path, needed in scopes.items() if "admin" in needed} == {
        "/v1/keys", "/v1/keys/{id}", "/v1/audit", "/v1/model-settings", "/v1/models/probe"}


@pytest.mark.parametrize("headers", [
    {"Authorization": "Bearer"}, {"Authorization": "Basic YTpi"},
    {"Authorization": "Bearer atl_"}, {"Authorization": "Bearer atl__"}, {"Authorization": "Bearer att_aa.aa"},
    {"Authorization": "Bearer " + "x" * 5000}, {"X-API-Key": "atl_" + "%00" * 9}, {"X-API-Key": ""},
    {"Authorization": "Bearer \u00ff\u00fe".encode("latin-1")}, {"Cookie": f"key={ADMIN}"}])
def test_what_is_no_key(keyed, headers):
    problem(keyed.http.get("/v1/sessions", headers=headers), 401)
    problem(keyed.http.get("/v1/sessions", params={"token": ADMIN}), 401)


def test_both_headers_work_and_a_key_ends(keyed):
    key = keyed.key("ends", "sessions:read", lifetime="1s")
    assert keyed.http.get("/v1/sessions", headers={"X-API-Key": key}).status_code == 200
    assert keyed.http.get("/v1/sessions", headers={"authorization": f"bearer {key}"}).status_code == 200
    problem(keyed.http.get("/v1/sessions", headers={"X-API-Key": key[:-1] + ("a" if key[-1] != "a" else "b")}), 401)
    until = time.monotonic() + 20
    while keyed.http.get("/v1/sessions", headers={"X-API-Key": key}).status_code == 200:
        assert time.monotonic() < until
        time.sleep(0.1)


@pytest.mark.parametrize("body, says", [
    ({"scopes": ["root"]}, "scopes[0]"), ({"owner": "../x"}, "owner"), ({"owner": ""}, "owner"),
    ({"name": "a\nb"}, "name"), ({"lifetime": 0}, "lifetime"), ({"scopes": "run"}, "scopes"), ({"admin": True}, "admin")])
def test_bad_wishes_for_keys(keyed, body, says):
    with keyed.client(ADMIN) as admin:
        before = len(admin.get("/v1/keys", params={"limit": 1000}).json()["keys"])
        assert says in json.dumps(problem(admin.post("/v1/keys", json=body), 400))
        assert len(admin.get("/v1/keys", params={"limit": 1000}).json()["keys"]) == before


# ---- A2: owners ------------------------------------------------------------------------------------------------------


def test_a2_another_owners_session_is_not_there_on_any_route(keyed):
    """Every route of the document that has a session in its path, with a real id of somebody else."""
    mine, other = (keyed.key(owner, "sessions:read", "sessions:write", "run", "files", "jobs") for owner in ("ann", "bob"))
    document = keyed.http.get("/openapi.json").json()
    tried = 0
    with keyed.client(mine) as ann, keyed.client(other) as bob:
        session = ann.post("/v1/sessions", json={"name": "private"}).json()["id"]
        assert len(session) >= 2 + 128 // 5  # 128 bits and more, in letters of 5
        ann.post(f"/v1/sessions/{session}/run", json={"code": "x = 1"})
        for method, path, route in every_route(document):
            if not path.startswith("/v1/sessions/{id}"):
                continue
            answer = asked(bob, document, method, path, route, id=session)
            if path.endswith("/ports/{port}"):
                assert answer.status_code == 308  # to the same with a slash, whosever it is
                continue
            assert answer.status_code in (404, 426), (method, path, answer.status_code, answer.text)
            assert "private" not in answer.text
            none = asked(bob, document, method, path, route, id="s-" + "a" * 32)
            assert none.status_code == answer.status_code, (method, path)  # nothing tells them apart
            tried += 1
        assert session not in bob.get("/v1/sessions").text
        assert ann.post(f"/v1/sessions/{session}/run", json={"code": "print(x)"}).json()["stdout"] == "1\n"
        assert ann.delete(f"/v1/sessions/{session}").status_code == 204
    assert tried >= 9


# ---- A3: secrets stay outside ----------------------------------------------------------------------------------------


def test_a3_no_key_is_inside_a_sandbox(keyed):
    with keyed.client(ADMIN) as admin:
        session = admin.post("/v1/sessions").json()["id"]
        code = "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'; find / -name 'token.ke[y]' -o -name 'atoll.d[b]' 2>/dev/null"
        answer = admin.post(f"/v1/sessions/{session}/run", json={"code": code, "language": "shell"}).json()
        assert "PATH" in answer["stdout"]
        for secret in ("administrators", "ADMIN_KEY", "token.key", "atoll.db", "atl_", "att_"):
            assert secret not in answer["stdout"] + answer["stderr"], secret


# ---- B3: tokens ------------------------------------------------------------------------------------------------------


def test_a2_what_a_run_left_is_its_owners(keyed):
    with keyed.client(keyed.key("ann", "run")) as ann, keyed.client(keyed.key("bob", "run")) as bob:
        ran = ann.post("/v1/run", json={"code": "open('/work/artifacts/secret.txt', 'w').write('ann')"}).json()
        href = f"/v1/outputs/{ran['run_id']}/secret.txt"
        assert ann.get(href).text == "ann"
        problem(bob.get(href), 404)


@pytest.fixture(scope="module")
def tokens(keyed):
    key = keyed.key("tokens", "sessions:read", "sessions:write", "run", "files")
    with keyed.client(key) as client:
        first, second = (client.post("/v1/sessions").json()["id"] for _ in range(2))

        def make(session=first, scopes=("terminal",), seconds=60, status=201):
            answer = client.post(f"/v1/sessions/{session}/tokens", json={"scopes": list(scopes), "seconds": seconds})
            assert answer.status_code == status, answer.text
            return answer.json()
        make.key, make.first, make.second, make.client = key, first, second, client
        yield make


def test_b3_a_token_opens_what_it_is_for_and_nothing_else(keyed, tokens):
    token = tokens(scopes=["terminal", "ports"])["token"]
    with keyed.client(token) as holder:
        for path in ("terminal", "ports/8080/", "ports/8080/a/b"):
            for answer in (holder.get(f"/v1/sessions/{tokens.first}/{path}"),
                           keyed.http.get(f"/v1/sessions/{tokens.first}/{path}", params={"token": token})):
                assert answer.status_code not in (401, 403), (path, answer.text)
        for method, path in [("GET", f"/v1/sessions/{tokens.first}"), ("POST", f"/v1/sessions/{tokens.first}/run"),
                             ("GET", "/v1/sessions"), ("POST", "/v1/run"), ("GET", "/v1/keys"), ("GET", "/v1/audit"),
                             ("GET", "/v1/info"), ("POST", f"/v1/sessions/{tokens.first}/tokens"),
                             ("DELETE", f"/v1/sessions/{tokens.first}"), ("GET", f"/v1/sessions/{tokens.second}")]:
            body = {"code": "1"} if path.endswith("run") else {"scopes": ["files"]} if path.endswith("tokens") else None
            problem(holder.request(method, path, json=body), 403)


def test_b3_other_session_other_scope_expired_changed_or_none(keyed, tokens):
    document = keyed.http.get("/openapi.json").json()
    there = {path for path in document["paths"]}
    token = tokens(scopes=["files"])["token"]
    expired = tokens(scopes=["files", "terminal", "ports"], seconds=1)["token"]
    time.sleep(1.2)
    changed = token[:-3] + ("aaa" if token[-3:] != "aaa" else "bbb")
    payload = json.loads(decoded(token.removeprefix("att_").split(".")[0]))
    assert payload["s"] == tokens.first
    forged = "att_" + encoded(json.dumps({**payload, "s": tokens.second}).encode()) + "." + token.split(".")[1]
    for part, pattern in [("files/session/a.txt", "/v1/sessions/{id}/files/{path}"), ("terminal", "/v1/sessions/{id}/terminal"),
                          ("ports/8080/", "/v1/sessions/{id}/ports/{port}/{path}")]:
        if pattern not in there:
            continue  # this server has no such route: nothing to open
        for bad in (expired, changed, forged, "att_", "att_.", token.replace(".", ""), ""):
            problem(keyed.http.get(f"/v1/sessions/{tokens.first}/{part}", params={"token": bad}), 401)
        problem(keyed.http.get(f"/v1/sessions/{tokens.first}/{part}"), 401)
        problem(keyed.http.get(f"/v1/sessions/{tokens.second}/{part}", params={"token": token}), 403)
        if not part.startswith("files"):
            problem(keyed.http.get(f"/v1/sessions/{tokens.first}/{part}", params={"token": token}), 403)
    for bad in (expired, changed, forged):
        problem(keyed.http.get("/v1/info", headers={"Authorization": f"Bearer {bad}"}), 401)


def encoded(data: bytes) -> str:
    return base64.b32encode(data).decode().rstrip("=").lower()


def decoded(letters: str) -> bytes:
    return base64.b32decode(letters.upper() + "=" * (-len(letters) % 8))


def test_b3_a_token_ends_with_its_key(keyed):
    key = keyed.key("mortal", "sessions:write", "run")
    with keyed.client(key) as client:
        session = client.post("/v1/sessions").json()["id"]
        token = client.post(f"/v1/sessions/{session}/tokens", json={"scopes": ["terminal"]}).json()["token"]
        assert client.get("/v1/info").status_code == 200
    with keyed.client(token) as holder, keyed.client(ADMIN) as admin:
        problem(holder.get("/v1/info"), 403)  # known, but for something else
        assert admin.delete(f"/v1/keys/{key.split('_')[1]}").json()["revoked_at"]
        problem(holder.get("/v1/info"), 401)


def test_b3_nobody_gives_away_what_they_have_not(keyed, tokens):
    with keyed.client(keyed.key("tokens", "sessions:write", "files")) as client:
        answer = client.post(f"/v1/sessions/{tokens.first}/tokens", json={"scopes": ["terminal", "files"]})
        assert problem(answer, 403)["scope"] == "run"
    for body in ({}, {"scopes": []}, {"scopes": ["run"]}, {"scopes": ["files"], "seconds": 0},
                 {"scopes": ["files"], "seconds": 86401}):
        problem(tokens.client.post(f"/v1/sessions/{tokens.first}/tokens", json=body), 400)


def test_secrets_are_in_no_log(keyed, tokens):
    token = tokens(scopes=["terminal"])["token"]
    keyed.http.get(f"/v1/sessions/{tokens.first}/terminal", params={"token": token})
    keyed.http.get("/healthz", params={"token": token, "key": ADMIN}, headers={"X-Request-Id": "seen-in-log"})
    until = time.monotonic() + 20
    while "seen-in-log" not in (log := (keyed.folder / "log").read_text()):
        assert time.monotonic() < until
        time.sleep(0.05)
    assert token not in log and "att_" not in log and ADMIN not in log and "atl_" not in log
    assert f"/v1/sessions/{tokens.first}/terminal" in log


# ---- B5: browsers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("headers", [
    {"Host": "evil.example"}, {"Host": "localhost.evil.example"}, {"Origin": "https://evil.example"}, {"Origin": "null"},
    {"Host": "127.0.0.1.evil.example"}])
def test_b5_wrong_hosts_and_origins_are_refused_with_keys_too(keyed, headers):
    with keyed.client(ADMIN, **headers) as client:
        problem(client.get("/v1/sessions"), 403)
        problem(client.post("/v1/run", json={"code": "1"}), 403)
        upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
                   "Sec-WebSocket-Key": base64.b64encode(b"x" * 16).decode()}
        problem(client.get("/v1/sessions/s-none/terminal", headers=upgrade), 403)


def test_b5_an_origin_is_ours_with_its_scheme_and_port(keyed):
    """A page of the same name by another scheme, or on another port, is somebody else's."""
    at = keyed.url.removeprefix("http://")
    port = at.rsplit(":", 1)[1]
    for origin, status in [(f"http://{at}", 200), (f"https://{at}", 403), ("http://127.0.0.1", 403), (f"ws://{at}", 403),
                           ("http://127.0.0.1:1", 403), (f"http://localhost:{port}", 403), (f"http://{at}.evil.example", 403)]:
        with keyed.client(ADMIN, Origin=origin) as client:
            assert client.get("/v1/sessions").status_code == status, origin


def test_b5_a_host_is_an_address_and_nothing_behind_it(server):
    """Also where no key is needed, and a name that points here would be let in."""
    for host, status in [("[::1]", 200), ("[::1]:80", 200), ("localhost:80", 200), ("127.0.0.1", 200), ("[::1].evil.example", 400),
                         ("[::1]:80.evil.example", 400), ("[::1", 400), ("[::1]evil", 400), ("[evil.example]", 400),
                         ("[::2]", 403), ("127.0.0.1.evil.example", 403), ("localhost:80:80", 400)]:
        assert server.http.get("/v1/sessions", headers={"Host": host}).status_code == status, host


def test_b5_a_websocket_without_origin_needs_its_token(keyed, tokens):
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
               "Sec-WebSocket-Key": base64.b64encode(b"x" * 16).decode()}
    answer = keyed.http.get(f"/v1/sessions/{tokens.first}/terminal", headers=upgrade)
    assert answer.status_code in (401, 404)  # 404: this server has no terminals
    assert answer.status_code == 401 or "/v1/sessions/{id}/terminal" not in keyed.http.get("/openapi.json").text


def test_b5_allowed_origins_and_hosts(tmp_path):
    server = Keyed(tmp_path, "--allowed-origin", "https://app.example", "--allowed-host", "atoll.example",
                   environment={"ATOLL_ADMIN_KEY": ADMIN})
    try:
        page = {"Origin": "https://app.example"}
        with server.client(ADMIN, **page) as client:
            answer = client.get("/v1/sessions")
            assert answer.status_code == 200 and answer.headers["access-control-allow-origin"] == page["Origin"]
            before = client.options("/v1/sessions", headers={"Access-Control-Request-Method": "POST"})
            assert before.status_code == 204 and "POST" in before.headers["access-control-allow-methods"]
            assert "authorization" in before.headers["access-control-allow-headers"].lower()
        with server.client(**page) as nobody:
            # What a browser asks before it shows a token: it has no credentials, and gets nothing but the answer to that.
            at_port = "/v1/sessions/s-x/ports/8000/index.html"
            before = nobody.options(at_port, headers={"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization"})
            assert before.status_code == 204 and before.headers["access-control-allow-origin"] == page["Origin"]
            problem(nobody.options(at_port), 401)
            by_host = nobody.options("/", headers={"Host": "8000-s-x.localhost", "Access-Control-Request-Method": "GET"})
            assert by_host.status_code in (401, 403)
            refused = nobody.get("/v1/sessions")
            problem(refused, 401)
            assert refused.headers["access-control-allow-origin"] == page["Origin"]  # the page may read why
        for host, status in [("atoll.example", 200), ("atoll.example:8443", 200), ("192.0.2.7", 200), ("[2001:db8::1]:80", 200),
                             ("other.example", 403), ("192.0.2.7.evil", 403), ("atoll.example.evil", 403)]:
            assert server.client(ADMIN, Host=host).get("/v1/sessions").status_code == status, host
        # Behind a proxy with TLS: the operator has named the host.
        for origin, status in [("https://atoll.example", 200), ("http://atoll.example", 200), ("https://atoll.example:8443", 403)]:
            with server.client(ADMIN, Host="atoll.example", Origin=origin) as client:
                assert client.get("/v1/sessions").status_code == status, origin
        with server.client(ADMIN, Host="192.0.2.7", Origin="https://192.0.2.7") as client:
            problem(client.get("/v1/sessions"), 403)
        with server.client(ADMIN, Origin="https://app.example.evil") as client:
            refused = client.get("/v1/sessions")
            problem(refused, 403)
            assert "access-control-allow-origin" not in refused.headers
    finally:
        server.stop()


# ---- Rate limits and quotas ------------------------------------------------------------------------------------------


def test_rate_limits_by_key_and_by_address(tmp_path):
    server = Keyed(tmp_path, environment={"ATOLL_ADMIN_KEY": ADMIN, "RATE_LIMIT_MAX": "20",
                                          "RATE_LIMIT_WINDOW_MS": "3600000"})
    try:
        key = server.key("ann", "sessions:read")
        for client in (server.client(key), server.client()):
            statuses = [client.get("/v1/sessions").status_code for _ in range(25)]
            assert statuses.count(429) == 5 and set(statuses[:20]) <= {200, 401}, statuses
            last = client.get("/v1/sessions")
            assert problem(last, 429)["code"] == "rate_limited" and int(last.headers["retry-after"]) > 60
            assert client.get("/healthz").status_code == 200
        assert server.client(ADMIN).get("/v1/sessions").status_code == 200  # others are not touched
        assert server.client("wrong-key").get("/v1/sessions").status_code == 429  # guessing counts by address
    finally:
        server.stop()


def test_without_keys_the_address_is_counted(tmp_path):
    server = Server(tmp_path, environment={"RATE_LIMIT_MAX": "5", "RATE_LIMIT_WINDOW_MS": "3600000"})
    try:
        assert [server.http.get("/v1/info").status_code for _ in range(8)] == [200] * 5 + [429] * 3
    finally:
        server.stop()


@pytest.fixture(scope="module")
def narrow(tmp_path_factory):
    running = Keyed(tmp_path_factory.mktemp("narrow"), environment={
        "ATOLL_ADMIN_KEY": ADMIN, "ATOLL_QUOTA_SESSIONS": "3", "ATOLL_QUOTA_MEMORY": "600m",
        "ATOLL_QUOTA_CPU_PER_DAY": "2s", "SESSION_MAX_BYTES": "3000000", "ATOLL_QUOTA_DISK": "20m"})
    yield running
    running.stop()


def everything(server, owner):
    return server.client(server.key(owner, "sessions:read", "sessions:write", "run", "files"))


def small(**more):
    return {"limits": {"memory_bytes_max": 256 << 20}, **more}


def test_quota_of_sessions_and_memory(narrow):
    with everything(narrow, "ann") as ann, everything(narrow, "bob") as bob:
        made = [ann.post("/v1/sessions", json=small()).json()["id"] for _ in range(2)]
        assert "quotas.memory" in problem(ann.post("/v1/sessions", json=small()), 429)["detail"]
        assert len(ann.get("/v1/sessions").json()["sessions"]) == 2  # nothing is left of the third
        assert bob.post("/v1/sessions", json=small()).status_code == 201
        assert "quotas.memory" in problem(ann.post("/v1/run", json=small(code="1")), 429)["detail"]
        assert ann.post(f"/v1/sessions/{made[0]}/evict").status_code == 200  # asleep it holds none
        third = ann.post("/v1/sessions", json=small())
        assert third.status_code == 201, third.text
        assert "quotas.memory" in problem(ann.post(f"/v1/sessions/{made[0]}/run", json={"code": "1"}), 429)["detail"]
        assert ann.delete(f"/v1/sessions/{third.json()['id']}").status_code == 204
        assert ann.post(f"/v1/sessions/{made[0]}/run", json={"code": "print(1)"}).json()["stdout"] == "1\n"
        assert ann.post(f"/v1/sessions/{made[1]}/evict").status_code == 200
        third = ann.post("/v1/sessions", json=small()).json()["id"]
        ann.post(f"/v1/sessions/{third}/evict")
        assert "session" in problem(ann.post("/v1/sessions", json=small()), 429)["detail"]


def test_quota_of_disk(narrow):
    with everything(narrow, "disk") as owner:
        session = owner.post("/v1/sessions", json=small()).json()["id"]
        run = f"/v1/sessions/{session}/run"
        write = "for name in 'fg': open(f'/session/{name}', 'wb').write(b'x' * 2_000_000)"
        assert owner.post(run, json={"code": write}).json()["reason"] in ("exited", "disk")
        assert "sessions.max_bytes" in problem(owner.post(run, json={"code": "1"}), 429)["detail"]
        assert owner.get(f"/v1/sessions/{session}").status_code == 200


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user's sandboxes have no cgroup that counts processor time")
def test_quota_of_processor_time(narrow):
    with everything(narrow, "busy") as busy, everything(narrow, "calm") as calm:
        spin = "import time\nend = time.process_time() + 1.2\nwhile time.process_time() < end: pass"
        until = time.monotonic() + 60
        while (answer := busy.post("/v1/run", json=small(code=spin))).status_code == 200:
            assert time.monotonic() < until
        assert "quotas.cpu_per_day" in problem(answer, 429)["detail"]
        assert calm.post("/v1/run", json=small(code="1")).status_code == 200
        assert busy.get("/v1/sessions").status_code == 200
    narrow.stop()
    narrow.start()  # what was used today is not forgotten
    with narrow.client(narrow.key("busy", "run")) as busy:
        assert problem(busy.post("/v1/run", json=small(code="1")), 429)


def test_unused_sessions_end(tmp_path):
    server = Server(tmp_path, environment={"SESSION_TTL_S": "3"})
    try:
        unused, used = server.session(), server.session()
        gone = lambda one: server.http.get(f"/v1/sessions/{one}").status_code == 404
        until = time.monotonic() + 60
        while not gone(unused):
            assert server.run(used, "1")["exit_code"] == 0
            assert time.monotonic() < until
            time.sleep(0.3)
        server.kill()
        server.start()
        assert not gone(used)
        until = time.monotonic() + 60
        while not gone(used):  # also after a restart
            assert time.monotonic() < until
            time.sleep(0.3)
        assert not any((server.folder / "data/sessions").glob("s-*"))
    finally:
        server.stop()


# ---- The audit log ---------------------------------------------------------------------------------------------------


def test_the_audit_log(keyed):
    key = keyed.key("audited", "sessions:read", "sessions:write")
    with keyed.client(key) as client:
        session = client.post("/v1/sessions", headers={"X-Request-Id": "audit-1"}).json()["id"]
        problem(client.post("/v1/run", json={"code": "1"}), 403)
        client.delete(f"/v1/sessions/{session}")
        problem(client.get("/v1/audit"), 403)
    with keyed.client(ADMIN) as admin:
        admin.delete(f"/v1/keys/{key.split('_')[1]}")
    until = time.monotonic() + 20
    while True:
        mine = [one for one in keyed.audit() if one["key_id"] == key.split("_")[1] or one["object"] == key.split("_")[1]]
        deeds = [(one["action"], one["outcome"], one["object"]) for one in reversed(mine)]
        if deeds and deeds[-1][0] == "key.revoke":
            break
        assert time.monotonic() < until, deeds
        time.sleep(0.05)
    key_id = key.split("_")[1]
    assert deeds == [("key.create", "ok", key_id), ("session.create", "ok", session), ("request.denied", "forbidden", ""),
                     ("session.delete", "ok", session), ("request.denied", "forbidden", ""), ("key.revoke", "ok", key_id)]
    created = next(one for one in mine if one["action"] == "session.create")
    assert created["owner"] == "audited" and created["request_id"] == "audit-1"
    assert created["detail"]["address"] == "127.0.0.1"
    assert any(one["action"] == "server.start" for one in keyed.audit())
    assert key not in json.dumps(keyed.audit())


def made_by(keyed, key, count):
    """What the audit log says that this key made, once it says so much."""
    until = time.monotonic() + 20
    while True:
        mine = [one for one in reversed(keyed.audit()) if one["key_id"] == key.split("_")[1]]
        if len(mine) >= count:
            return mine
        assert time.monotonic() < until, mine
        time.sleep(0.05)


def test_what_is_made_at_its_first_use_is_in_the_audit_log(keyed):
    """Sessions of runs, tools and MCP calls, and threads of conversations; once each, also if they are used again."""
    key = keyed.key("first-use", "sessions:read", "sessions:write", "run", "threads")
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "run_python", "arguments": {"session_id": "by-mcp", "code": "1"},
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                  "io.modelcontextprotocol/clientCapabilities": {}}}}
    with keyed.client(key) as client:
        for _ in range(2):
            assert client.post("/v1/run", json={"session_id": "by-run", "code": "1"}).status_code == 200
            assert client.post("/v1/tools/run_python", json={"session_id": "by-tool", "code": "1"}).status_code == 200
            answer = client.post("/mcp", json=call, headers={"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call",
                                                             "Mcp-Name": "run_python"})
            assert answer.status_code == 200, answer.text
        asked = {"model": "atoll", "messages": [{"role": "user", "content": "how many rows?"}]}
        first = client.post("/v1/chat/completions", json=asked)
        assert first.status_code == 200, first.text
        asked["messages"] += [first.json()["choices"][0]["message"], {"role": "user", "content": "total amount"}]
        assert client.post("/v1/chat/completions", json=asked).headers["X-Atoll-Thread"] == first.headers["X-Atoll-Thread"]
        again = client.post("/v1/chat/completions", json=asked)  # the thread has gone on since
        names = {one["name"]: one["id"] for one in client.get("/v1/sessions").json()["sessions"]}
    made = made_by(keyed, key, 5)
    assert [(one["action"], one["outcome"], one["object"], one["detail"]["route"]) for one in made] == [
        ("session.create", "ok", names["by-run"], "run"), ("session.create", "ok", names["by-tool"], "tool_run_python"),
        ("session.create", "ok", names["by-mcp"], "mcp_message"),
        ("thread.new", "ok", first.headers["X-Atoll-Thread"], "create_chat_completion"),
        ("thread.fork", "ok", again.headers["X-Atoll-Thread"], "create_chat_completion")]
    assert again.headers["X-Atoll-Thread"] != first.headers["X-Atoll-Thread"]
    assert {one["owner"] for one in made} == {"first-use"} and all(one["request_id"] for one in made)


def test_a_session_is_in_the_audit_log_while_its_first_run_lasts(keyed):
    key = keyed.key("long-run", "sessions:read", "sessions:write", "run")
    with keyed.client(key) as client:
        body = {"session_id": "long", "code": "import time\nprint('began', flush=True)\ntime.sleep(600)"}
        with client.stream("POST", "/v1/run", json=body, headers={"Accept": "text/event-stream"}) as answer:
            for piece in answer.iter_raw():
                if b"began" in piece:
                    break
            assert [one["action"] for one in made_by(keyed, key, 1)] == ["session.create"]


def test_the_audit_log_is_paged_and_cannot_be_changed(keyed):
    seen, cursor = [], ""
    with keyed.client(ADMIN) as admin:
        while True:
            page = admin.get("/v1/audit", params={"limit": 3, "cursor": cursor}).json()
            seen += [one["sequence"] for one in page["records"]]
            cursor = page.get("next_cursor")
            if not cursor or len(seen) > 30:
                break
        assert seen == sorted(seen, reverse=True) and len(set(seen)) == len(seen) and len(seen) > 3
        newest = admin.get("/v1/audit", params={"limit": 1}).json()["records"][0]
        before = admin.get("/v1/audit", params={"until": newest["time"], "limit": 1000}).json()["records"]
        assert all(one["time"] < newest["time"] for one in before)
        for bad in ({"from": "yesterday"}, {"limit": 0}, {"cursor": "x"}, {"what": "1"}):
            problem(admin.get("/v1/audit", params=bad), 400)
        for method in ("DELETE", "PUT", "PATCH", "POST"):
            problem(admin.request(method, "/v1/audit"), 405)


def test_a_flood_of_refused_requests_does_not_fill_the_log(keyed):
    before = len(keyed.audit(limit=1000))
    with keyed.client() as nobody:
        for _ in range(300):
            problem(nobody.get("/v1/sessions"), 401)
    time.sleep(0.5)
    assert len(keyed.audit(limit=1000)) - before < 150
