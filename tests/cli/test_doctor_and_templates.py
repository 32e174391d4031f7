"""`atoll doctor` and `atoll template`: what can be told without a network. Builds that work are
made by whoever runs these tests; here are those that must not.
"""
import json
import os
import subprocess

import pytest

from harness.cli import ATOLL, atoll, run_json

STATUSES = {"ok", "warn", "fail"}


@pytest.fixture
def elsewhere(tmp_path):
    """A data folder of its own, so that a mistake here costs nobody a template."""
    folder = tmp_path / "data"
    folder.mkdir()
    return {**os.environ, "ATOLL_DATA_DIR": str(folder)}


def complaint(*words, env=None, status: int = 2) -> str:
    done = atoll("template", *words, env=env)
    assert done.returncode == status, done
    assert done.stdout == b""
    return done.stderr.decode()


# doctor

def test_the_doctor_finds_this_host_fit():
    done = atoll("doctor")
    assert done.returncode == 0, done.stdout.decode()
    text = done.stdout.decode()
    for word in ("user namespaces", "seccomp", "Landlock", "openat2", "overlayfs", "cgroups",
                 "Node", "Chromium", "template default"):
        assert word in text
    assert "Docker" not in text and "KVM" not in text  # nothing of Atoll uses them
    verdict = text.rstrip().splitlines()[-1]
    assert verdict.startswith("This host can run Atoll")
    assert ("as root" in verdict) == (os.geteuid() == 0)


def test_the_doctor_in_json():
    done = atoll("doctor", "--json")
    assert done.returncode == 0
    report = json.loads(done.stdout)
    assert report["ok"] is True and "This host can run Atoll" in report["verdict"]
    assert len(report["checks"]) > 15
    for check in report["checks"]:
        assert set(check) == {"group", "name", "status", "found", "cost", "fix"}
        assert all(isinstance(value, str) for value in check.values())
        assert check["status"] in STATUSES and check["group"] and check["name"] and check["found"]
        if check["status"] != "ok":  # what is missing says what that costs and how to mend it
            assert check["cost"] and check["fix"], check


def test_the_doctor_misses_a_template(elsewhere):
    done = atoll("doctor", "--json", env=elsewhere)
    (check,) = [one for one in json.loads(done.stdout)["checks"]
                if one["name"] == "template default"]
    assert check["status"] != "ok" and "template build default" in check["fix"]


# template

def test_templates_are_listed():
    text = atoll("template", "list").stdout.decode()
    assert text.splitlines()[0].split() == ["NAME", "SIZE", "DESCRIPTION"]
    assert any(line.startswith("default ") for line in text.splitlines())
    listed = json.loads(atoll("template", "list", "--json").stdout)["templates"]
    (default,) = [one for one in listed if one["name"] == "default"]
    assert default["built"] is True and default["bytes"] > 100_000_000 and default["description"]


def test_what_the_default_template_promises():
    """Each package of the list can be imported inside, and IPython is one of them."""
    packages = ["IPython", "pandas", "numpy", "matplotlib", "seaborn", "scipy", "sklearn",
                "pyarrow", "openpyxl", "PIL", "requests"]
    result = run_json("-c", f"import importlib\nfor name in {packages}:\n"
                      "    importlib.import_module(name)\nprint('all')")
    assert result["stdout"] == "all\n", result["stderr"]


def test_no_template_at_all(elsewhere):
    done = atoll("template", "list", env=elsewhere)
    assert done.returncode == 0 and done.stdout == b""
    assert b"template build default" in done.stderr
    assert json.loads(atoll("template", "list", "--json", env=elsewhere).stdout) == {
        "templates": []}
    # A run would make it (test_first_start.py), if it could.
    done = atoll("run", "-c", "1", env={**elsewhere, "ATOLL_UV": "/nonexistent/uv"})
    assert done.returncode == 125 and b"ATOLL_UV names /nonexistent/uv" in done.stderr
    assert b"atoll template build default" in done.stderr


