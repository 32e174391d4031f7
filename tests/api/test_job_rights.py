"""What a job may name, and whose key may have it run where."""

import httpx
import pytest
from harness.server import Server

pytestmark = pytest.mark.once

ADMIN = "an-administrators-key-for-these-tests-0123456789"


@pytest.mark.parametrize("name", ["", "a b", "a/b", "..%2f", "a\n", "ü", "x" * 101, "a\u0000", "'; --"])
def test_contexts_that_runs_refuse_are_refused_with_the_same_sentence(server, name):
    session = server.session()
    run = server.http.post(f"/v1/sessions/{session}/run", json={"code": "1", "context": name})
    job = server.http.post("/v1/jobs", json={"kind": "python", "code": "1", "session": session, "context": name})
    assert run.status_code == job.status_code == 400, (run.text, job.text)
    assert run.json()["errors"] == job.json()["errors"] and run.json()["errors"][0]["path"] == "context"
    queued = server.http.get("/v1/jobs?limit=1000").json()["jobs"]
    assert [one for one in queued if one.get("session") == session] == []


@pytest.fixture(scope="module")
def keyed(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("keyed"), environment={"ATOLL_ADMIN_KEY": ADMIN})
    running.http.headers["Authorization"] = f"Bearer {ADMIN}"
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def ann(keyed):
    def client(*scopes):
        made = keyed.http.post("/v1/keys", json={"owner": "ann", "scopes": list(scopes)})
        assert made.status_code == 201, made.text
        return httpx.Client(base_url=keyed.url, timeout=60, headers={"Authorization": f"Bearer {made.json()['key']}"})
    return client


def test_a_job_in_a_session_takes_what_a_run_there_takes(ann):
    owner = ann("sessions:write", "run")
    session = owner.post("/v1/sessions").json()["id"]
    assert owner.post(f"/v1/sessions/{session}/run", json={"code": "x = 1"}).status_code == 200
    job = {"kind": "python", "code": "x = 2", "session": session}
    for scopes in (["jobs"], ["jobs", "files", "sessions:read", "sessions:write"]):
        only = ann(*scopes)
        refused = only.post("/v1/jobs", json=job)
        assert refused.status_code == 403, refused.text
        assert refused.headers["content-type"].startswith("application/problem+json")
        assert refused.json()["scope"] == "run" and "run" in refused.json()["detail"]
        assert only.get("/v1/jobs").json()["jobs"] == []
        # Also of a session that is not there: who may not run learns nothing.
        assert only.post("/v1/jobs", json={**job, "session": "s-none"}).status_code == 403
    assert ann("jobs", "run").post("/v1/jobs", json={**job, "code": "y = 3"}).status_code == 201
    assert ann("run").post("/v1/jobs", json=job).json()["scope"] == "jobs"


def test_a_job_of_its_own_takes_jobs_alone(ann):
    only = ann("jobs")
    assert only.post("/v1/jobs", json={"kind": "python", "code": "1"}).status_code == 201
    assert only.post("/schedule", json={"kind": "python", "code": "1"}).status_code == 200
