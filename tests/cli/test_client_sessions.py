"""Sessions at the command line: by id, beginning or name; forks, pauses, background processes, jobs; --json everywhere."""
import json
import os
import subprocess
import uuid

import httpx
import pytest

from harness.cli import ATOLL

pytestmark = pytest.mark.once


def unique(word):
    return f"{word}-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def named(client):
    name = unique("taxi")
    made = client("new", "--name", name)
    assert made.returncode == 0, made.err
    return name, made.out.strip()


def test_by_name_and_by_beginning(client, named, tmp_path):
    name, session = named
    for word in (name, session, session[:12], session[2:12]):
        done = client("exec", word, "-c", "print('here')")
        assert (done.returncode, done.out) == (0, "here\n"), (word, done.err)
    assert client("run", "--session", name, "-c", "print(1)").out == "1\n"
    assert client("exec", name, "cat", stdin=b"piped").out == "piped"
    (tmp_path / "a.csv").write_text("x\n1\n")
    assert client("cp", str(tmp_path / "a.csv"), f"{name}:").returncode == 0
    assert client("cp", f"{session[:12]}:a.csv", "-").out == "x\n1\n"
    assert client("cp", f"{name}:/session/a.csv", str(tmp_path / "b.csv")).returncode == 0
    assert (tmp_path / "b.csv").read_text() == "x\n1\n"
    assert client("exec", name, "mkdir", "sub").returncode == 0
    assert client("cp", str(tmp_path / "a.csv"), f"{name}:sub/b.csv").returncode == 0
    assert client("exec", name, "cat", "sub/b.csv").out == "x\n1\n"
    assert client("rm", name).returncode == 0
    assert client("exec", session, "-c", "1").returncode == 125


def test_a_beginning_of_several_names_them(client):
    made = [client("new").out.strip() for _ in range(2)]
    done = client("exec", "s-", "-c", "1")
    assert done.returncode == 125 and "there is no session s-" in done.err  # too short to mean any
    for one in made:
        assert client("rm", one).returncode == 0


def test_a_name_twice(client, named):
    again = client("new", "--name", named[0])
    assert again.returncode == 125 and named[1] in again.err and "already" in again.err
    error = json.loads(client("new", "--json", "--name", named[0]).out)["error"]
    assert (error["code"], error["status"]) == ("conflict", 409)


def test_ls_q_and_rm(client, server):
    made = [client("new").out.strip() for _ in range(2)]
    listed = client("ls", "-q").out.split()
    assert set(made) <= set(listed)
    gone = client("rm", "--json", made[0])
    assert json.loads(gone.out) == {"removed": [made[0]]}
    assert client("rm", made[0]).returncode == 125
    assert client("rm", "-f", made[0], made[1]).returncode == 0
    assert client("rm").returncode == 2
    assert client("rm", "--all", "s-x").returncode == 2
    asked = client("rm", "--all")  # nobody is there to be asked
    assert asked.returncode == 2 and "nothing was removed" in asked.err


def test_rm_of_files_frees_a_session_whose_disk_is_full(client):
    name = f"full-{os.getpid()}"
    session = client("new", "--name", name, "--disk", "2m").out.strip()
    wrote = client("exec", name, "-l", "shell", "-c", "mkdir d; for i in 1 2 3 4; do head -c 1000000 /dev/zero > d/$i; done")
    assert wrote.returncode != 0 or client("exec", name, "true").returncode == 125
    assert "remove some of its files" in client("exec", name, "rm", "-r", "d").err
    gone = client("rm", "--json", f"{name}:d")
    assert json.loads(gone.out) == {"removed": [f"{session}:/session/d"]}
    assert client("exec", name, "ls").out == "artifacts\n"
    assert client("rm", f"{name}:d").returncode == 125 and client("rm", "-f", f"{name}:d").returncode == 0
    assert client("rm", f"{name}:").returncode == 2  # a slip, not the whole folder
    assert client("rm", "nobody:d").returncode == 125
    assert client("rm", name).returncode == 0


def test_rm_all(server, tmp_path, client, monkeypatch):
    from harness.server import Server
    alone = Server(tmp_path)
    alone.http = httpx.Client(base_url=alone.url, timeout=120, trust_env=False)  # the client's proxy is not for us
    try:
        monkeypatch.setenv("ATOLL_URL", alone.url)
        for _ in range(3):
            client("new")
        thread = alone.http.post("/thread/new").json()["thread_id"]
        alone.http.post(f"/thread/{thread}/message", json={"message": "how many rows?"}, timeout=120)
        assert client("rm", "--all", "-f").returncode == 0
        left = alone.http.get("/v1/sessions").json()["sessions"]
        assert [one["metadata"]["thread"] for one in left] == [thread]  # the chat's own
    finally:
        alone.stop()


