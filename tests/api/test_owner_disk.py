"""quotas.disk counts what an owner keeps besides files of sessions: saved variables, outputs of runs, code and logs of jobs."""

import os
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from harness.server import Server

ADMIN = "an-administrators-key-for-these-tests-0123456789"
SCOPES = ["sessions:read", "sessions:write", "run", "files", "jobs"]
MB = 1_000_000


class Keyed(Server):
    def owner(self, name) -> httpx.Client:
        with httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {ADMIN}"}) as admin:
            key = admin.post("/v1/keys", json={"owner": name, "scopes": SCOPES}).json()["key"]
        return httpx.Client(base_url=self.url, timeout=60, headers={"Authorization": f"Bearer {key}"})


@pytest.fixture(scope="module")
def keyed(tmp_path_factory):
    running = Keyed(tmp_path_factory.mktemp("keyed"), environment={"ATOLL_ADMIN_KEY": ADMIN, "ATOLL_QUOTA_DISK": "6m"})
    yield running
    assert running.stop() == 0


def leave(client, *sizes):
    """A run without a session that leaves files of these sizes."""
    code = "\n".join(f"open('/work/artifacts/f{i}', 'wb').write(bytes({size}))" for i, size in enumerate(sizes))
    answer = client.post("/v1/run", json={"code": code})
    assert answer.status_code == 200, answer.text
    assert answer.json()["exit_code"] == 0, answer.text
    return answer.json()


def job(client, code):
    made = client.post("/v1/jobs", json={"kind": "python", "code": code})
    assert made.status_code == 201, made.text
    until = time.monotonic() + 60
    while (record := client.get(f"/v1/jobs/{made.json()['id']}").json())["state"] in ("queued", "running"):
        assert time.monotonic() < until
        time.sleep(0.05)
    return record


def refused(answer):
    assert answer.status_code == 429, answer.text
    assert answer.headers["content-type"].startswith("application/problem+json")
    assert "quotas.disk" in answer.json()["detail"]
    return answer.json()["detail"]


def test_outputs_of_runs_count_for_their_owner(keyed):
    ann, bob = keyed.owner("ann"), keyed.owner("bob")
    assert len(leave(ann, 3 * MB)["artifact_map"]) == 1
    # What does not fit is named; what does is kept.
    second = leave(ann, 4 * MB, 2 * MB)
    assert list(second["artifact_map"]) == ["/work/artifacts/f1"]
    (left,) = second["artifacts_left_out"]
    assert left["path"] == "/work/artifacts/f0" and "quotas.disk" in left["reason"]
    # Sessions share the quota.
    session = ann.post("/v1/sessions").json()["id"]
    full = ann.put(f"/v1/sessions/{session}/files/session/f", content=b"x" * (2 * MB))
    assert full.status_code == 413 and "quotas.disk" in full.json()["detail"], full.text
    assert ann.delete(f"/v1/sessions/{session}").status_code == 204
    # Another owner has one of their own.
    assert len(leave(bob, 4 * MB)["artifact_map"]) == 1
    # What runs left is counted again after a crash, and is free once it was removed for its age.
    keyed.kill()
    keyed.start()
    ann = httpx.Client(base_url=keyed.url, timeout=60, headers=ann.headers)
    assert leave(ann, 2 * MB)["artifact_map"] == {}
    keyed.kill()
    for run in (keyed.folder / "data" / "outputs").iterdir():
        os.utime(run, (0, 0))
    keyed.start()
    ann = httpx.Client(base_url=keyed.url, timeout=60, headers=ann.headers)
    assert len(leave(ann, 5 * MB)["artifact_map"]) == 1


def test_code_and_logs_of_jobs_count_for_their_owner(keyed):
    carl, dora = keyed.owner("carl"), keyed.owner("dora")
    record = job(carl, "print('x' * 8_000_000)")
    assert record["state"] == "succeeded", record
    sentence = refused(carl.post("/v1/jobs", json={"kind": "python", "code": "1"}))
    assert "jobs" in sentence
    refused(carl.post("/schedule", json={"kind": "python", "code": "1"}))
    refused(carl.post("/v1/run", json={"code": "1"}))
    refused(carl.post("/v1/sessions"))
    assert dora.post("/v1/run", json={"code": "1"}).status_code == 200
    assert dora.post("/v1/jobs", json={"kind": "python", "code": "1"}).status_code == 201
    # Nothing was made, reading goes on, and removing makes room.
    assert len(carl.get("/v1/jobs").json()["jobs"]) == 1
    assert carl.get(f"/v1/jobs/{record['id']}/logs").status_code == 200
    keyed.kill()
    keyed.start()
    carl = httpx.Client(base_url=keyed.url, timeout=60, headers=carl.headers)
    refused(carl.post("/v1/jobs", json={"kind": "python", "code": "1"}))
    assert carl.delete(f"/v1/jobs/{record['id']}").status_code == 204
    assert carl.post("/v1/run", json={"code": "1"}).status_code == 200
    assert job(carl, "print(1)")["state"] == "succeeded"


def test_many_jobs_of_much_code(keyed):
    eve = keyed.owner("eve")
    code = "#" * 190_000
    answers = [eve.post("/v1/jobs", json={"kind": "python", "code": code}).status_code for _ in range(36)]
    assert answers == sorted(answers) and 30 <= answers.count(201) < 36 and answers[-1] == 429, answers


def test_runs_side_by_side_share_what_is_left(keyed):
    fay = keyed.owner("fay")
    with ThreadPoolExecutor(4) as at_once:
        kept = [len(one["artifact_map"]) for one in at_once.map(lambda _: leave(fay, 2 * MB), range(4))]
    assert sum(kept) == 3, kept


def test_saved_variables_count_for_their_owner(keyed):
    """They are always saved. Then there is no room for anything new, until they are gone."""
    ann, bob = keyed.owner("ann-sleeps"), keyed.owner("bob-sleeps")
    session = ann.post("/v1/sessions", json={}).json()["id"]
    run = f"/v1/sessions/{session}/run"
    assert ann.post(run, json={"code": "import os; x = os.urandom(7_000_000)"}).json()["exit_code"] == 0
    assert ann.post(f"/v1/sessions/{session}/evict").status_code == 200
    refused(ann.post("/v1/sessions", json={}))
    refused(ann.post("/v1/run", json={"code": "1"}))
    keyed.kill()  # the record has it
    keyed.start()
    ann, bob = keyed.owner("ann-sleeps"), keyed.owner("bob-sleeps")
    refused(ann.post("/v1/run", json={"code": "1"}))
    assert bob.post("/v1/run", json={"code": "1"}).status_code == 200
    assert ann.post(f"/v1/sessions/{session}/restart").status_code == 200
    until = time.monotonic() + 60
    while (answer := ann.post("/v1/run", json={"code": "1"})).status_code == 429:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert answer.status_code == 200
