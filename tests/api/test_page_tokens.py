"""Tokens of pages: what a browser holds in place of a key, for minutes."""

import base64
import contextlib
import json
import re
import time

import httpx
import pytest
from harness.host import eventually
from harness.server import Server

pytestmark = pytest.mark.once

ADMIN = "an-administrators-key-for-these-tests-0123456789"
LIFE, LOGIN = 8, 20


class Keyed(Server):
    def client(self, bearer=None) -> httpx.Client:
        headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
        return httpx.Client(base_url=self.url, timeout=60, headers=headers)

    def post(self, bearer, path, expected, **body):
        with self.client(bearer) as client:
            answer = client.post(path, json=body) if body else client.post(path)
        assert answer.status_code == expected, answer.text
        return answer.json()

    def key(self, *scopes, **fields) -> dict:
        return self.post(ADMIN, "/v1/keys", 201, owner="ann", scopes=list(scopes), **fields)

    def token(self, key) -> dict:
        return self.post(key, "/v1/tokens", 201)

    def status(self, bearer, path="/v1/info", method="GET", **more) -> int:
        with self.client(bearer) as client:
            return client.request(method, path, **more).status_code


@pytest.fixture(scope="module")
def keyed(tmp_path_factory):
    running = Keyed(tmp_path_factory.mktemp("keyed"), environment={"ATOLL_ADMIN_KEY": ADMIN})
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def hasty(tmp_path_factory):
    """Its tokens live for seconds."""
    running = Keyed(tmp_path_factory.mktemp("hasty"), environment={
        "ATOLL_ADMIN_KEY": ADMIN, "ATOLL_PAGE_TOKEN_LIFE": f"{LIFE}s", "ATOLL_PAGE_LOGIN": f"{LOGIN}s"})
    yield running
    assert running.stop() == 0


def test_a_key_is_exchanged_for_a_token_with_its_own_scopes(keyed):
    key = keyed.key("sessions:read", "files")
    with keyed.client(key["key"]) as client:
        answer = client.post("/v1/tokens")
    assert answer.status_code == 201 and answer.headers["cache-control"] == "no-store"
    token = answer.json()
    assert (token["owner"], token["key_id"], token["scopes"]) == ("ann", key["id"], ["sessions:read", "files"])
    assert 890 <= token["seconds"] <= 900 and token["token"].startswith("att_")
    assert key["key"] not in answer.text
    assert keyed.status(token["token"], "/v1/sessions") == 200
    assert keyed.status(token["token"], "/v1/sessions", "POST") == 403
    assert keyed.status(token["token"], "/v1/keys") == 403
    # And it is no key: it makes no second chain of tokens.
    assert keyed.status(token["token"], "/v1/tokens", "POST") == 403
    assert keyed.status(None, "/v1/tokens", "POST") == 401
    assert keyed.status("not-a-key", "/v1/tokens", "POST") == 401


def test_a_key_itself_and_a_token_of_a_session_are_not_renewed(keyed):
    key = keyed.key("sessions:read", "sessions:write", "run", "files")["key"]
    assert keyed.status(key, "/v1/tokens/renew", "POST") == 403
    session = keyed.post(key, "/v1/sessions", 201)["id"]
    of_session = keyed.post(key, f"/v1/sessions/{session}/tokens", 201, scopes=["files"])["token"]
    assert keyed.status(of_session, "/v1/tokens/renew", "POST") == 403
    assert keyed.status(of_session, "/v1/tokens", "POST") == 403


def test_it_is_renewed_up_to_a_bound(hasty):
    key = hasty.key("sessions:read")
    token = first = hasty.token(key["key"])
    bound, begin = token["renewable_until"], time.monotonic()
    renewed = 0
    while True:
        with hasty.client(token["token"]) as client:
            answer = client.post("/v1/tokens/renew")
        if answer.status_code != 201:
            break
        token = answer.json()
        renewed += 1
        assert token["renewable_until"] == bound and token["expires_at"] <= bound and token["scopes"] == ["sessions:read"]
        time.sleep(.5)
    assert answer.status_code == 401 and renewed > 3
    assert LOGIN - 2 < time.monotonic() - begin
    assert hasty.status(token["token"]) == hasty.status(first["token"]) == 401
    assert hasty.status(hasty.token(key["key"])["token"]) == 200  # the key is good still


def test_one_that_nobody_renews_ends(hasty):
    token = hasty.token(ADMIN)["token"]
    assert hasty.status(token) == 200
    assert eventually(lambda: hasty.status(token) == 401, 60)
    assert hasty.status(token, "/v1/tokens/renew", "POST") == 401


def test_it_ends_with_the_key(keyed):
    key = keyed.key("sessions:read", "admin")
    token = keyed.token(key["key"])["token"]
    assert keyed.status(token) == 200
    assert keyed.status(ADMIN, f"/v1/keys/{key['id']}", "DELETE") == 200
    assert keyed.status(token) == keyed.status(token, "/v1/tokens/renew", "POST") == 401
    soon = keyed.key("sessions:read", lifetime="3s")
    token = keyed.token(soon["key"])
    assert token["seconds"] <= 3 and token["expires_at"] == soon["expires_at"] == token["renewable_until"]
    assert eventually(lambda: keyed.status(token["token"]) == 401, 60)


