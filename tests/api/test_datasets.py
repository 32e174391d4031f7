"""What a session may ask for by name: its runtime, its network, data sets of the host (rows K18, A7 and contract D)."""

import json
import os
import subprocess

import pytest
from harness.cli import ATOLL
from harness.server import Server


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets")
    for name in ("taxi", "private", "gone"):
        (folder / name).mkdir()
    (folder / "taxi/trips.csv").write_text("a,b\n1,2\n")
    (folder / "taxi/sub").mkdir()
    (folder / "taxi/sub/more.txt").write_text("more")
    (folder / "taxi/out").symlink_to("/etc/passwd")
    (folder / "private/secret.txt").write_text("secret")
    (folder / "private/secret.txt").chmod(0o600)  # the server's own user reads it, so may who was given it
    (folder / "gone/x").write_text("x")
    os.chmod(folder, 0o755)
    return folder


@pytest.fixture(scope="module")
def server(tmp_path_factory, sets):
    running = Server(tmp_path_factory.mktemp("server"), "--dataset", f"taxi={sets}/taxi", "--dataset", f"private={sets}/private",
                     "--dataset", f"gone={sets}/gone", environment={"CPYTHON_DATA_ROOT": "/mnt/input"}, pandas=True)
    yield running
    assert running.stop() == 0


def refused(server, path="/v1/sessions", **fields):
    answer = server.http.post(path, json=fields)
    assert answer.status_code == 400, answer.text
    told = answer.json()
    assert told["code"] == "invalid_argument"
    return {one["path"]: one["message"] for one in told["errors"]}


# ---- Runtime and network -----------------------------------------------------------------------------------------


def test_what_there_is(server):
    info = server.http.get("/v1/info").json()
    assert info["runtimes"] == ["native"] and info["networks"] == ["none"]
    assert info["datasets"] == ["gone", "private", "taxi"] and info["data_root"] == "/mnt/input"
    assert "namespaces" in info["walls"] and "/" not in "".join(info["datasets"])


@pytest.mark.parametrize("runtime", ["docker", "microvm", "pyodide", "e2b", "Native", "x" * 64, "../native", "native "])
def test_a_runtime_that_is_not_there(server, runtime):
    before = len(server.http.get("/v1/sessions").json()["sessions"])
    assert "native" in refused(server, runtime=runtime)["runtime"]
    assert "native" in refused(server, "/v1/run", code="1", runtime=runtime)["runtime"]
    assert len(server.http.get("/v1/sessions").json()["sessions"]) == before


@pytest.mark.parametrize("network", ["allowlist", "open", "host", "None", "x" * 64])
def test_a_network_that_is_not_there_is_never_given_as_less(server, network):
    said = refused(server, network=network)["network"]
    assert "none" in said and (network not in ("allowlist", "open") or "not available" in said)
    assert refused(server, "/v1/run", code="1", network=network)


def test_all_that_is_wrong_is_said_at_once(server):
    told = refused(server, runtime="docker", network="open", datasets=["taxi", "nope", "taxi"])
    assert set(told) == {"runtime", "network", "datasets[1]", "datasets[2]"}
    assert "taxi" in told["datasets[1]"] and "twice" in told["datasets[2]"]


def test_what_was_asked_for_is_shown(server):
    made = server.http.post("/v1/sessions", json={"runtime": "native", "network": "none", "datasets": ["taxi"]}).json()
    assert (made["runtime"], made["network"], made["datasets"]) == ("native", "none", ["taxi"])
    plain = server.http.post("/v1/sessions").json()
    assert (plain["runtime"], plain["network"], plain["datasets"]) == ("native", "none", [])


# ---- Data sets ---------------------------------------------------------------------------------------------------


