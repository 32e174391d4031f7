"""The offline model and real sandboxes to run what it writes, for the tests here."""
import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import datasets
import pytest
from harness.driver import BUILD
from harness.model import ModelProgram
from harness.model_server import ModelServer
from harness.server import Server

WORKERS = 3


class Model:
    """atoll-offline: a conversation in, the next step out."""

    def __init__(self):
        self.process = subprocess.Popen([BUILD / "atoll-offline"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def next(self, messages):
        self.process.stdin.write(json.dumps({"messages": messages}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=30) == 0


def tool_text(ran):
    """What an agent's run_python hands to a model."""
    text = ran["stdout"]
    for result in ran["results"]:
        text += str(result.get("data", result).get("text/plain", "")) + "\n"
    for image in ran["images"]:
        text += f"[image saved: {image['path']}]\n"
    if ran.get("error"):
        error = ran["error"]
        text += "\n".join(error.get("traceback") or []) + f"\n{error['name']}: {error.get('value', '')}\n"
    return text


class Talk:
    """A conversation about the files of one session."""

    def __init__(self, server, model):
        self.server, self.model, self.session = server, model, server.session()
        self.files, self.seen, self.runs = [], [], []
        self.begin()

    def put(self, name, content):
        answer = self.server.http.put(f"/v1/sessions/{self.session}/files/data/{quote(name)}", content=content)
        assert answer.status_code in (200, 201), answer.text
        self.files.append(f"/data/{name}")
        self.begin()

    def begin(self, keep=True):
        """A new conversation; with `keep` it has seen the files' schema before."""
        listed = "\n".join(f"- {path} (1 KB)" for path in self.files)
        self.messages = [{"role": "system", "text": f"The files:\n{listed}"}] + (self.seen if keep else [])

    def forget(self):
        """The files and what was seen of them, not the warm kernel."""
        gone = [name.removeprefix("/data/") for name in self.files]
        self.run(f"import os\nfor name in {gone!r}: os.remove('/data/' + name)")
        self.files, self.seen = [], []
        self.begin()

    def run(self, code):
        return self.server.run(self.session, code)

    def ask(self, question):
        self.messages.append({"role": "user", "text": question})
        self.runs = []
        for _ in range(8):
            step = self.model.next(self.messages)
            assert "error" not in step, step
            if not step["tool_calls"]:
                assert step["heard"] == step["text"]
                self.messages.append({"role": "assistant", "text": step["text"]})
                return step["text"]
            (call,) = step["tool_calls"]
            assert call["name"] == "run_python"
            ran = self.run(json.loads(call["arguments"])["code"])
            self.runs.append((json.loads(call["arguments"])["code"], ran))
            new = [{"role": "assistant", "text": "", "tool_calls": [call]},
                   {"role": "tool", "text": tool_text(ran), "tool_call_id": call["id"]}]
            self.messages += new
            if '"atoll_schema"' in ran["stdout"] and not self.seen:
                self.seen = [{"role": "user", "text": "hello"}, *new, {"role": "assistant", "text": "Hello."}]
        raise AssertionError(f"no answer to {question!r}")


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("server"), pandas=True)
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="session")
def model():
    running = Model()
    yield running
    running.close()


@pytest.fixture
def talk(server, model):
    return Talk(server, model)


def talk_about(name, talk, folder):
    """Turns a conversation to a data set; its tables as they truly are."""
    tables = datasets.MAKERS[name](folder)
    talk.forget()
    for path in sorted(folder.iterdir()):
        talk.put(path.name, path.read_bytes())
    if name in datasets.CONVERSIONS:
        ran = talk.run(datasets.CONVERSIONS[name])
        assert ran["exit_code"] == 0, ran
        talk.files = talk.run("import glob; print('\\n'.join(sorted(glob.glob('/data/*.*'))))")["stdout"].split()
        talk.begin()
    return tables


def hold(talk, conversation):
    talk.begin()
    for question in conversation:
        answer = talk.ask(question)
    return answer, talk.runs


@pytest.fixture(scope="session")
def answers(request, server, tmp_path_factory):
    """What the model says to all the questions that were selected: data sets side by side, for a question
    waits more than it computes. By data set and conversation: its answer, its runs and the true tables."""
    asked = {}
    for item in request.session.items:
        if "conversation" in getattr(getattr(item, "callspec", None), "params", {}):
            params = item.callspec.params
            asked.setdefault(params["dataset"], []).append(params["conversation"])
    folders = {name: tmp_path_factory.mktemp(name) for name in asked}
    left, found = list(asked), {}

    def work(_):
        model = Model()
        talk = Talk(server, model)
        while left:
            name = left.pop(0)
            tables = talk_about(name, talk, folders[name])
            for conversation in asked[name]:
                try:
                    found[name, tuple(conversation)] = (*hold(talk, conversation), tables)
                except AssertionError as failure:
                    found[name, tuple(conversation)] = failure
        model.close()

    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        list(pool.map(work, range(WORKERS)))
    return found


@pytest.fixture(scope="module")
def program():
    running = ModelProgram()
    yield running
    assert running.process.poll() is None, "the program has ended"
    running.close()


@pytest.fixture
def models():
    with ModelServer() as server:
        yield server
        assert not server.failures, server.failures
