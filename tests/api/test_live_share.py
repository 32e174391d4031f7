"""T4: one owner has all its sandboxes awake; the others get theirs."""

import httpx
import pytest
from harness.server import Server

ADMIN = "an-administrators-key-for-these-tests-0123456789"
SCOPES = ["sessions:read", "sessions:write", "run", "jobs"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("server"), environment={"ATOLL_ADMIN_KEY": ADMIN, "ATOLL_QUOTA_LIVE": "2"})
    yield running
    assert running.stop() == 0


def owner(server, name) -> httpx.Client:
    made = httpx.post(f"{server.url}/v1/keys", json={"owner": name, "scopes": SCOPES}, headers={"Authorization": f"Bearer {ADMIN}"})
    return httpx.Client(base_url=server.url, timeout=60, headers={"Authorization": f"Bearer {made.json()['key']}"})


def refused(answer):
    assert answer.status_code == 429, answer.text
    assert "quotas.live" in answer.json()["detail"] and "2 sandboxes awake" in answer.json()["detail"], answer.text


@pytest.mark.once
def test_t4_sandboxes_awake(server):
    ann, bob = owner(server, "ann"), owner(server, "bob")
    first, second = (ann.post("/v1/sessions", json={}).json()["id"] for _ in range(2))
    refused(ann.post("/v1/sessions", json={}))
    refused(ann.post("/v1/run", json={"code": "1"}))
    assert len(ann.get("/v1/sessions").json()["sessions"]) == 2  # nothing is left of the third
    assert bob.post("/v1/sessions", json={}).status_code == 201
    assert bob.post("/v1/run", json={"code": "print(1)"}).json()["stdout"] == "1\n"
    # Frozen it still holds its place; on disk it does not.
    assert ann.post(f"/v1/sessions/{first}/pause").status_code == 200
    refused(ann.post("/v1/run", json={"code": "1"}))
    assert ann.post(f"/v1/sessions/{first}/evict").status_code == 200
    assert ann.post("/v1/run", json={"code": "print(2)"}).json()["stdout"] == "2\n"
    third = ann.post("/v1/sessions", json={})
    assert third.status_code == 201
    refused(ann.post(f"/v1/sessions/{first}/run", json={"code": "1"}))
    assert ann.delete(f"/v1/sessions/{third.json()['id']}").status_code == 204
    assert ann.post(f"/v1/sessions/{first}/run", json={"code": "print(3)"}).json()["stdout"] == "3\n"
    assert ann.post(f"/v1/sessions/{second}/run", json={"code": "print(4)"}).json()["stdout"] == "4\n"