def test_the_key_of_the_settings_ends_its_tokens_when_it_is_another(tmp_path):
    running = Keyed(tmp_path, environment={"ATOLL_ADMIN_KEY": ADMIN})
    try:
        token = running.token(ADMIN)["token"]
        assert running.status(token, "/v1/keys") == 200
        assert running.stop() == 0
        running.start()  # the same key: the page goes on
        assert running.status(token, "/v1/keys") == 200
        assert running.stop() == 0
        running.environment |= {"ATOLL_ADMIN_KEY": ADMIN[::-1]}
        running.start()
        assert running.status(token) == running.status(token, "/v1/tokens/renew", "POST") == 401
        assert running.status(running.token(ADMIN[::-1])["token"], "/v1/keys") == 200
    finally:
        running.stop()


def test_what_it_asks_for_does_not_outlive_it(hasty):
    """A token for a session, asked for a day, ends with the last token of the page."""
    key = hasty.key("sessions:read", "sessions:write", "run", "files")["key"]
    session = hasty.post(key, "/v1/sessions", 201)["id"]
    token = hasty.token(key)
    made = hasty.post(token["token"], f"/v1/sessions/{session}/tokens", 201, scopes=["files"], seconds=86_400)
    assert made["expires_at"] == token["renewable_until"]
    path = f"/v1/sessions/{session}/files/data"
    assert hasty.status(made["token"], path) == 200
    assert eventually(lambda: hasty.status(made["token"], path) == 401, 60)


def test_tokens_of_e2b_sandboxes_are_for_keys(keyed):
    """They last as long as the key."""
    key = keyed.key("sessions:read", "sessions:write", "run", "files")["key"]
    token = keyed.token(key)["token"]
    with keyed.client() as client:
        made = client.post("/sandboxes", json={"templateID": "base", "timeout": 60, "secure": True},
                           headers={"X-API-Key": key})
        assert made.status_code == 201, made.text
        assert made.json().get("envdAccessToken")
        path = f"/sandboxes/{made.json()['sandboxID']}"
        assert client.get(path, headers={"X-API-Key": key}).json().get("envdAccessToken")
        shown = client.get(path, headers={"X-API-Key": token})
        assert shown.status_code == 200 and not shown.json().get("envdAccessToken")
        client.delete(path, headers={"X-API-Key": key})


def test_it_makes_keys_only_if_the_key_may(keyed):
    ordinary, admin = keyed.key("run", "threads"), keyed.key("admin")
    token = keyed.token(ordinary["key"])["token"]
    assert keyed.status(token, "/v1/keys", "POST", json={"scopes": ["run"]}) == 403
    token = keyed.token(admin["key"])["token"]
    made = keyed.post(token, "/v1/keys", 201, name="by a page", scopes=["run"])
    with keyed.client(ADMIN) as client:
        records = client.get("/v1/audit", params={"limit": 1000}).json()["records"]
    by_key = {(one["action"], one["key_id"]): one for one in records}
    assert by_key[("key.create", admin["id"])]["object"] == made["id"]  # who is behind it
    assert ("page_token.create", admin["id"]) in by_key


def test_nobody_makes_one(keyed):
    """Each letter of the signature and of what it signs counts, and a token for something else is none."""
    token = keyed.token(ADMIN)["token"]
    for at in range(5, len(token), 17):
        changed = token[:at] + ("b" if token[at] != "b" else "c") + token[at + 1:]
        assert keyed.status(changed) == 401, at
    payload = re.match(r"att_(\w+)\.", token)[1].upper()
    said = json.loads(base64.b32decode(payload + "=" * (-len(payload) % 8)))
    assert ADMIN not in json.dumps(said) and said["s"] == ""
    said["r"] = said["u"] = said["u"] + 3_600_000
    forged = base64.b32encode(json.dumps(said).encode()).decode().lower().rstrip("=")
    assert keyed.status(f"att_{forged}.{token.split('.')[1]}") == 401


def test_no_key_no_token(tmp_path):
    running = Keyed(tmp_path)
    try:
        assert running.http.post("/v1/tokens").status_code == 409
    finally:
        assert running.stop() == 0


def test_what_takes_longer_than_its_token_goes_on(hasty):
    """Its page has renewed the token meanwhile; a large file could never be sent otherwise."""
    key = hasty.key("sessions:read", "sessions:write", "run", "files")["key"]
    session = hasty.post(key, "/v1/sessions", 201)["id"]
    token = hasty.token(key)["token"]
    code = "import os, time\nwhile not os.path.exists('/data/stop'): time.sleep(.1)"
    with hasty.client(token) as client, client.stream(
            "POST", f"/v1/sessions/{session}/run", json={"code": code, "timeout": 50},
            headers={"Accept": "text/event-stream"}) as answer:
        assert eventually(lambda: hasty.status(token) == 401, 60)
        assert hasty.status(key, f"/v1/sessions/{session}/files/data/stop", "PUT", content=b"") < 300
        assert "ended" in "".join(answer.iter_text())


def test_what_is_open_closes_with_the_last_token(hasty):
    """A stream that was begun with a token does not last longer than the token could be renewed."""
    key = hasty.key("sessions:read", "sessions:write", "run")["key"]
    session = hasty.post(key, "/v1/sessions", 201)["id"]
    token = hasty.token(key)["token"]
    code = "import time\nwhile True: print('tick', flush=True); time.sleep(.2)"
    lines = []
    with hasty.client(token) as client, contextlib.suppress(httpx.TransportError):
        with client.stream("POST", f"/v1/sessions/{session}/run", json={"code": code, "timeout": 50},
                           headers={"Accept": "text/event-stream"}) as answer:
            assert answer.status_code == 200
            lines.extend(answer.iter_lines())
    assert not any("ended" in line for line in lines), "it lasted as long as its run"
    assert hasty.status(token) == 401