def test_it_is_there_and_read_only_in_a_data_that_is_not(server, sets):
    session = server.session(datasets=["taxi"])
    ended = server.run(session, """
import os, pandas
print(pandas.read_csv('/data/taxi/trips.csv').b[0], open('/data/taxi/sub/more.txt').read(), sorted(os.listdir('/data')))
for what in (lambda: open('/data/taxi/new', 'w'), lambda: open('/data/taxi/trips.csv', 'a'), lambda: os.remove('/data/taxi/trips.csv'),
             lambda: os.mkdir('/data/taxi/d'), lambda: os.chmod('/data/taxi/trips.csv', 0o777), lambda: os.utime('/data/taxi/trips.csv'),
             lambda: os.rename('/data/taxi', '/data/other'), lambda: os.rmdir('/data/taxi')):
    try: what(); print('WRITTEN')
    except OSError as e: pass
print(open('/data/taxi/out').read() == open('/etc/passwd').read(), 'root:x:0:0:root:/root:/bin/bash' in open('/data/taxi/out').read())
open('/data/mine', 'w').write('mine'); open('/data/outputs/o.txt', 'w').write('o')
""")
    # the link leads to the sandbox's own /etc/passwd, as any link inside does
    assert ended["stdout"] == "2 more ['outputs', 'taxi']\nTrue True\n", ended
    mounts = server.run(session, "cat /proc/self/mountinfo", language="shell")["stdout"]
    assert any(" /data/taxi ro," in line and "nosuid" in line and "nodev" in line for line in mounts.splitlines()), mounts
    if os.geteuid() == 0:  # an ordinary user's nest has them all, out of reach but in this list
        assert not any("private" in line or "/gone" in line for line in mounts.splitlines())
    got = server.http.get(f"/v1/sessions/{session}/files/data/taxi/trips.csv")
    assert got.text == "a,b\n1,2\n"
    for method, path in (("PUT", "data/taxi/new"), ("PUT", "data/taxi/trips.csv"), ("DELETE", "data/taxi/trips.csv"),
                         ("DELETE", "data/taxi?recursive=true")):
        answer = server.http.request(method, f"/v1/sessions/{session}/files/{path}", content=b"x" if method == "PUT" else None)
        assert 400 <= answer.status_code < 500, (method, path, answer.text)
    assert sorted(p.name for p in (sets / "taxi").iterdir()) == ["out", "sub", "trips.csv"]
    assert (sets / "taxi/trips.csv").read_text() == "a,b\n1,2\n"


def test_only_who_asks_sees_it(server):
    plain = server.session()
    look = "import glob; print(glob.glob('/data/*'), glob.glob('/opt/atoll/shown/*'), glob.glob('/opt/atoll/sessions/*'))"
    assert server.run(plain, look)["stdout"] == "['/data/outputs'] [] []\n"
    asked = server.session(datasets=["private"])
    ended = server.run(asked, look + "\nprint(open('/data/private/secret.txt').read())")
    assert ended["stdout"] == "['/data/outputs', '/data/private'] [] []\nsecret\n" or sorted(ended["stdout"]) == sorted(
        "['/data/private', '/data/outputs'] [] []\nsecret\n"), ended


def test_a_run_without_a_session_has_it_too(server):
    ended = server.http.post("/v1/run", json={"code": "print(open('/data/taxi/trips.csv').read()); open('/data/x', 'w')", "datasets": ["taxi"]}).json()
    assert ended["stdout"] == "a,b\n1,2\n\n" and ended["exit_code"] == 0, ended


def test_it_comes_back_with_the_session(server, sets):
    """Cold and hot again, forked, restarted, over a kill of the server (A7): mounted each time, files there each time."""
    session = server.session(datasets=["taxi"])
    server.run(session, "x = 1; open('/data/mine', 'w').write('1')")
    look = "print(open('/data/taxi/trips.csv').read()[:3], open('/data/mine').read())"
    sleeps = ("pause", "evict", "restart") if os.geteuid() == 0 else ("evict", "restart")  # no cgroup, no freezer
    for round in range(5):
        assert server.http.post(f"/v1/sessions/{session}/{sleeps[round % len(sleeps)]}").status_code == 200
        assert server.run(session, look + f"; open('/session/f{round}', 'w').write('x' * {round})")["stdout"] == "a,b 1\n"
    (fork,) = server.http.post(f"/v1/sessions/{session}/fork").json()["sessions"]
    assert fork["datasets"] == ["taxi"] and server.run(fork["id"], look)["stdout"] == "a,b 1\n"
    server.kill()
    server.start()
    assert server.http.get(f"/v1/sessions/{session}").json()["datasets"] == ["taxi"]
    assert server.run(session, look)["stdout"] == "a,b 1\n"
    listed = {one["name"]: one["size"] for one in server.http.get(f"/v1/sessions/{session}/files/session").json()["entries"]}
    assert {f"f{i}": i for i in range(5)}.items() <= listed.items()
    assert server.http.delete(f"/v1/sessions/{session}").status_code == 204
    assert (sets / "taxi/trips.csv").exists()  # what is removed is the session's own


def test_one_that_has_gone_missing(server, sets):
    session = server.session(datasets=["gone"])
    assert server.http.post(f"/v1/sessions/{session}/evict").status_code == 200
    (sets / "gone").rename(sets / "elsewhere")
    try:
        for answer in (server.http.post(f"/v1/sessions/{session}/run", json={"code": "1"}),
                       server.http.post("/v1/sessions", json={"datasets": ["gone"]})):
            assert answer.status_code == 503 and "the data set gone is not there" in answer.json()["detail"], answer.text
            assert str(sets) not in answer.text  # where it lay is the host's affair
        assert server.http.get(f"/v1/sessions/{session}").json()["state"] == "cold"
    finally:
        (sets / "elsewhere").rename(sets / "gone")
    if os.geteuid() == 0:  # an ordinary user's nest holds the folder itself, wherever it went
        assert server.run(session, "print(open('/data/gone/x').read())")["stdout"] == "x\n"


