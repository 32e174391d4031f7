"""Which thread a conversation goes on in: variables stay, regenerating does not corrupt, strangers are apart."""

import base64
import re
import struct
import threading
import zlib

import httpx
import openai
import pytest
from harness.analyst import Analyst
from harness.completions import Chat, said_in
from harness.host import eventually
from harness.model_server import call


def threads(server) -> set:
    return {t["thread_id"] for t in server.http.get("/threads", params={"limit": 1000}).json()["threads"]}


def questions(server, thread) -> list[str]:
    return [m["content"] for m in server.history(thread) if m["role"] == "user"]


def png(width=2) -> bytes:
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + b"\xff\0\0" * width for _ in range(width))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, width, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def data_url(kind: str, content: bytes) -> str:
    return f"data:{kind};base64," + base64.b64encode(content).decode()


def test_variables_stay_from_question_to_question(server, chat):
    before = threads(server)
    chat.say("run: x = 41")
    assert chat.say("run: x + 1").endswith("It says 42")
    chunks = chat.stream("run: x + 2")
    assert said_in(chunks).endswith("It says 43")
    new = threads(server) - before
    assert len(new) == 1
    assert questions(server, new.pop()) == ["run: x = 41", "run: x + 1", "run: x + 2"]


def test_what_front_ends_change_does_not_matter(server, chat):
    """Blanks at the ends, content in parts, another system prompt each time."""
    before = threads(server)
    chat.messages.append({"role": "system", "content": "It is 9:00."})
    chat.say("run: x = 41")
    chat.messages[0]["content"] = "It is 9:01."
    chat.messages[-1]["content"] = "<think>hm</think>\n" + chat.messages[-1]["content"].rstrip() + "\n\n"
    chat.messages[1]["content"] = [{"type": "text", "text": "run: x = 41 "}]
    assert chat.say("run: x + 1").endswith("It says 42")
    assert len(threads(server) - before) == 1


def test_a_question_asked_again_goes_on_from_where_it_was_asked(server, client):
    before = threads(server)
    chat = Chat(client)
    chat.say("run: x = 1")
    chat.say("run: x += 1; x")
    first = threads(server) - before
    again = Chat(client)
    again.messages = chat.messages[:2]
    again.say("run: print('other')")
    both = threads(server) - before
    assert len(both) == 2
    forked = (both - first).pop()
    assert questions(server, forked) == ["run: x = 1", "run: print('other')"]
    assert questions(server, first.pop()) == ["run: x = 1", "run: x += 1; x"]
    # Both go on, each in its own thread, and neither has the other's variables.
    chat.say("run: x = 'first'")
    again.say("run: x = 'second'")
    assert chat.say("run: x").endswith("It says 'first'")
    assert again.say("run: x").endswith("It says 'second'")
    assert threads(server) - before == both


def test_two_chats_that_begin_alike_are_two(server, client):
    """Word by word the same at first, as "hi" is: each goes on in a thread of its own."""
    one, two = Chat(client), Chat(client)
    for chat in (one, two):
        chat.say("hi")
    one.say("run: secret = 'one'")
    two.say("run: secret = 'two'")
    assert one.say("run: secret").endswith("It says 'one'")
    assert two.say("run: secret").endswith("It says 'two'")


def test_questions_at_the_same_time_do_not_mix(server, client):
    """The same history with two questions at once: a front end that compares answers."""
    chat = Chat(client)
    chat.say("run: x = 1")
    answers = {}

    def ask(name):
        mine = Chat(client)
        mine.messages = list(chat.messages)
        mine.say(f"run: y = '{name}'")
        answers[name] = mine.say("run: y")

    both = [threading.Thread(target=ask, args=(name,)) for name in ("a", "b")]
    for one in both:
        one.start()
    for one in both:
        one.join(120)
    assert answers["a"].endswith("It says 'a'") and answers["b"].endswith("It says 'b'")