def test_what_new_takes(client, server):
    made = client("new", "--disk", "64m", "--processes", "50", "--cpus", "1", "--memory", "300m", "--open-files", "200",
                  "--file-size", "8m", "--output", "1m")
    assert made.returncode == 0, made.err
    session = made.out.strip()
    assert client("exec", session, "--", "bash", "-c", "ulimit -n; ulimit -f").out.split() == ["200", "8192"]
    too_much = client("exec", session, "-c", "print('x' * (2 << 20))")
    assert len(too_much.out) <= 1 << 20
    refused = client("new", "--dataset", "none")
    assert refused.returncode in (2, 125) and "none" in refused.err
    assert client("new", "--disk", "x").returncode == 2


def test_pause_resume_restart_fork(client, named, server):
    name, session = named
    client("exec", name, "-c", "x = 7")

    def state():
        return server.http.get(f"/v1/sessions/{session}").json()["state"]
    assert client("pause", name).returncode == 0 and state() in ("warm", "hot")  # without a cgroup nothing freezes
    assert client("pause", "--to-disk", name).returncode == 0 and state() == "cold"
    assert json.loads(client("resume", "--json", name).out)["sessions"][0]["state"] == "hot"
    copies = client("fork", name, "-n", "2").out.split()
    assert len(copies) == 2
    assert client("exec", copies[0], "-c", "print(x)").out == "7\n"
    other = unique("copy")
    [copy] = json.loads(client("fork", "--json", "--name", other, name).out)["sessions"]
    assert copy["name"] == other
    assert client("restart", name).returncode == 0
    assert client("exec", name, "-c", "print('x' in dir())").out == "False\n"
    for verb in ("pause", "resume", "restart", "fork"):
        missing = client(verb, "no-such-session", "--json")
        assert missing.returncode == 125 and json.loads(missing.out)["error"]["code"] == "not_found"


def test_background_processes(client, named):
    name, session = named
    started = client("exec", "-d", name, "--", "sh", "-c", "echo begun; echo $1 >&2; exec sleep 600", "_", "a b")
    assert started.returncode == 0, started.err
    process = started.out.strip()
    table = client("ps", name).out.splitlines()
    assert table[0].split() == ["SESSION", "PROCESS", "STATE", "AGE", "END", "COMMAND"]
    assert table[1].startswith(f"{name} ") and process in table[1] and "running" in table[1] and "echo begun" in table[1]
    assert process in client("ps").out
    until_it_wrote = client("exec", name, "--", "sh", "-c", "true")
    assert until_it_wrote.returncode == 0
    assert client("kill", name, process, "-s", "KILL").returncode == 0
    kept = client("logs", name, process)  # until it ends, which it has, or is about to
    assert (kept.returncode, kept.out, kept.err) == (0, "begun\n", "a b\n")
    whole = json.loads(client("logs", "--json", name, process).out)
    assert whole == {"stdout": "begun\n", "stderr": "a b\n", "notes": [], "ended": True}
    [one] = json.loads(client("ps", "--json", name).out)["processes"]
    assert (one["id"], one["signal"]) == (process, 9)
    view = json.loads(client("exec", "--json", "-d", name, "-c", "print(5)").out)
    assert view["argv"] == ["python", "-c", "print(5)"]
    assert client("logs", name, view["id"]).out == "5\n"
    hint = client("logs", name)
    assert hint.returncode == 125 and "name a process" in hint.err
    assert client("exec", "-d", name).returncode == 2
    assert client("exec", "-d", "-t", name, "ls").returncode == 2
    assert client("exec", "--keep-awake", name, "ls").returncode == 2


def test_jobs(client, server):
    job = server.http.post("/v1/jobs", json={"kind": "python", "code": "print('done')"}).json()["id"]
    logged = client("logs", "--json", job)
    assert json.loads(logged.out)["stdout"] == "done\n"
    listed = {one["id"]: one for one in json.loads(client("jobs", "--json").out)["jobs"]}
    assert listed[job]["state"] == "succeeded"
    assert job in client("jobs", "-q", "--state", "succeeded").out.split()
    assert job not in client("jobs", "-q", "--state", "queued").out.split()
    assert client("jobs").out.splitlines()[0].split() == ["JOB", "KIND", "STATE", "AGE", "EXIT", "SESSION"]


