"""The README names all that is public, and its examples run."""

import re
from pathlib import Path

import pytest

import atoll

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.M | re.S)


def test_every_public_name_is_explained():
    missing = [name for name in atoll.__all__
               if name != "__version__" and not re.search(rf"\b{name}\b", README)]
    assert missing == []


def test_every_method_is_named():
    for kind in (atoll.Sandbox, atoll.Files, atoll.Processes, atoll.Process, atoll.Contexts,
                 atoll.Ports, atoll.Client, atoll.Sessions, atoll.Jobs):
        for name in dir(kind):
            if not name.startswith("_"):
                assert re.search(rf"\b{name}\b", README), f"{kind.__name__}.{name}"


@pytest.mark.parametrize("code", BLOCKS, ids=range(len(BLOCKS)))
def test_its_examples_run(code, server, client, monkeypatch, tmp_path):
    monkeypatch.setenv("ATOLL_URL", server.url)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    for session in client.sessions.list():
        if session.name == "chat-1":
            client.sessions.delete(session.id)