def test_users_of_one_key_are_apart(server, client):
    before = threads(server)
    ann = Chat(client, user="ann")
    ann.say("run: x = 'ann'")
    bob = Chat(client, user="bob")
    bob.messages = list(ann.messages)
    assert "NameError" in bob.say("run: x")
    assert len(threads(server) - before) == 2


def test_a_named_chat_is_found_although_its_texts_were_edited(server, client):
    chat = Chat(client, extra_headers={"X-OpenWebUI-Chat-Id": "chat-17"})
    chat.say("run: x = 41")
    chat.messages[0]["content"] = "the question, edited"
    chat.messages[1]["content"] = "the answer, edited"
    assert chat.say("run: x + 1").endswith("It says 42")


def test_an_unknown_history_begins_a_thread_with_it(server, client, models):
    before = threads(server)
    chat = Chat(client)
    chat.messages = [{"role": "user", "content": "my name is Ann"},
                     {"role": "assistant", "content": "Hello Ann."}]
    chat.say("what is my name?")
    sent = [(m["role"], m["content"]) for m in models.requests[-1].body["messages"][1:]]
    assert sent == [("user", "my name is Ann"), ("assistant", "Hello Ann."), ("user", "what is my name?")]
    new = (threads(server) - before).pop()
    assert new.startswith("tc-")
    view = server.http.get(f"/v1/threads/{new}").json()
    assert view["title"] == "my name is Ann" and view["turns"] == 2


def test_a_long_unknown_history_is_cut_at_its_beginning(server, client):
    before = threads(server)
    chat = Chat(client)
    for n in range(80):
        chat.messages += [{"role": "user", "content": f"question {n}"},
                          {"role": "assistant", "content": f"answer {n}"}]
    chat.say("the last one")
    asked = questions(server, (threads(server) - before).pop())
    assert asked == [f"question {n}" for n in range(30, 80)] + ["the last one"]


def test_an_explicit_thread_wins(server, client):
    thread = server.thread()
    server.ask(thread, "run: x = 41")
    chat = Chat(client, extra_headers={"X-Atoll-Thread": thread})
    assert chat.say("run: x + 1").endswith("It says 42")
    other = Chat(client, metadata={"thread_id": thread})
    assert other.say("run: x + 2").endswith("It says 43")
    assert len(questions(server, thread)) == 3
    with pytest.raises(openai.NotFoundError) as none:
        Chat(client, extra_headers={"X-Atoll-Thread": "th-none"}).say("hi")
    assert none.value.code == "thread_not_found"


def test_the_answer_names_its_thread(server, client):
    raw = client.chat.completions.with_raw_response.create(
        model="atoll", messages=[{"role": "user", "content": "run: x = 1"}])
    thread = raw.headers["x-atoll-thread"]
    assert server.ask(thread, "run: x")["answer"] == "It says 1"


def test_a_question_that_was_stopped_is_asked_again_in_its_thread(server, client):
    before = threads(server)
    chat = Chat(client)
    chat.say("run: x = 41")
    chat.messages.append({"role": "user", "content": "run: import time\nwhile x == 41: time.sleep(0.05)"})
    stream = client.chat.completions.create(model="atoll", stream=True, messages=chat.messages)
    said = ""
    for chunk in stream:
        said += said_in([chunk])
        if "```python" in said:
            break
    thread = (threads(server) - before).pop()
    stream.close()
    assert eventually(lambda: not server.http.get(f"/thread/{thread}/status").json()["busy"], 30)
    # The front end keeps what it has of the answer, and the user asks something else.
    chat.messages.append({"role": "assistant", "content": said})
    assert chat.say("run: x + 1").endswith("It says 42")
    assert threads(server) - before == {thread}


def test_a_failed_question_is_asked_again_in_its_thread(server, client, models):
    before = threads(server)
    chat = Chat(client)
    chat.say("run: x = 41")
    works, models.answer = models.answer, {"status": 401}
    with pytest.raises(openai.InternalServerError):
        chat.say("run: x + 1")
    models.answer = works
    chat.messages.pop()
    assert chat.say("run: x + 1").endswith("It says 42")
    assert len(threads(server) - before) == 1


