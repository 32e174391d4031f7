"""Versions of a chat: threads in which a question was asked anew, and which are one chat."""


def forked(server, thread, **body):
    answer = server.http.post(f"/v1/threads/{thread}/fork", json={"version": True, **body})
    assert answer.status_code == 201, answer.text
    return answer.json()["thread_id"]


def versions(server, thread):
    answer = server.http.get(f"/v1/threads/{thread}/versions")
    assert answer.status_code == 200, answer.text
    assert answer.json()["thread_id"] == thread
    return answer.json()["versions"]


def ids(server, thread):
    return [one["thread_id"] for one in versions(server, thread)]


def test_a_version_knows_whose_turns_it_has(server):
    first = server.thread()
    assert ids(server, first) == [first]
    for question in ("one", "two", "three"):
        server.ask(first, question)
    second = forked(server, first, turn=1)
    server.ask(second, "two otherwise")
    third = forked(server, second, turn=2)
    empty = forked(server, third, turn=0)
    for one in (first, second, third, empty):
        assert ids(server, one) == [first, second, third, empty]
    origins = {one["thread_id"]: [(o["thread_id"], o["turn"]) for o in one["origins"]] for one in versions(server, first)}
    assert origins == {first: [], second: [(first, 1)], third: [(first, 1), (second, 2)], empty: []}
    assert [one["turns"] for one in versions(server, first)] == [3, 2, 2, 0]
    family = {one: server.http.get(f"/v1/threads/{one}").json().get("family") for one in (first, second, empty)}
    assert family == {first: None, second: first, empty: first}
    assert server.history(empty) == []
    # A branch is a chat of its own.
    branch = server.http.post(f"/v1/threads/{second}/fork", json={"turn": 1}).json()
    assert "family" not in branch and ids(server, branch["thread_id"]) == [branch["thread_id"]]


def test_files_and_variables_are_those_of_now(server):
    first = server.thread()
    server.ask(first, "run: x = 1")
    server.ask(first, "run: x = 2")
    made = forked(server, first, turn=0)
    assert "2" in server.ask(made, "run: print(x)")["answer"]
    server.ask(made, "run: x = 3")
    assert "2" in server.ask(first, "run: print(x)")["answer"]


def test_a_name_is_that_of_all_and_a_model_is_not(server):
    first = server.thread()
    server.ask(first, "hello")
    second = forked(server, first, turn=0)
    assert server.http.get(f"/v1/threads/{second}").json()["title"] == "hello"
    assert server.http.patch(f"/v1/threads/{second}", json={"title": "Both"}).status_code == 200
    assert {server.http.get(f"/v1/threads/{one}").json()["title"] for one in (first, second)} == {"Both"}


def test_removing_one_leaves_the_others_and_removing_all_leaves_none(server):
    first = server.thread()
    server.ask(first, "one")
    second = forked(server, first, turn=0)
    third = forked(server, first, turn=1)
    session = server.http.get(f"/v1/threads/{third}").json()["session_id"]
    assert server.http.delete(f"/v1/threads/{first}").status_code == 204
    assert ids(server, third) == ids(server, second) == [second, third]
    assert server.http.delete(f"/v1/threads/{second}", params={"versions": "true"}).status_code == 204
    for one in (second, third):
        assert server.http.get(f"/v1/threads/{one}").status_code == 404
        assert server.http.get(f"/v1/threads/{one}/versions").status_code == 404
    assert server.http.get(f"/v1/sessions/{session}").status_code == 404


def test_versions_outlive_the_server(own_server):
    first = own_server.thread()
    own_server.ask(first, "one")
    second = forked(own_server, first, turn=0)
    own_server.kill()
    own_server.start()
    assert ids(own_server, first) == [first, second]


def test_a_chat_has_so_many_versions(server):
    first = server.thread()
    for _ in range(99):
        forked(server, first)
    answer = server.http.post(f"/v1/threads/{first}/fork", json={"version": True})
    assert answer.status_code == 429 and "100 versions" in answer.text
    # A branch is still possible, and so is the chat itself.
    assert server.http.post(f"/v1/threads/{first}/fork", json={}).status_code == 201
    assert server.http.delete(f"/v1/threads/{first}", params={"versions": "true"}).status_code == 204