def test_numbers_are_written_as_people_do(client):
    """Not 0E0, which the library writes: some readers of JSON do not take it for a number."""
    made = client("new", "--json")
    assert '"cpus_max":0.0,' in made.out, made.out
    for words in (("ls", "--json"), ("pause", "--json", json.loads(made.out)["id"])):
        assert '"cpus_max":0.0,' in client(*words).out


def test_cp_with_json(client, session, tmp_path):
    (tmp_path / "a").write_text("x")
    done = client("cp", "--json", str(tmp_path / "a"), f"{session}:a")
    source, target = {"path": str(tmp_path / "a")}, {"path": "/session/a", "session": session}
    assert json.loads(done.out) == {"copied": [{"from": source, "to": target}]}
    into_folder = client("cp", "--json", str(tmp_path / "a"), f"{session}:")
    assert json.loads(into_folder.out)["copied"][0]["to"]["path"] == "/session/a"  # the copy, not the folder
    assert json.loads(client("cp", "--json", f"{session}:nope", str(tmp_path)).out)["error"]["code"] == "not_found"
    assert client("cp", "--json", f"{session}:a", "-").returncode == 2
    (tmp_path / "nosuch:file").write_text("x")
    odd = client("cp", "nosuch:file", f"{session}:", cwd=tmp_path)
    assert odd.returncode == 2
    odd = client("cp", "nosuch:file", "copy", cwd=tmp_path)
    assert odd.returncode == 125 and "./nosuch:file" in odd.err


def test_cp_of_a_folder_names_fifos_and_goes_on(client, session, tmp_path):
    """As copy_command.hpp has it; what cannot be read is another thing (test_client_folders.py)."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "plain").write_text("x")
    os.mkfifo(folder / "pipe")
    done = client("cp", str(folder), f"{session}:")
    assert done.returncode == 0 and "pipe" in done.err and "fifo" in done.err
    assert client("exec", session, "ls", "mixed").out == "plain\n"


@pytest.mark.parametrize("words, says", [
    (("exec", "--timout", "3s", "ID", "ls"), "there is no option --timout; did you mean --timeout?"),
    (("exce", "ID"), 'there is no command "exce"; did you mean exec?'),
    (("template", "bild"), 'there is no command "template bild"; did you mean build?'),
    (("ls", "--jsno"), "there is no option --jsno; did you mean --json?"),
    (("ls", "one", "two"), '"one", "two" were not expected'),
])
def test_what_was_meant(client, words, says):
    done = client(*words)
    assert done.returncode == 2 and done.out == "" and done.err.startswith(f"atoll: {says}\n"), done.err


def test_exec_it_as_elsewhere(client, session):
    done = client("exec", "-i", session, "cat", stdin=b"x")
    assert (done.returncode, done.out) == (0, "x")


COMPLETE = {
    "bash": ["bash", "--norc", "-c", "source <(atoll completion bash); read -ra COMP_WORDS <<< \"$1\"; [[ $1 == *' ' ]] && COMP_WORDS+=('');"
             "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE=$1; _atoll; printf '%s\\n' \"${COMPREPLY[@]}\"", "_"],
    "fish": ["fish", "--no-config", "-c", "atoll completion fish | source; complete -C $argv[1]"]}


@pytest.mark.parametrize("shell", ["bash", "fish"])
@pytest.mark.parametrize("line, expected", [
    ("atoll ", {"run", "exec", "ls", "completion"}), ("atoll te", {"template"}), ("atoll template ", {"build", "list", "rm"}),
    ("atoll exec --ti", {"--timeout"}), ("atoll exec ", {"NAME", "ID"}), ("atoll exec --timeout 3s ", {"NAME", "ID"}),
    ("atoll rm NAME ", {"NAME", "ID"}), ("atoll ls --st", {"--state"}), ("atoll completion ", {"bash", "zsh", "fish"}),
    ("atoll cp NAM", {"NAME:"})])
def test_a_shell_completes(client, named, tmp_path, shell, line, expected):
    name, session = named
    line = line.replace("NAME", name).replace("NAM", name[:-3])
    expected = {one.replace("NAME", name).replace("ID", session) for one in expected}
    (tmp_path / "atoll").symlink_to(ATOLL)
    asked = subprocess.run([*COMPLETE[shell], line], cwd=tmp_path, capture_output=True, text=True, timeout=60,
                           env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert asked.stderr == ""
    assert expected <= set(asked.stdout.split()), asked.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command(client, shell):
    text = client("completion", shell).out
    commands = [line.split()[0] for line in client("--help").out.splitlines() if line.startswith("  ") and line[2:3].isalpha()]
    assert {"run", "exec", "fork", "serve", "template"} <= set(commands)
    assert all(command in text for command in commands)