def test_it_is_found_again_after_a_restart(own_server):
    client = openai.OpenAI(base_url=own_server.url + "/v1", api_key="any", max_retries=0)
    chat = Chat(client)
    chat.say("run: x = 41")
    assert own_server.stop() == 0
    own_server.start()
    chat.client = openai.OpenAI(base_url=own_server.url + "/v1", api_key="any", max_retries=0)
    assert chat.say("run: x + 1").endswith("It says 42")
    assert len(threads(own_server)) == 1


def test_threads_that_nobody_uses_go(tmp_path, models):
    server = Analyst(tmp_path, environment={**models.environment(), "ATOLL_CONVERSATIONS_UNUSED": "2s"})
    try:
        client = openai.OpenAI(base_url=server.url + "/v1", api_key="any", max_retries=0)
        kept = server.thread()
        server.ask(kept, "hello")
        Chat(client).say("hello")
        assert len(threads(server)) == 2
        assert eventually(lambda: threads(server) == {kept}, 60)
    finally:
        assert server.stop() == 0


# ---- Files ---------------------------------------------------------------------------------------------------------


def test_images_and_files_lie_in_the_sandbox(server, client, models):
    chat = Chat(client)
    chat.say([{"type": "text", "text": "run: import os; print(sorted(f for f in os.listdir('/data') if f != 'outputs'))"},
              {"type": "image_url", "image_url": {"url": data_url("image/png", png())}},
              {"type": "file", "file": {"filename": "t.csv", "file_data": data_url("text/csv", b"a,b\n1,2\n")}}])
    listed = re.search(r"\['(image-\w{8}\.png)', 't.csv'\]", chat.messages[-1]["content"])
    assert listed, chat.messages[-1]
    assert f"Files that came with this question: /data/{listed[1]}, /data/t.csv\n" in models.requests[-1].system
    # A later one joins them, in the same sandbox.
    upload = server.upload(("more.csv", b"c\n5\n"))["file_id"]
    said = chat.say([{"type": "text", "text": "run: print(open('/data/more.csv').read(), open('/data/t.csv').read())"},
                     {"type": "file", "file": {"file_id": upload}}])
    assert "c\n5\n a,b\n1,2" in said
    assert "Files that came with this question: /data/more.csv\n" in models.requests[-1].system
    chat.say([{"type": "image_url", "image_url": {"url": data_url("image/png", png(3))}}])
    assert re.fullmatch(r"\[/data/image-\w{8}\.png\]", models.requests[-1].user)


def test_files_that_are_not_what_they_say(client):
    with pytest.raises(openai.BadRequestError) as bad:
        Chat(client).say([{"type": "text", "text": "x"},
                          {"type": "file", "file": {"filename": "t.xlsx", "file_data": data_url("x/y", b"a,b\n")}}])
    assert bad.value.param == "messages[0].content[1]"


def test_files_of_an_unknown_history_come_along(client):
    chat = Chat(client)
    chat.messages = [{"role": "user", "content": [
        {"type": "text", "text": "see this"},
        {"type": "file", "file": {"filename": "old.csv", "file_data": data_url("text/csv", b"a\n7\n")}}]},
        {"role": "assistant", "content": "I see."}]
    assert chat.say("run: print(open('/data/old.csv').read())").endswith("It says a\n7")


PLOT = ("run: import pandas as pd, matplotlib.pyplot as plt\n"
        "plt.plot([1, 2]); plt.savefig('/data/outputs/chart one.png')\n"
        "pd.DataFrame({'a': [1]}).to_csv('/data/outputs/result.csv', index=False)")


def links_in(said) -> dict:
    return {name: url for name, url in re.findall(r"!?\[([^\]]+)\]\((http[^)]+)\)", said)}


