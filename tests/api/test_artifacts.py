"""What a run did to files: changes, images, artifacts on the host (contract D)."""

import json
import os
from pathlib import Path

import pytest
from harness import host
from harness.host import eventually

pytestmark = pytest.mark.once

WRITE = """
import os
os.makedirs('/session/new/deep', exist_ok=True)
open('/session/new/deep/b', 'w').write('b')
open('/session/a.txt', 'w').write('hello')
open('/session/passing', 'w').write('x'); os.remove('/session/passing')
open('/session/artifacts/table.csv', 'w').write('a,b')
open('/data/outputs/plot 1.PNG', 'wb').write(b'png')
"""


def changes(answer) -> dict:
    return {file["path"]: file["change"] for file in answer["files"]}


def test_files_that_a_run_changed_are_told(server):
    session = server.session()
    answer = server.run(session, WRITE)
    assert changes(answer) == {
        "/session/new/deep/b": "created", "/session/a.txt": "created",
        "/session/artifacts/table.csv": "created", "/data/outputs/plot 1.PNG": "created"}
    assert answer["files_complete"]
    answer = server.run(session, "open('/session/a.txt', 'a').write('!'); os.remove('/session/new/deep/b')")
    assert changes(answer) == {"/session/a.txt": "modified", "/session/new/deep/b": "removed"}
    assert {file["path"]: file["size"] for file in answer["files"]}["/session/a.txt"] == 6
    assert changes(server.run(session, "1 + 1")) == {}


def test_a_session_that_waits_has_none_of_the_users_inotify_instances(server):
    """There are 128 by default; a run has one, and what it changes is told whether or not there was one before."""
    session = server.session()
    word = host.marker()
    started = server.http.post(f"/v1/sessions/{session}/processes", json={"argv": ["sh", "-c", f"sleep 900; : {word}"]})
    assert started.status_code == 201, started.text
    assert eventually(lambda: host.with_argument(word))
    init = host.with_argument(word)[0].parent
    instances = lambda: [fd for fd in Path(f"/proc/{init}/fd").iterdir() if "inotify" in os.readlink(fd)]
    for n in range(2):
        assert changes(server.run(session, f"open('/session/{n}', 'w').close()")) == {f"/session/{n}": "created"}
        assert eventually(lambda: not instances(), 60)
    server.http.delete(f"/v1/sessions/{session}")


def test_every_language_and_moves_and_links(server):
    session = server.session()
    server.run(session, "mkdir -p /session/from && echo 1 > /session/from/x", language="shell")
    answer = server.run(session, "mv /session/from /session/to && ln -s /etc/passwd /session/link", language="shell")
    told = {file["path"]: (file["change"], file["type"]) for file in answer["files"]}
    assert told["/session/to/x"] == ("created", "file")
    assert told["/session/link"] == ("created", "symlink")


def test_images_have_a_place_to_get_them(server):
    session = server.session()
    [image] = server.run(session, WRITE)["images"]
    assert image["path"] == "/data/outputs/plot 1.PNG" and image["content_type"] == "image/png"
    assert image["href"] == f"/v1/sessions/{session}/files/data/outputs/plot%201.PNG"


def test_artifacts_lie_on_the_host(server):
    session = server.session()
    answer = server.run(session, WRITE)
    [(inside, outside)] = answer["artifact_map"].items()
    assert inside == "/session/artifacts/table.csv"
    assert outside.endswith(f"sessions/{session}/artifacts/table.csv")
    assert Path(outside).read_text() == "a,b"
    answer = server.run(session, "open('/session/artifacts/table.csv', 'w').write('new')")
    assert Path(outside).read_text() == "new" and answer["artifact_map"] == {inside: outside}
    server.run(session, "os.remove('/session/artifacts/table.csv')")
    assert not Path(outside).exists()


def test_folders_of_artifacts_go_with_the_last_of_them(server):
    session = server.session()
    answer = server.run(session, """
import os, shutil
os.makedirs('/session/artifacts/a/b/c')
for name in ('a/one', 'a/b/c/two', 'a/b/c/three'):
    open('/session/artifacts/' + name, 'w').write(name)
""")
    host = Path(answer["artifact_map"]["/session/artifacts/a/one"]).parent
    server.run(session, "os.remove('/session/artifacts/a/b/c/two')")
    assert (host / "b/c/three").read_text() == "a/b/c/three"
    server.run(session, "shutil.rmtree('/session/artifacts/a/b')")
    assert [one.name for one in host.iterdir()] == ["one"]