def test_one_that_is_not_offered_any_more(tmp_path, sets):
    server = Server(tmp_path, environment={"ATOLL_DATASETS": f"taxi={sets}/taxi"})
    session = server.session(datasets=["taxi"])
    server.stop()
    server.environment.pop("ATOLL_DATASETS")
    server.start()
    try:
        answer = server.http.post(f"/v1/sessions/{session}/run", json={"code": "1"})
        assert answer.status_code == 503 and "does not offer the data set taxi any more" in answer.json()["detail"]
        assert server.http.delete(f"/v1/sessions/{session}").status_code == 204
    finally:
        server.stop()


@pytest.mark.parametrize("name", ["/etc", "../etc", "taxi/../../etc", "/", ".", "..", "taxi/sub", "TAXI", "taxi\0", "taxi=/etc", "", "x" * 65])
def test_k18_no_client_names_a_path(server, name):
    assert server.http.post("/v1/sessions", json={"datasets": [name]}).status_code == 400
    assert server.http.post("/v1/run", json={"code": "1", "datasets": [name]}).status_code == 400


@pytest.mark.parametrize("field", [{"mounts": [{"source": "/etc", "target": "/x"}]}, {"kept_folder": "/etc"}, {"volumes": ["/etc:/x"]},
                                   {"datasets": {"x": "/etc"}}, {"datasets": "taxi"}, {"data_sets": ["taxi"]}])
def test_k18_nor_in_other_words(server, field):
    assert server.http.post("/v1/sessions", json=field).status_code == 400


def test_the_data_root_shows_elsewhere_too(server):
    session = server.session(datasets=["taxi"])
    ended = server.run(session, "print(open('/mnt/input/taxi/trips.csv').read()[:3]); open('/mnt/input/outputs/p.png', 'wb').write(b'x')")
    assert ended["stdout"] == "a,b\n", ended
    assert [one["path"] for one in ended["images"]] == ["/data/outputs/p.png"]
    assert server.http.get(f"/v1/sessions/{session}/files/mnt/input/outputs/p.png").content == b"x"


# ---- The setting -------------------------------------------------------------------------------------------------


def config(tmp_path, text=None, *words, **environment):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("ATOLL_")}
    if text is not None:
        (tmp_path / "atoll.toml").write_text(text)
    return subprocess.run([ATOLL, "config", "--json", *words], capture_output=True, text=True, timeout=60,
                          env={**clean, "ATOLL_DATA_DIR": str(tmp_path), **environment})


def test_three_ways_to_say_it(tmp_path):
    def said(*words, **more):
        done = config(tmp_path, *words, **more)
        assert done.returncode == 0, done.stderr
        return next(one["value"] for one in json.loads(done.stdout)["settings"] if one["key"] == "datasets")

    assert said("[datasets]\ntaxi = '/srv/taxi'\nsales = '/srv/sales'\n") in ("taxi=/srv/taxi, sales=/srv/sales", "sales=/srv/sales, taxi=/srv/taxi")
    assert said("datasets = ['taxi=/srv/taxi']") == "taxi=/srv/taxi"
    assert said("", ATOLL_DATASETS="a=/a,b=/b") == "a=/a, b=/b"
    assert said("", "--dataset", "a=/a", "--dataset", "b=/b") == "a=/a, b=/b"


@pytest.mark.parametrize("word", ["taxi", "taxi=", "taxi=relative", "=/x", "a/b=/x", "..=/x", "-a=/x", "outputs=/x", "a=/", "a=/x,a=/y", "x" * 65 + "=/x"])
def test_mistakes_are_told(tmp_path, word):
    done = config(tmp_path, None, "--dataset", word)
    assert done.returncode == 2 and "datasets" in json.loads(done.stdout)["error"]["message"] and not done.stderr


@pytest.mark.parametrize("root", ["data", "/", "/etc/x", "/usr", "/mnt", "/home/user/d", "/session/d", "/data/x", "/a//b", "/a/../b", "/a/", "/" + "x" * 300])
def test_places_that_are_no_data_root(tmp_path, root):
    done = config(tmp_path, None, CPYTHON_DATA_ROOT=root)
    assert done.returncode == 2 and "data_root" in json.loads(done.stdout)["error"]["message"]
