"""The wheel that carries the server, on a machine with Python and nothing else (empty_root.py): no compiler, no uv, no
library of ours, and no network at all. What pip and uv ask for lies in a folder, which ./scripts/test wheel filled.

ATOLL_WHEEL is the wheel, ATOLL_WHEELS the folder with it, with what it requires and with the default template's packages.
The tests build on each other, in their order: a venv, a first start, a second user, and the end of it all.
"""
import json
import os
import shutil
import tempfile
import time
import zipfile
from pathlib import Path

import pytest

import empty_root

pytestmark = [pytest.mark.root_only, pytest.mark.once]  # it makes a root file system, and goes in as either user

INDEX = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/wheels", "UV_OFFLINE": "1", "UV_FIND_LINKS": "/wheels"}
WITHIN_S = 1500

# In a sandbox of a server: tables, a shell, TypeScript, and the program that packs and unpacks.
USE = """
with sandbox as sb:
    assert sb.run("import pandas as pd; int(pd.Series([20, 22]).sum())").text == "42"
    assert sb.run("echo $((6 * 7))", language="shell").stdout.strip() == "42"
    assert sb.run("const n: number = 6; n * 7", language="typescript").text == "42"
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "a.txt").write_text("as it was")
    sb.files.upload(folder, "/work/there")
    assert sb.run("print(open('/work/there/a.txt').read())").stdout.strip() == "as it was"
    assert sb.run("import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()").figures
"""
SERVE = """
import json, pathlib, re, subprocess, sys, tempfile, time
from atoll import Sandbox
began = time.monotonic()
server = subprocess.Popen([sys.argv[1], "serve", "--listen", "127.0.0.1:8000"], stderr=subprocess.PIPE, text=True)
said = ""
for line in server.stderr:
    said += line
    if "listening on" in line:
        break
else:
    sys.exit(said)
ready = time.monotonic() - began
sandbox = Sandbox()
""" + USE + """
server.terminate()
said += server.communicate()[1]
print(json.dumps({"ready_s": ready, "status": server.returncode, "said": said}))
"""
LOCAL = """
import logging, pathlib, tempfile
from atoll import Sandbox
logging.basicConfig(level=logging.INFO)
sandbox = Sandbox(local=True)
""" + USE


@pytest.fixture(scope="module")
def root():
    folder = Path(tempfile.mkdtemp(prefix="atoll-wheel-", dir="/var/tmp"))
    folder.chmod(0o755)
    root = folder / "root"
    empty_root.make(root)
    (root / "root").chmod(0o700)  # as it is on real machines: what is inside must be found through it
    shutil.copytree(os.environ["ATOLL_WHEELS"], root / "wheels")
    yield root
    shutil.rmtree(folder)


@pytest.fixture
def tell(capsys):
    """Figures, for whoever runs this."""
    def print_it(sentence: str) -> None:
        with capsys.disabled():
            print(f"\n    {sentence}")
    return print_it


