"""A session whose folder was damaged on the host: nothing runs in a sandbox that lacks it."""

import shutil


def test_nothing_runs_without_the_sessions_folder(server):
    session = server.session()
    server.run(session, "open('/session/kept', 'w').write('x')")
    assert server.http.post(f"/v1/sessions/{session}/evict").status_code == 200
    folder = server.folder / "data" / "sessions" / session
    moved = folder.with_name(session + ".aside")
    (folder / "session").rename(moved)
    answer = server.http.post(f"/v1/sessions/{session}/run",
                              json={"code": "open('/tmp/ran', 'w').write('x'); print('ran')"})
    assert answer.status_code == 503
    assert answer.headers["content-type"] == "application/problem+json"
    assert "ran" not in answer.text
    moved.rename(folder / "session")
    assert server.run(session, "print(open('/session/kept').read())")["stdout"] == "x\n"
    shutil.rmtree(moved, ignore_errors=True)
