"""Packages that a session installs for itself: where they are found, how long they stay, and whose
they are."""

import io
import zipfile

import pytest
from harness.cli import run_json


def wheel(name, version="1.0", requires=(), script=None) -> bytes:
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": f"version = {version!r}\ndef main(): print({name!r})\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
                            + "".join(f"Requires-Dist: {one}\n" for one in requires),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if script:
        files[f"{info}/entry_points.txt"] = f"[console_scripts]\n{script} = {name}:main\n"
    files[f"{info}/RECORD"] = "".join(f"{one},,\n" for one in (*files, f"{info}/RECORD"))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for one, content in files.items():
            archive.writestr(one, content)
    return buffer.getvalue()


def upload(server, session, name, **more):
    path = f"/session/{name}-1.0-py3-none-any.whl"
    answer = server.http.put(f"/v1/sessions/{session}/files{path}", content=wheel(name, **more))
    assert answer.status_code < 300, answer.text
    return path


@pytest.mark.parametrize("command", [
    "!pip install {0}", "%pip install {0}", "!python -m pip install --user {0}", "!pip install ./{1}",
    "!pip install --no-index --find-links /session planet",
])
def test_a_wheel_is_importable_in_the_cell_that_installs_it(server, command):
    session = server.session()
    path = upload(server, session, "planet", requires=["numpy"])
    answer = server.run(session, command.format(path, path.rpartition("/")[2]) + "\nimport planet; planet.version")
    assert answer.get("error") is None, answer["stderr"]
    assert answer["results"][-1]["data"]["text/plain"] == "'1.0'", answer


def test_what_was_installed_stays_and_is_the_sessions_own(server):
    session, other = server.session(), server.session()
    path = upload(server, session, "planet", script="say-planet")
    answer = server.run(session, f"pip install {path} && say-planet && python -c 'import planet; print(planet.version)'",
                        language="shell")
    assert answer["stdout"].splitlines()[-2:] == ["planet", "1.0"], answer
    look = "import importlib.util; print(importlib.util.find_spec('planet') is not None)"
    assert server.run(session, look, context="another")["stdout"] == "True\n"
    assert server.run(other, look)["stdout"] == "False\n"
    assert server.http.post("/v1/run", json={"code": look}).json()["stdout"] == "False\n"
    # Asleep on disk and awake again, as variables are.
    assert server.http.post(f"/v1/sessions/{session}/evict").json()["state"] == "cold"
    assert server.run(session, "import planet; print(planet.version)")["stdout"] == "1.0\n"


@pytest.mark.parametrize("code, language", [("!pip install nosuch", "python"), ("%pip install nosuch", "python"),
                                            ("pip install nosuch", "shell"),
                                            ("python -m pip download nosuch", "shell")])
def test_without_a_network_pip_says_what_to_do(server, code, language):
    answer = server.http.post("/v1/run", json={"code": code, "language": language}).json()
    assert "There is no network in a sandbox" in answer["stderr"] and "docs/templates.md" in answer["stderr"]


def test_atoll_run_too(tmp_path):
    (tmp_path / "planet-1.0-py3-none-any.whl").write_bytes(wheel("planet"))
    done = run_json("-v", f"{tmp_path}:/data/wheels", "--", "sh", "-c",
                    "pip install -q /data/wheels/planet-1.0-py3-none-any.whl && python -c 'import planet; print(1)'")
    assert (done["stdout"], done["exit_code"]) == ("1\n", 0), done


@pytest.mark.parametrize("code", [
    "import plotly.express as px\npx.bar(x=[1], y=[2])", "import plotly.express as px\npx.bar(x=[1], y=[2]).show()",
    "import altair as alt, pandas as pd\nalt.Chart(pd.DataFrame({'a': [1]})).mark_bar().encode(x='a')"])
def test_figures_of_plotly_and_altair(server, code):
    answer = server.http.post("/v1/run", json={"code": code}).json()
    assert answer.get("error") is None, answer["stderr"]
    (shown,) = answer["results"]
    assert "text/html" in shown["data"]
    assert any(one.startswith(("application/vnd.plotly.v1", "application/vnd.vegalite.v")) for one in shown["data"])
