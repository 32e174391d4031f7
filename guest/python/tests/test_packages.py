"""Goal: a wheel that a session installs is importable at once, stays the session's, and pip says
what to do where it would need a network."""

import os
import subprocess
import sys
import zipfile

import pytest

from atoll_guest import packages

pip = pytest.importorskip("pip")


def make_wheel(folder, name, version, requires=(), **files):
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {one}\n" for one in requires)
    files = {f"{name}.py": f"version = {version!r}\n", **files}
    files[f"{info}/METADATA"] = metadata
    files[f"{info}/WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    files[f"{info}/RECORD"] = "".join(f"{one},,\n" for one in (*files, f"{info}/RECORD"))
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for one, content in files.items():
            archive.writestr(one, content)
    return path


@pytest.fixture
def run_pip(tmp_path):
    """As the template calls it."""
    code = "import sys; from atoll_guest import pip_command; sys.exit(pip_command.main(sys.argv[1:]))"

    def run(*arguments):
        source = os.path.dirname(os.path.dirname(packages.__file__))
        environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONPATH": source}
        return subprocess.run(
            [sys.executable, "-c", code, *map(str, arguments)],
            capture_output=True,
            text=True,
            env=environment,
            cwd=tmp_path,
        )

    return run


def test_a_wheel_is_importable_in_the_running_kernel(kernel, run_pip, tmp_path):
    assert kernel.run("import planet").error["name"] == "ModuleNotFoundError"
    done = run_pip("install", make_wheel(tmp_path, "planet", "1.0"))
    assert done.returncode == 0, done.stderr
    assert kernel.run("import planet; planet.version").text == "'1.0'"
    assert str(tmp_path / ".local") in kernel.run("planet.__file__").text


def test_what_the_environment_has_satisfies_requirements_and_is_left_alone(run_pip, tmp_path):
    wheel = make_wheel(tmp_path, "planet", "1.0", ["ipython"])
    done = run_pip("install", "--user", f"./{wheel.name}")
    assert done.returncode == 0 and "already satisfied: ipython" in done.stdout, done.stderr
    before = packages_of_environment()
    done = run_pip("install", make_wheel(tmp_path, "traitlets", "999.0"))
    assert done.returncode == 0, done.stderr
    assert packages_of_environment() == before
    program = [sys.executable, "-c", "from atoll_guest import packages; packages.use_in_program()\n"
               "import traitlets; print(traitlets.version)"]
    source = os.path.dirname(os.path.dirname(packages.__file__))
    environment = {"HOME": str(tmp_path), "PYTHONPATH": source}
    assert subprocess.check_output(program, text=True, env=environment) == "999.0\n"
    assert run_pip("uninstall", "-y", "traitlets", "planet").returncode == 0
    assert not (tmp_path / packages.folder() / "planet.py").exists()
    assert packages_of_environment() == before


def packages_of_environment():
    return sorted(os.listdir(os.path.dirname(os.path.dirname(pip.__file__))))


def test_requirements_come_from_a_folder_of_wheels(run_pip, tmp_path):
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    make_wheel(wheels, "planet", "1.0", ["moon"])
    make_wheel(wheels, "moon", "2.0")
    done = run_pip("install", "--no-index", "--find-links", wheels, "planet")
    assert done.returncode == 0 and "moon-2.0" in done.stdout, done.stderr


@pytest.mark.parametrize("what", [["install", "nosuch"], ["download", "nosuch"],
                                  ["install", "http://127.0.0.1:1/planet-1.0-py3-none-any.whl"]])
def test_without_a_network_pip_says_what_to_do(run_pip, what):
    done = run_pip(*what)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("There is no network in a sandbox") and "docs/templates.md" in last
    assert "Retrying" not in done.stderr


def test_other_failures_are_not_blamed_on_the_network(run_pip, tmp_path):
    done = run_pip("install", tmp_path / "nosuch-1.0-py3-none-any.whl")
    assert done.returncode == 1 and "no network" not in done.stderr


def test_a_kernel_reads_no_start_up_file_of_the_session(kernel, tmp_path):
    """S12: .pth files and the like run in programs of the session at most."""
    folder = kernel.run("import sys; [p for p in sys.path if '.local' in p][0]").text.strip("'")
    os.makedirs(folder)
    for name in ("planted.pth", "sitecustomize.py", "usercustomize.py"):
        with open(os.path.join(folder, name), "w") as file:
            file.write("import os; os.environ['PLANTED'] = '1'\n")
    assert kernel.run("import os, nosuch").status == "error"
    assert kernel.run("import os; os.environ.get('PLANTED')").events == []