def test_artifacts_of_a_run_without_a_session(server):
    answer = server.http.post("/v1/run", json={
        "code": "import os; os.makedirs('/work/artifacts/x'); open('/work/artifacts/x/z.png', 'w').write('zz')"}).json()
    [(inside, outside)] = answer["artifact_map"].items()
    assert inside == "/work/artifacts/x/z.png"
    assert outside.endswith(f"outputs/{answer['run_id']}/x/z.png") and Path(outside).read_text() == "zz"
    got = server.http.get(answer["images"][0]["href"])
    assert got.content == b"zz" and got.headers["content-type"] == "image/png"
    assert "sandbox" in got.headers["content-security-policy"]


def test_outputs_lead_nowhere_else(server):
    run = server.http.post("/v1/run", json={"code": "open('/work/artifacts/a', 'w').write('a')"}).json()["run_id"]
    assert server.http.get(f"/v1/outputs/{run}/a").status_code == 200
    for path in [f"{run}/absent", f"{run}/..%2f..%2fatoll.db", f"..%2fatoll.db", "r-nobody/a", f"{run}/%2e%2e/x",
                 f"{run}/"]:
        assert server.http.get(f"/v1/outputs/{path}").status_code in (400, 404), path


def test_hostile_artifacts_never_leave_their_folder(server):
    """Links, devices and odd names in the folder of artifacts: copied as what they are inside, or not."""
    session = server.session()
    secret = server.folder / "secret"
    secret.write_text("of the host")
    answer = server.run(session, f"""
import os
os.symlink('{secret}', '/session/artifacts/link')
os.mkfifo('/session/artifacts/fifo')
open(b'/session/artifacts/\\xff\\xfe', 'w').write('odd')
open('/session/artifacts/line\\nbreak', 'w').write('two lines')
os.symlink('/etc', '/session/artifacts/folder')
""")
    assert set(answer["artifact_map"]) == {"/session/artifacts/line\nbreak"}
    assert [one["reason"] for one in answer["artifacts_left_out"]] == ["its name is not UTF-8"]
    copies = server.folder / "data" / "sessions" / session / "artifacts"
    assert [path.name for path in copies.iterdir()] == ["line\nbreak"]
    assert server.run(session, "1")["exit_code"] == 0


def test_artifacts_have_a_quota(server):
    session = server.session(limits={"disk_bytes_max": 64 << 20})
    answer = server.run(session, """
for i in range(5):
    open(f'/session/artifacts/{i}', 'wb').write(bytes(16 << 20))
""")
    if not answer["error" if "error" in answer else "lost"]:
        kept = sum(os.path.getsize(path) for path in answer["artifact_map"].values())
        assert kept <= 64 << 20
        # On a slow machine its disk limit may have ended the sandbox before they were copied.
        assert answer["artifacts_left_out"][0]["reason"] in (
            "there is no more room for artifacts", "the sandbox was closed")


def test_an_artifact_is_told_while_the_run_goes_on(server):
    session = server.session()
    code = """
import time
open('/session/artifacts/early', 'w').write('1')
time.sleep(1)
print('late')
"""
    def heard():
        seen = []
        with server.http.stream("POST", f"/v1/sessions/{session}/run", json={"code": code},
                                headers={"Accept": "text/event-stream"}) as answer:
            for line in answer.iter_lines():
                if line.startswith("event: "):
                    seen.append(line[7:])
                if line.startswith("data: ") and seen[-1] == "ended":
                    ended = json.loads(line[6:])
        return seen, ended

    def told_live():
        # Sandboxes of other tests may have taken all inotify instances of this user for a while.
        server.http.post(f"/v1/sessions/{session}/restart")
        seen, ended = heard()
        return "artifact" in seen and seen.index("artifact") < seen.index("stdout") and ended
    ended = eventually(told_live, within=120)
    assert list(ended["artifact_map"]) == ["/session/artifacts/early"]


def test_runs_that_overlap_both_hear_of_a_file(server):
    import concurrent.futures
    session = server.session()
    server.run(session, "import time")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        one = pool.submit(server.run, session, "sleep 1; echo 1 > /session/one", language="shell")
        two = pool.submit(server.run, session, "sleep 0.3; echo 2 > /session/two", language="shell")
        assert "/session/two" in changes(two.result())
        assert {"/session/one", "/session/two"} <= set(changes(one.result()))


def test_more_files_than_can_be_told(server):
    session = server.session()
    answer = server.run(session, """
import os
for i in range(6000):
    open(f'/session/{i}', 'w').close()
""")
    assert not answer["files_complete"] and len(answer["files"]) <= 4096
    assert changes(server.run(session, "open('/session/after', 'w').write('')")) == {"/session/after": "created"}