@pytest.mark.parametrize("content, said", [
    ("", ["it is empty"]),
    ("{", ["no valid JSON", "line 1"]),
    ('{\n\n"python": nothing}', ["no valid JSON", "line 3"]),
    ("[]", ["the file"]),
    ('{"pyhton": {}}', ["pyhton"]),
    ('{"python": {"package": []}}', ["python", "package"]),
    ('{"python": {"packages": "pandas"}}', ["python.packages"]),
    ('{"python": {"packages": [1]}}', ["python.packages"]),
    ('{"python": {"packages": ["--index-url=x"]}}', ["python.packages[0]"]),
    ('{"python": {"preload": ["os; import sys"]}}', ["python.preload[0]", "no module name"]),
    ('{"python": {"source_builds": "yes"}}', ["python.source_builds"]),
    ('{"trees": [{"source": "/tmp"}]}', ["trees[0].target", "missing"]),
    ('{"trees": [{"source": "tmp", "target": "/srv/x"}]}', ["trees[0].source", "absolute"]),
    ('{"trees": [{"source": "/tmp", "target": "/usr"}]}', ["trees[0].target", "/srv"]),
    ('{"trees": [{"source": "/tmp", "target": "/srv/../usr"}]}', ["trees[0].target"]),
    ('{"env": {"ATOLL_X": "1"}}', ["env.ATOLL_X", "taken"]),
    ('{"env": {"A B": "1"}}', ["env.A B"]),
    ('{"env": {"A": 1}}', ["env.A"]),
])
def test_a_bad_file_is_refused_with_the_place(elsewhere, tmp_path, content, said):
    file = tmp_path / "mine.json"
    file.write_text(content)
    text = complaint("build", "mine", str(file), env=elsewhere)
    assert str(file) in text and all(part in text for part in said), text
    assert not os.path.exists(elsewhere["ATOLL_DATA_DIR"] + "/templates/mine")


def test_a_file_that_cannot_be_read(elsewhere, tmp_path):
    assert "does not exist" in complaint("build", "mine", f"{tmp_path}/absent.json", env=elsewhere)
    assert "folder" in complaint("build", "mine", str(tmp_path), env=elsewhere)
    (tmp_path / "big.json").write_bytes(b" " * (2 << 20))
    assert "1 MiB" in complaint("build", "mine", f"{tmp_path}/big.json", env=elsewhere)


def test_names_that_are_none(elsewhere, tmp_path):
    (tmp_path / "good.json").write_text("{}")
    for name in ("../up", ".hidden", "a/b", "", "x" * 65, "é"):
        assert "template name" in complaint("build", name, f"{tmp_path}/good.json", env=elsewhere)
    assert "needs a file" in complaint("build", "mine", env=elsewhere)
    assert complaint("build", env=elsewhere)  # no name at all


def test_a_build_that_fails_says_why_and_leaves_nothing(elsewhere, tmp_path):
    """A tree of the host that is not there is found without a network; so is a wheel."""
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({"python": {"packages": [
        f"absent @ file://{tmp_path}/absent-1.0-py3-none-any.whl"]}}))
    done = atoll("template", "build", "mine", str(file), env={**elsewhere, "UV_OFFLINE": "1"})
    assert done.returncode == 1
    text = done.stderr.decode()
    assert "atoll: " in text and "absent" in text
    left = subprocess.run(["find", elsewhere["ATOLL_DATA_DIR"], "-name", "*mine*"],
                          capture_output=True, text=True).stdout.split()
    assert not [path for path in left if not path.endswith(".lock")], left


def test_removing_what_is_not_there(elsewhere):
    text = complaint("rm", "nothing", env=elsewhere, status=1)
    assert "template nothing does not exist" in text and "template build" not in text
    assert "template name" in complaint("rm", "../x", env=elsewhere)


def test_a_template_in_use_is_not_removed():
    process = subprocess.Popen([ATOLL, "run", "--", "sh", "-c", "echo up; cat"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"up\n"
        text = complaint("rm", "default", status=1)
        assert "in use by running sandboxes" in text
    finally:
        process.communicate(timeout=30)
    assert process.returncode == 0


def test_unknown_words():
    assert atoll("template").returncode == 2
    assert atoll("template", "paint").returncode == 2
    assert atoll("doctor", "--no-such").returncode == 2
