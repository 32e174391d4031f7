"""`atoll run` as a person types it: what it runs, what it says, its exit status; and that nothing
of it is left, however it ends.
"""
import ctypes
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from harness import host
from harness.cli import ATOLL, atoll, run_json
from harness.driver import ROOT
from harness.templates import lean

_PR_SET_CHILD_SUBREAPER = 36


@pytest.fixture(autouse=True)
def nothing_is_left():
    """Whatever `atoll run` leaves behind becomes a child of this process, and is found there."""
    assert ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    before = {one.pid for one in host.all_processes() if one.parent == os.getpid()}
    yield
    left = [one for one in host.all_processes()
            if one.parent == os.getpid() and one.pid not in before]
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    alive = [one for one in left if one.state not in "ZX"]
    for one in left:
        if one in alive:
            os.kill(one.pid, signal.SIGKILL)
        os.waitpid(one.pid, 0)
    assert not alive


@pytest.fixture(autouse=True)
def template(request, monkeypatch):
    """The documentation's examples have the default one, all else one that starts sooner."""
    if request.function is not test_examples_of_the_documentation:
        monkeypatch.setenv("ATOLL_DATA_DIR", str(lean()))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with what the examples of the README name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "script.py").write_text("import sys\nprint('script', sys.argv[1:])\n")
    (tmp_path / "app.ts").write_text(
        "interface Point { x: number }\n"
        "const p: Point = { x: 40 };\n"
        "const add = <T extends number>(a: T, b: T): number => a + b;\n"
        "console.log(add(p.x, 2), process.argv.slice(2));\n")
    (tmp_path / "report.py").write_text("print(open('/data/sets/table.csv').read())\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "table.csv").write_text("a,b\n1,2\n")
    return tmp_path


def refused(*words, status: int = 2, **more) -> str:
    """What it says when it refuses: one sentence on stderr, nothing on stdout."""
    done = atoll("run", *words, **more)
    assert done.returncode == status, done
    assert done.stdout == b""
    text = done.stderr.decode()
    assert text.startswith("atoll: ")
    return text


def cgroups_of_process(pid: int) -> list:
    """The folders of the cgroups of ours that it is in, of either version."""
    found = []
    for line in open(f"/proc/{pid}/cgroup"):
        _, controllers, path = line.strip().split(":", 2)
        if "/atoll/" not in path:
            continue
        bases = [f"/sys/fs/cgroup/{controllers}", "/sys/fs/cgroup"]
        found += [base + path for base in bases if os.path.isdir(base + path)]
    return found


# What the documentation shows

def documented_examples() -> list:
    text = (ROOT / "docs" / "using.md").read_text()
    block = text.split("## On the command line", 1)[1].split("\nEach run", 1)[0]
    lines = [line.strip() for line in block.splitlines() if line.startswith("    ")]
    return [line.split("  #")[0].strip() for line in lines if "$atoll" in line]


EXPECTED = {
    "$atoll run script.py": "script []",
    "$atoll run -c 'import pandas; print(1)'": "1",
    "$atoll run app.ts": "42 []",
    "$atoll run -- sh -c 'id; ls /'": "uid=1000(user)",
    "echo 'print(6*7)' | $atoll run": "42",
    "$atoll run --json -c 'print(1)'": '"stdout":"1\\n"',
    "$atoll run -v ~/data:/data/sets -m 512m -t 30s report.py": "1,2",
    "$atoll run -C project main.py": "from beside",
    "$atoll doctor": "This host can run Atoll",
    "$atoll template list": "default",
    "$atoll config": "listen",
}


@pytest.mark.parametrize("line", documented_examples())
def test_examples_of_the_documentation(folder, line):
    if line == "$atoll shell":
        pytest.skip("needs a terminal: test_shell.py")
    if line == "$atoll serve":
        pytest.skip("runs until it is stopped: tests/api")
    if line.startswith("$atoll key"):
        pytest.skip("changes the data folder: tests/api/test_access.py")
    if line.split()[1] in ("new", "exec", "cp", "fork", "pause", "ls", "rm", "cancel"):
        pytest.skip("needs a server: test_client_sessions.py")
    if line == "$atoll run -C project main.py":
        (folder / "project").mkdir()
        (folder / "project" / "main.py").write_text("import beside; print(beside.x)")
        (folder / "project" / "beside.py").write_text("x = 'from beside'")
    done = subprocess.run(
        ["bash", "-c", line.replace("~", str(folder)).replace("$atoll", str(ATOLL))],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
    assert done.returncode == 0, done.stderr
    assert EXPECTED[line] in done.stdout


# What is run

def test_arguments_and_name_of_a_script(folder):
    done = atoll("run", "script.py", "--json", "-c", "a b", "--", "é")
    assert done.stdout.decode() == "script ['--json', '-c', 'a b', '--', 'é']\n"
    (folder / "name.py").write_text("import os; print(__file__, os.getcwd())")
    assert atoll("run", "name.py").stdout == b"/work/name.py /work\n"


def test_a_script_that_says_its_language_in_the_first_line(folder):
    for name, content in [("tool", "#!/usr/bin/env python3\nprint('py')\n"),
                          ("job", "#!/bin/sh\necho sh\n"), ("x.sh", "echo sh $1\n")]:
        (folder / name).write_text(content)
    assert atoll("run", "tool").stdout == b"py\n"
    assert atoll("run", "job").stdout == b"sh\n"
    assert atoll("run", "x.sh", "one").stdout == b"sh one\n"


def test_typescript(folder):
    assert atoll("run", "app.ts", "x").stdout == b'42 [ "x" ]\n'
    code = "enum Kind { A = 3 }\nconst k: Kind = Kind.A;\nconsole.log(k as number)"
    assert atoll("run", "-l", "typescript", "-c", code).stdout == b"3\n"
    assert atoll("run", "-l", "ts", stdin=b"const x: number = 5; console.log(x)").stdout == b"5\n"
    (folder / "mod.mts").write_text("const v: string = await Promise.resolve('m'); console.log(v)")
    assert atoll("run", "mod.mts").stdout == b"m\n"
    wrong = atoll("run", "-l", "ts", "-c", "let x: = 1")
    assert wrong.returncode != 0 and b"error" in wrong.stderr.lower()


def test_shell_code_and_code_from_stdin():
    assert atoll("run", "-l", "shell", "-c", "echo $0 $((6 * 7))").stdout.endswith(b" 42\n")
    assert atoll("run", "-l", "shell", stdin=b"echo from stdin\n").stdout == b"from stdin\n"
    assert atoll("run", "-", "a", stdin=b"import sys; print(sys.argv[1:])").stdout == b"['a']\n"
    assert atoll("run", stdin=b"").returncode == 0


def test_a_command_gets_stdin_and_its_words(folder):
    assert atoll("run", "--", "tr", "a-z", "A-Z", stdin=b"loud\n").stdout == b"LOUD\n"
    assert atoll("run", "--", "printf", "%s|", "--json", "-c", "a b", "").stdout == \
        b"--json|-c|a b||"
    assert atoll("run", "-c", "print(input())", stdin=b"line\n").stdout == b"line\n"


def test_big_data_passes_through_whole():
    content = os.urandom(50_000_000)
    done = atoll("run", "--output", "100m", "--", "cat", stdin=content)
    assert done.returncode == 0 and done.stdout == content


def test_output_is_live_and_streams_stay_apart():
    process = subprocess.Popen([ATOLL, "run", "-c", "import sys, time\nprint('first')\n"
                                "print('problem', file=sys.stderr)\ninput()\nprint('last')"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"first\n"  # while it waits for us
    assert process.stderr.readline() == b"problem\n"
    out, err = process.communicate(b"go\n", timeout=30)
    assert (out, err, process.returncode) == (b"last\n", b"", 0)


def test_environment(monkeypatch):
    monkeypatch.setenv("FROM_HERE", "passed é")
    monkeypatch.setenv("SECRET_TOKEN", "not for the sandbox")
    show = "import os; print(os.environ.get('FROM_HERE'), os.environ.get('GIVEN'), 'SECRET_TOKEN' "\
           "in os.environ)"
    done = atoll("run", "--env", "FROM_HERE", "-e", "GIVEN=a=b c", "-c", show)
    assert done.stdout.decode() == "passed é a=b c False\n"
    assert atoll("run", "-c", show).stdout == b"None None False\n"


def test_mounts(folder):
    (folder / "out").mkdir()
    done = atoll("run", "-v", "data", "--mount-rw", f"{folder}/out:/work/out", "--", "sh", "-c",
                 "cat /data/data/table.csv; stat -c %U /data/data /work/out; echo new > "
                 "/work/out/made; echo x > /data/data/made")
    assert done.stdout == b"a,b\n1,2\nuser\nuser\n"
    assert b"Read-only file system" in done.stderr and done.returncode != 0
    assert (folder / "out" / "made").read_text() == "new\n"
    assert (folder / "out" / "made").stat().st_uid == os.geteuid()
    assert not (folder / "data" / "made").exists()
    one = atoll("run", "-v", "data/table.csv", "--", "cat", "/data/table.csv")
    assert one.stdout == b"a,b\n1,2\n"


def test_limits_take_effect():
    done = atoll("run", "--open-files", "50", "--file-size", "2m", "--", "bash", "-c",
                 "ulimit -n; ulimit -f")
    assert done.stdout == b"50\n2048\n"
    forks = atoll("run", "--processes", "8", "-c", "import os, time\n"
                  "for n in range(100):\n    if os.fork() == 0: time.sleep(30)")
    assert forks.returncode == 1 and b"BlockingIOError" in forks.stderr


# --json

def test_the_object_has_what_is_promised():
    result = run_json("-c", "import sys\nprint('out é')\nprint('err', file=sys.stderr)\n"
                      "open('/work/artifacts/made', 'w').write('12345')\nsys.exit(3)")
    assert result["stdout"] == "out é\n" and result["stderr"] == "err\n"
    assert result["exit_code"] == 3 and result["signal"] == 0
    assert result["reason"] == "exited" and result["output_truncated"] is False
    assert set(result["timings_ms"]) == {"walls", "prepare", "run", "total"}
    assert all(isinstance(ms, float) and ms >= 0 for ms in result["timings_ms"].values())
    assert result["timings_ms"]["total"] >= result["timings_ms"]["run"]
    peak = result["memory_peak_bytes"]
    assert peak is None or isinstance(peak, int) and peak > 100_000
    assert result["files"] == [{"path": "/work/artifacts/made", "change": "created", "type": "file", "size": 5}]
    assert result["files_complete"] is True


def test_files_that_were_written_are_listed(folder):
    result = run_json("-v", "data", "script.py")
    assert result["files"] == []  # neither the script itself nor what was mounted
    result = run_json("--", "sh", "-c", "mkdir -p /session/a/b; echo 1 > /session/a/b/c; "
                      "echo 22 > /data/outputs/d; echo 333 > e; ln -s e f; echo 4 > /tmp/unlisted")
    assert sorted((one["path"], one["size"]) for one in result["files"]) == [
        ("/data/outputs/d", 3), ("/session/a/b/c", 2), ("/work/e", 4)]


def test_output_that_is_no_text_stays_valid_json():
    result = run_json("--", "printf", r"a\xff\xc3\xa9\x00b")
    assert result["stdout"] == "a\ufffdé\x00b"


# Each below the limit, all together above it: what one process may have is not what stops them.
TOO_MUCH_TOGETHER = """
import os, time
for _ in range(4):
    if os.fork() == 0:
        kept = bytearray(b'x') * (60 << 20)
        time.sleep(3)
        os._exit(0)
raise SystemExit(any(os.wait()[1] != 0 for _ in range(4)))
"""


@pytest.mark.parametrize("words, reason, status, signal_", [
    (["-c", "pass"], "exited", 0, 0),
    (["--", "sh", "-c", "exit 7"], "exited", 7, 0),
    (["-c", "import os; os.abort()"], "signalled", 134, 6),
    (["--", "sh", "-c", "kill -TERM $$"], "signalled", 143, 15),
    (["-t", "500ms", "-c", "import time; time.sleep(60)"], "timeout", 124, 9),
    (["-m", "128m", "-c", TOO_MUCH_TOGETHER], "memory", None, None),
    (["--disk", "4m", "-c", "open('/work/x', 'wb').write(b'x' * (8 << 20))"], "disk", 1, 0),
    (["--file-size", "1m", "--", "dd", "if=/dev/zero", "of=f", "bs=1M", "count=2"],
     "disk", 153, 25),
    (["--output", "10k", "-c", "while True: print('x' * 100)"], "output", None, None),
])
def test_reasons(words, reason, status, signal_):
    done = atoll("run", "--json", *words)
    result = json.loads(done.stdout)
    assert result["reason"] == reason, result
    if status is not None:
        assert done.returncode == status
        assert status == 124 or result["exit_code"] == status
        assert result["signal"] == signal_
    else:
        assert done.returncode != 0
    if reason == "output":
        assert result["output_truncated"] is True and len(result["stdout"]) == 10 * 1024


def test_without_json_the_reason_is_said_on_stderr():
    done = atoll("run", "-t", "2500ms", "-c", "print('before')\nimport time; time.sleep(60)")
    assert (done.returncode, done.stdout) == (124, b"before\n")
    assert done.stderr == b"atoll: stopped after 2.5 s (--timeout)\n"
    done = atoll("run", "--output", "1k", "--", "yes")
    assert done.stdout == b"y\n" * 512 and b"stopped: it wrote more than 1 KiB of output (--output)" in done.stderr
    done = atoll("run", "--output", "1k", "-c", "print('x' * 5000)")  # ends before anybody can stop it, or is stopped
    assert (b"it ended" if done.returncode == 0 else b"stopped") in done.stderr, done
    done = atoll("run", "--disk", "2m", "--", "sh", "-c", "cat /dev/zero > x")
    assert b"disk was full at 2 MiB (--disk" in done.stderr and done.returncode != 0


def test_what_ends_well_on_a_full_disk_ended_well():
    done = run_json("--disk", "2m", "-c", "try: open('x', 'wb').write(b'x' * (4 << 20))\n"
                    "except OSError: print('coped')")
    assert (done["reason"], done["stdout"], done["exit_code"]) == ("exited", "coped\n", 0)


# Bad input

@pytest.mark.parametrize("words, said", [
    (["--template", "no-such", "-c", "1"], ["template no-such does not exist", "template build"]),
])
def test_a_template_that_is_not_there(words, said):
    text = refused(*words, status=125)
    assert all(part in text for part in said)


@pytest.mark.parametrize("words, said", [
    (["--no-such-option"], ["--no-such-option", "--help"]),
    (["--timeout"], ["--timeout", "--help"]),
    (["--template", "../x", "-c", "1"], ["template name", "../x"]),
    (["-v", "/no/such/place", "-c", "1"], ["--mount", "/no/such/place"]),
    (["--mount-rw", "/no/such/place:/data/x", "-c", "1"], ["--mount-rw", "/no/such/place"]),
    (["-v", "/tmp:/usr/share", "-c", "1"], ["/usr/share", "choose a place"]),
    (["-v", "/tmp:/data/../usr", "-c", "1"], ["/data/../usr", ".."]),
    (["-e", "NOT_SET_HERE", "-c", "1"], ["--env", "NOT_SET_HERE"]),
    (["-e", "=x", "-c", "1"], ["environment variable"]),
    (["absent.py"], ["absent.py", "no such file"]),
    (["ls", "-l"], ["ls: there is no such file", "atoll run -- ls"]),
    (["data"], ["data is a folder", "atoll run -C data SCRIPT", "--mount"]),
    (["binary.py"], ["binary.py is a binary file", "--mount"]),
    (["mystery"], ["mystery", "--language"]),
    (["-l", "cobol", "-c", "1"], ["cobol", "python, shell, javascript or typescript"]),
    (["-c", "1", "--", "true"], ["exclude each other"]),
    (["-m", "0", "-c", "1"], ["memory", "at least 32 MiB"]),
    (["-m", "1m", "-c", "1"], ["1 MiB", "at least 32 MiB"]),
    (["--memory=-5m", "-c", "1"], ["--memory", "-5m", "negative"]),
    (["-m", "lots", "-c", "1"], ["--memory", "lots", "512m"]),
    (["-m", "999999t", "-c", "1"], ["--memory", "64 TiB"]),
    (["-m", "5x", "-c", "1"], ["--memory", "unit"]),
    (["-m", "nan", "-c", "1"], ["--memory", "nan"]),
    (["--timeout=-1s", "-c", "1"], ["--timeout", "negative"]),
    (["-t", "soon", "-c", "1"], ["--timeout", "soon"]),
    (["-t", "99999h", "-c", "1"], ["--timeout", "beyond a year"]),
    (["--cpus=-1", "-c", "1"], ["cpus"]),
    (["--cpus", "many", "-c", "1"], ["--cpus", "many"]),
    (["--cpus", "99999", "-c", "1"], ["cpus", "4096"]),
    (["--processes", "0", "-c", "1"], ["processes", "at least 4"]),
    (["--processes=-3", "-c", "1"], ["--processes", "negative"]),
    (["--processes", "99999999999999999999", "-c", "1"], ["--processes", "too large"]),
    (["--processes", "1.5", "-c", "1"], ["--processes", "whole number"]),
    (["--open-files", "0", "-c", "1"], ["open files", "16"]),
    (["--file-size", "0", "-c", "1"], ["file size is 0"]),
    (["--output", "0", "-c", "1"], ["output is 0"]),
    (["--disk", "0", "-c", "1"], ["disk is below 1 MiB"]),
])
def test_bad_input_is_refused_with_what_to_do(folder, words, said):
    (folder / "binary.py").write_bytes(open(sys.executable, "rb").read(20_000))
    (folder / "mystery").write_text("who knows")
    text = refused(*words)
    assert all(part in text for part in said), text


def test_wrong_options_with_json_are_an_object_too():
    done = atoll("run", "--json", "-m", "0", "-c", "1")
    assert done.returncode == 2 and "32 MiB" in json.loads(done.stdout)["error"]["message"]


@pytest.mark.parametrize("words, said", [
    (["--", ""], ["command", "empty"]),
    ([""], ["script", "empty"]),
    (["-l", "", "-c", "1"], ["--language", "choose python"]),
    (["-v", ":", "-c", "1"], ["--mount", "nothing to mount"]),
    (["-v", ":/data/x", "-c", "1"], ["--mount", "nothing to mount"]),
    (["-v", "data:", "-c", "1"], ["--mount", "absolute path"]),
    (["--mount-rw", "data:relative", "-c", "1"], ["--mount-rw", "absolute path"]),
])
def test_words_that_say_nothing(words, said):
    text = refused(*words, status=2)
    assert all(part in text for part in said), text


def test_code_on_a_stdin_that_is_a_folder(folder):
    fd = os.open(folder, os.O_RDONLY)
    try:
        done = atoll("run", stdin=fd)
    finally:
        os.close(fd)
    assert done.returncode == 2 and b"stdin" in done.stderr


def test_empty_code_is_code():
    done = atoll("run", "-c", "", stdin=b"print('not this')")
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize("closed", [(0, 1, 2), (0,), (2,), (0, 2), (0, 1), (1, 2)])
def test_closed_standard_streams(folder, closed):
    """A stream that is closed is no place for what Atoll opens next."""
    words = " ".join(f"{fd}>&-" if fd else "<&-" for fd in closed)
    done = subprocess.run(["sh", "-c", f"exec {ATOLL} run -c 'import sys; sys.exit(5)' {words}"],
                          capture_output=True, timeout=120)
    assert done.returncode == 5, done


def test_numbers_in_json_are_plain(folder):
    done = atoll("run", "--json", "-c", "print(1)")
    text = done.stdout.decode()
    assert "E" not in text.split('"timings_ms":', 1)[1].split("}", 1)[0], text
    assert json.loads(text)["timings_ms"]["total"] > 1


def test_a_script_among_its_own_files(folder):
    """/work is the folder that the script is in: it runs there, and nothing is copied."""
    project = folder / "project"
    project.mkdir()
    (project / "helper.py").write_text("word = 'helped'\n")
    (project / "tool.py").write_text("import helper, os; print(helper.word, __file__)\n")
    for option in ("--mount-rw", "--mount"):
        done = atoll("run", option, f"{project}:/work", str(project / "tool.py"))
        assert done.stdout == b"helped /work/tool.py\n", done
    assert not {"tool.py", "helper.py"} ^ {name for name in os.listdir(project)
                                           if name != "__pycache__"}


@pytest.mark.parametrize("target", ["/work", "/work//", "/work/tool.py"])
def test_a_script_never_replaces_a_file_of_the_host(folder, target):
    project, elsewhere = folder / "project", folder / "elsewhere"
    for made in (project, elsewhere):
        made.mkdir()
        (made / "tool.py").write_text(f"print('{made.name}')\n")
    source = project / "tool.py" if target.endswith(".py") else project
    done = atoll("run", "--mount-rw", f"{source}:{target}", str(elsewhere / "tool.py"))
    assert done.stdout == b"elsewhere\n", done
    assert (project / "tool.py").read_text() == "print('project')\n"
    assert os.listdir(project) == ["tool.py"]


def test_a_program_that_is_not_there():
    text = refused("--", "no-such-program", status=127)
    assert "no-such-program" in text and "No such file" in text
    text = refused("--", "/etc/passwd", status=126)
    assert "/etc/passwd" in text and "Permission denied" in text


def test_a_script_that_may_not_be_read(folder, root):
    if root:
        pytest.skip("root may read it")
    (folder / "closed.py").touch(mode=0o000)
    assert "cannot be read" in refused("closed.py")


def test_a_data_folder_that_is_not_one(tmp_path):
    (tmp_path / "file").touch()
    for wrong in (tmp_path / "file", "/proc/nowhere"):
        text = refused("-c", "1", status=125, env={**os.environ, "ATOLL_DATA_DIR": str(wrong)})
        assert str(wrong) in text


def test_a_closed_stdout_ends_the_program():
    word = host.marker()
    done = subprocess.run(
        ["bash", "-c", f"{ATOLL} run -- sh -c 'while :; do echo x; done' {word} | head -1; "
         "echo ${PIPESTATUS[0]}"], capture_output=True, timeout=60, text=True)
    assert done.stdout.splitlines()[0] == "x" and done.stdout.splitlines()[1] not in ("", "0")
    assert not host.with_argument(word)


def test_a_stdout_that_is_full():
    with open("/dev/full", "wb") as full:
        for words in (["-c", "print(1)"], ["--json", "-c", "print(1)"]):
            done = subprocess.run([ATOLL, "run", *words], stdout=full, stderr=subprocess.PIPE,
                                  stdin=subprocess.DEVNULL, timeout=60)
            assert done.returncode != 0, words


def test_stdin_that_is_closed():
    done = subprocess.run(["bash", "-c", f"{ATOLL} run -c 'print(1)' <&-"], capture_output=True,
                          timeout=60)
    assert (done.returncode, done.stdout) == (0, b"1\n")


# Signals, and nothing left

def started(*words):
    """A run that said `ready`, and the processes of its sandbox."""
    process = subprocess.Popen([ATOLL, "run", *words], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    inside = [one for one in host.processes_in(process.pid) if one.pid != process.pid]
    assert inside
    return process, inside


def gone(inside, cgroups):
    return host.eventually(lambda: not any(one.alive for one in inside)
                           and not any(os.path.exists(path) for path in cgroups))


def test_ctrl_c_goes_to_the_program():
    process, _ = started("-c", "import time\ntry:\n    print('ready')\n    time.sleep(60)\n"
                         "except KeyboardInterrupt: print('heard')\nraise SystemExit(5)")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert (out, process.returncode) == (b"heard\n", 5)


def test_a_second_ctrl_c_ends_it():
    process, inside = started("-c", "import signal, time\nsignal.signal(2, signal.SIG_IGN)\n"
                              "print('ready')\ntime.sleep(60)")
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 137
    assert gone(inside, [])


@pytest.mark.parametrize("how", ["by itself", "timeout", "SIGTERM", "SIGHUP", "SIGKILL"])
def test_no_process_and_no_cgroup_is_left(how, root):
    process, inside = started("-t", "2s" if how == "timeout" else "60s", "--", "bash", "-c",
                              "setsid sleep 300 & echo ready; sleep "
                              + ("1" if how == "by itself" else "300"))
    cgroups = [path for one in inside for path in cgroups_of_process(one.pid)]
    assert cgroups or not root
    if how.startswith("SIG"):
        process.send_signal(getattr(signal, how))
    process.communicate(timeout=30)
    assert process.returncode == {"by itself": 0, "timeout": 124, "SIGTERM": 137, "SIGHUP": 137,
                                  "SIGKILL": -9}[how]
    if how == "SIGKILL":
        # Nobody was there to tidy up. The processes end by themselves; the cgroups are empty, and
        # swept by a later run once they are old enough to be nobody's.
        assert gone(inside, [])
        for path in set(cgroups):
            os.rmdir(path)  # refused while a process is in it
    assert gone(inside, cgroups)


def test_many_at_once():
    processes = [subprocess.Popen([ATOLL, "run", "-c", f"print({n} * 2)"], stdout=subprocess.PIPE,
                                  stdin=subprocess.DEVNULL) for n in range(8)]
    assert [int(one.communicate(timeout=60)[0]) for one in processes] == [n * 2 for n in range(8)]


def test_help_and_version():
    assert b"run" in atoll("--help").stdout and b"--timeout" in atoll("run", "--help").stdout
    assert atoll("--version").stdout.startswith(b"atoll ")
    assert atoll().returncode == 2
    assert atoll("no-such-command").returncode == 2


@pytest.mark.parametrize("command, says, says_not", [
    ("", "Run `atoll COMMAND --help`", "atoll run"), ("key", "Run `atoll key COMMAND --help`", "`atoll COMMAND"),
    ("run", "atoll run -C project", "COMMAND --help"), ("ls", "--state", "COMMAND --help"),
    ("serve", "--pool TEXT  ", "COMMAND --help"), ("serve", "--dataset TEXT ...", "COMMAND --help"),
    ("completion", "bash, zsh or fish", "sessions")])
def test_help_says_what_concerns_the_command(command, says, says_not):
    text = atoll(*command.split(), "--help").stdout.decode()
    assert says in text and says_not not in text
