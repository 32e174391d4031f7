"""`atoll run -C DIR`: a script with the files beside it; and the hint when it was left out."""
import json

import pytest

from harness.cli import atoll
from harness.templates import lean

pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def template(monkeypatch):
    monkeypatch.setenv("ATOLL_DATA_DIR", str(lean()))


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "pkg"
    (folder / "inner").mkdir(parents=True)
    (folder / "helper.py").write_text("word = 'from helper'\n")
    (folder / "inner" / "__init__.py").write_text("number = 42\n")
    (folder / "data.csv").write_text("a,b\n1,2\n")
    (folder / "main.py").write_text(
        "import sys, helper, inner\nprint(helper.word, inner.number, open('data.csv').read().split(), sys.argv[1:])\n"
        "open('result.txt', 'w').write('written')\n")
    (folder / "link.py").symlink_to("main.py")
    return folder


@pytest.mark.parametrize("words", [("-C", "pkg", "main.py"), ("-C", "pkg", "pkg/main.py"), ("-C", "pkg", "{}/main.py"),
                                   ("-C", "{}", "main.py"), ("-C", "pkg", "link.py")])
def test_it_runs_among_its_files(package, words):
    done = atoll("run", *(word.format(package) for word in words), "one", "-C", cwd=package.parent)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == "from helper 42 ['a,b', '1,2'] ['one', '-C']\n"
    assert not (package / "result.txt").exists()  # a copy: nothing comes back


def test_from_the_folder_itself_and_with_commands(package):
    assert atoll("run", "-C", ".", "main.py", cwd=package).returncode == 0
    assert atoll("run", "-C", "pkg", "--", "cat", "data.csv", cwd=package.parent).stdout == b"a,b\n1,2\n"
    assert atoll("run", "-C", "pkg", "-c", "import helper; print(helper.word)", cwd=package.parent).stdout == b"from helper\n"


def test_what_it_wrote_is_told_and_what_it_brought_is_not(package):
    answer = json.loads(atoll("run", "--json", "-C", "pkg", "main.py", cwd=package.parent).stdout)
    assert [one["path"] for one in answer["files"] if "__pycache__" not in one["path"]] == ["/work/result.txt"]


def test_what_it_changed_of_the_folder_is_told(package):
    answer = json.loads(atoll("run", "--json", "-C", "pkg", "--", "sh", "-c", "echo more >> data.csv; rm helper.py; echo 1 > new",
                              cwd=package.parent).stdout)
    assert {one["path"]: (one["change"], one["type"], one["size"]) for one in answer["files"]} == {
        "/work/data.csv": ("modified", "file", len((package / "data.csv").read_bytes()) + 5),
        "/work/helper.py": ("removed", "file", 0), "/work/new": ("created", "file", 2)}


def test_mount_rw_brings_results_back(package):
    assert atoll("run", "--mount-rw", "pkg:/work", "pkg/main.py", cwd=package.parent).returncode == 0
    assert (package / "result.txt").read_text() == "written"


def test_the_hint(package):
    done = atoll("run", "pkg/main.py", cwd=package.parent)
    assert done.returncode == 1
    last = done.stderr.decode().splitlines()[-1]
    assert last.startswith("atoll: helper.py is next to the script") and last.endswith("atoll run -C pkg main.py")
    answer = json.loads(atoll("run", "--json", "pkg/main.py", cwd=package.parent).stdout)
    assert answer["hint"].endswith("atoll run -C pkg main.py")
    (package / "main.py").write_text("import torch_is_not_here\n")
    done = atoll("run", "pkg/main.py", cwd=package.parent)
    assert done.returncode == 1 and b"next to the script" not in done.stderr


@pytest.mark.parametrize("words, says", [
    (("-C", "nowhere", "main.py"), "no folder nowhere"), (("-C", "pkg", "../other.py"), "no such file in pkg"),
    (("-C", "pkg", "absent.py"), "no such file in pkg"), (("-C", "pkg", "-v", "pkg:/work", "main.py"), "exclude each other"),
    (("-C", "pkg", "--session", "s-1", "main.py"), "exclude each other")])
def test_what_does_not_go(package, words, says):
    (package.parent / "other.py").write_text("print(1)")
    done = atoll("run", *words, cwd=package.parent)
    assert done.returncode == 2 and says in done.stderr.decode()


def test_a_folder_that_does_not_fit(package):
    (package / "large").write_bytes(b"x" * (3 << 20))
    done = atoll("run", "--disk", "2m", "-C", "pkg", "main.py", cwd=package.parent)
    assert done.returncode == 125 and "--disk" in done.stderr.decode()