def ok(root, *command, **more) -> str:
    environment = {**INDEX, **more.pop("environment", {})}
    done = empty_root.inside(root, *command, environment=environment, timeout=WITHIN_S, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def install(root, venv: str, uid: int = 0) -> float:
    ok(root, "python3", "-m", "venv", venv, uid=uid)
    began = time.monotonic()
    ok(root, f"{venv}/bin/pip", "install", "--quiet", "atoll-sandbox", uid=uid)
    return time.monotonic() - began


def test_there_is_nothing_to_begin_with(root):
    for name in "gcc", "g++", "cc", "make", "cmake", "uv", "node", "bun", "pip", "curl", "git", "atoll":
        assert empty_root.inside(root, "sh", "-c", f"command -v {name}").returncode != 0, name
    for pattern in "libarchive*", "libspdlog*", "libfmt*", "libcurl*", "libhiredis*", "libprometheus*":
        assert not list(root.glob(f"usr/lib/*/{pattern}")), pattern


def test_pip_installs_a_program_that_starts(root, tell):
    took = install(root, "/root/atoll")
    wheel = Path(os.environ["ATOLL_WHEEL"])
    version = wheel.name.split("-")[1]
    assert ok(root, "/root/atoll/bin/atoll", "--version").strip() == f"atoll {version}"
    ok(root, "ln", "-s", "/root/atoll/bin/atoll", "/usr/local/bin/atoll")
    assert ok(root, "atoll", "--version").strip() == f"atoll {version}"  # through a link, from PATH
    report = json.loads(ok(root, "atoll", "doctor", "--json"))
    checks = {check["name"]: check for check in report["checks"]}
    assert report["ok"] is True
    assert checks["uv"]["found"] == "/root/atoll/bin/uv"
    assert checks["TypeScript"]["found"] == "/root/atoll/libexec/atoll/guest/typescript/bun"
    tell(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB; pip installed it in {took:.1f} s")


def test_a_strict_umask_is_noticed(root):
    """pip gives files the modes that the umask allows, and sandboxes of root read them as other users."""
    guest = "/root/atoll/libexec/atoll/guest"
    ok(root, "chmod", "-R", "go-rwx", guest)
    done = empty_root.inside(root, "atoll", "run", "-c", "1", timeout=WITHIN_S)
    assert done.returncode == 125 and f"chmod -R a+rX {guest}" in done.stderr, done
    ok(root, "chmod", "-R", "a+rX", guest)


def test_no_package_is_to_be_had(root):
    """The first start cannot be; it says so, and nothing is left in its way."""
    nowhere = {"UV_HTTP_RETRIES": "0"}
    for command, status in (("serve",), 1), (("run", "-c", "1"), 125):
        done = empty_root.inside(root, "/root/atoll/bin/atoll", *command, environment=nowhere, timeout=WITHIN_S)
        assert done.returncode == status and done.stdout == "", done
        for part in ("build the missing template default", "package index could not be reached", "HTTPS_PROXY",
                     "UV_INDEX_URL", "atoll template build default"):
            assert part in done.stderr, done.stderr
    assert list((root / "var/lib/atoll/templates").iterdir()) == []


def test_serve_is_all_there_is_to_do(root, tell):
    (root / "use.py").write_text(SERVE)
    said = json.loads(ok(root, "/root/atoll/bin/python", "/use.py", "/root/atoll/bin/atoll").splitlines()[-1])
    assert said["status"] == 0, said
    assert "info template default: installing 16 packages" in said["said"]
    again = json.loads(ok(root, "/root/atoll/bin/python", "/use.py", "/root/atoll/bin/atoll").splitlines()[-1])
    assert "template default: " not in again["said"]
    tell(f"the first start took {said['ready_s']:.1f} s, the second {again['ready_s']:.1f} s")


def test_an_ordinary_user_needs_nobody(root):
    install(root, "/srv/person/atoll", uid=54321)
    (root / "local.py").write_text(LOCAL)
    said = ok(root, "/srv/person/atoll/bin/python", "/local.py", uid=54321)
    assert "INFO:atoll:installing 16 packages" in said
    assert (root / "srv/person/.local/share/atoll/templates/default").is_symlink()
    assert "42\n" in ok(root, "/srv/person/atoll/bin/atoll", "run", "-c", "print(6 * 7)", uid=54321)


def test_a_folder_instead_of_an_environment(root):
    """`pip install --target` has no prefix."""
    find = "from atoll._local import find_program; print(find_program())"
    ok(root, "/root/atoll/bin/pip", "install", "--quiet", "--target", "/srv/there", "atoll-sandbox")
    assert ok(root, "/srv/there/bin/atoll", "--version").startswith("atoll ")
    found = ok(root, "python3", "-c", find, environment={"PYTHONPATH": "/srv/there"})
    assert found.strip() == "/srv/there/libexec/atoll/atoll"
    assert ok(root, "/root/atoll/bin/python", "-c", find).strip() == "/root/atoll/libexec/atoll/atoll"


def test_nothing_stays_when_it_is_removed(root):
    ok(root, "/root/atoll/bin/pip", "uninstall", "--quiet", "--yes", "atoll-sandbox")
    left = [path for path in (root / "root/atoll").rglob("*") if "atoll" in path.relative_to(root / "root/atoll").as_posix()]
    assert left == []


def test_completions_and_licences_come_along():
    with zipfile.ZipFile(os.environ["ATOLL_WHEEL"]) as archive:
        names = archive.namelist()
    for end in ("share/bash-completion/completions/atoll", "share/zsh/site-functions/_atoll",
                "share/fish/vendor_completions.d/atoll.fish", "licenses/LICENSE", "licenses/third-party/libssl3",
                "licenses/third-party/bun", "libexec/atoll/share/transactions.csv", "atoll/py.typed"):
        assert any(name.endswith(end) for name in names), end
    assert not [name for name in names if name.endswith((".a", ".cmake", ".stamp", ".pyc"))]