def test_what_code_makes_is_linked_and_opens_without_a_key(server, chat):
    said = chat.say(PLOT)
    assert "![chart one.png](" in said and "[result.csv](" in said
    links = links_in(said)
    with httpx.Client() as browser:
        chart = browser.get(links["chart one.png"])
        assert chart.status_code == 200 and chart.content.startswith(b"\x89PNG")
        assert chart.headers["content-type"] == "image/png"
        assert chart.headers["cross-origin-resource-policy"] == "cross-origin"
        assert "sandbox" in chart.headers["content-security-policy"]
        assert browser.get(links["result.csv"]).text == "a\n1\n"


def test_paths_in_the_models_own_words_become_links(chat, models):
    def answer(asked):
        if not asked.tool_results:
            return {"tool_calls": [call("run_python", code="open('/data/outputs/a b.txt', 'w').write('hi')")]}
        return "Here: [the file](sandbox:/data/outputs/a%20b.txt), and [not this](/etc/passwd)."
    models.answer = answer
    said = chat.say("make it")
    links = links_in(said)
    assert httpx.get(links["the file"]).text == "hi"
    assert said.endswith("and [not this](/etc/passwd).")


KEY = "a-key-of-these-tests-for-an-administrator-0123456789"


def test_with_keys_a_link_is_its_own_proof_and_ends_with_the_key(tmp_path, models):
    server = Analyst(tmp_path, "--public-url", "http://127.0.0.1:1/atoll", pandas=True,
                     environment={**models.environment(), "ATOLL_ADMIN_KEY": KEY})
    try:
        admin = {"Authorization": f"Bearer {KEY}"}
        made = server.http.post("/v1/keys", json={"owner": "ann", "scopes": ["threads"]}, headers=admin).json()
        said = Chat(openai.OpenAI(base_url=server.url + "/v1", api_key=made["key"], max_retries=0)).say(PLOT)
        link = links_in(said)["result.csv"]
        assert made["key"] not in said
        assert link.startswith("http://127.0.0.1:1/atoll/v1/links/")
        path = link.removeprefix("http://127.0.0.1:1/atoll")
        assert server.http.get(path).text == "a\n1\n"
        assert server.http.head(path).status_code == 200
        assert server.http.put(path, content=b"x").status_code == 405
        token = path.partition("?link=")[2]
        letters, _, signature = token.partition(".")
        for bad in (token[:-1] + ("a" if token[-1] != "a" else "b"), letters, "." + signature, "x" * 300,
                    ("b" if letters[0] != "b" else "c") + letters[1:] + "." + signature):
            assert server.http.get("/v1/links/result.csv", params={"link": bad}).status_code == 401
        assert server.http.get("/v1/links/result.csv").status_code == 401
        # It opens one file, and nothing else of its owner's.
        assert server.http.get("/v1/threads").status_code == 401
        assert server.http.get("/v1/threads", params={"token": token}).status_code == 401
        revoked = server.http.delete(f"/v1/keys/{made['id']}", headers=admin)
        assert revoked.status_code == 200
        assert server.http.get(path).status_code == 401
    finally:
        assert server.stop() == 0


# ---- Without a model, and with two servers ----------------------------------------------------------------------------


def test_the_analyst_without_a_model_answers_and_counts_no_tokens(tmp_path):
    server = Analyst(tmp_path, environment={"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}, pandas=True)
    try:
        client = openai.OpenAI(base_url=server.url + "/v1", api_key="any", max_retries=0, timeout=120)
        assert [m.id for m in client.models.list().data] == ["atoll", "atoll-quiet"]
        csv = b"region,amount\nNorth,10\nSouth,32\n"
        chat = Chat(client, "atoll-quiet")
        said = chat.say([{"type": "text", "text": "What is the total amount by region?"},
                         {"type": "file", "file": {"filename": "s.csv", "file_data": data_url("text/csv", csv)}}])
        assert "North" in said and "32" in said
        assert chat.answer.usage.total_tokens == 0
        assert "42" in chat.say("and the total amount?")
        said = chat.say("Plot the total amount by region")
        url = next(iter(links_in(said).values()))
        assert httpx.get(url).content.startswith(b"\x89PNG")
        with pytest.raises(openai.NotFoundError):
            Chat(client, "atoll/anything").say("hi")
    finally:
        assert server.stop() == 0
