"""`atoll key`: which data folder it works on, what it shows and what it leaves alone."""
import json
import os
import subprocess

import pytest

from harness.cli import ATOLL, atoll

pytestmark = pytest.mark.once


@pytest.fixture
def elsewhere(tmp_path):
    """Folders of its own, so that a mistake here costs nobody a key."""
    environment = {**os.environ, "ATOLL_DATA_DIR": str(tmp_path / "usual")}
    environment.pop("ATOLL_CONFIG", None)
    return environment


def names(folder, env) -> list:
    done = atoll("key", "list", "--json", "--data-dir", str(folder), env=env)
    assert done.returncode == 0, done.stdout
    return [one["name"] for one in json.loads(done.stdout)["keys"]]


@pytest.mark.parametrize("how", ["ATOLL_CONFIG", "--config"])
def test_the_settings_file_names_the_folder(elsewhere, tmp_path, how):
    """As for the server: a key in another folder would be of no use."""
    file = tmp_path / "c.toml"
    file.write_text(f'data_dir = "{tmp_path}/from-file"\n')
    env = {name: value for name, value in elsewhere.items() if name != "ATOLL_DATA_DIR"}
    words = []
    if how == "--config":
        words = ["--config", str(file)]
    else:
        env[how] = str(file)
    assert atoll("key", *words, "create", "--name", "one", env=env).returncode == 0
    assert names(tmp_path / "from-file", elsewhere) == ["one"]
    listed = atoll("key", *words, "list", env=env).stdout.decode()
    assert listed.splitlines()[1].split()[2] == "one"
    # The command line has the last word.
    assert atoll("key", *words, "create", "--name", "two", "--data-dir", str(tmp_path / "named"), env=env).returncode == 0
    assert names(tmp_path / "named", elsewhere) == ["two"]


def test_a_settings_file_that_is_wrong_is_said(elsewhere, tmp_path):
    file = tmp_path / "c.toml"
    file.write_text('data_dri = "/x"\n')
    done = atoll("key", "create", env={**elsewhere, "ATOLL_CONFIG": str(file)})
    assert done.returncode == 2 and b"data_dir" in done.stderr and not (tmp_path / "usual").exists()


def test_the_first_key_says_what_it_changes(elsewhere, tmp_path):
    first = atoll("key", "create", "--data-dir", str(tmp_path / "d"), env=elsewhere).stderr.decode()
    assert "from now on the server requires a key" in first and "revoked" in first and "--scope admin" in first
    assert "from now on" not in atoll("key", "create", "--data-dir", str(tmp_path / "d"), env=elsewhere).stderr.decode()


def test_states_and_times(elsewhere, tmp_path):
    data = ("--data-dir", str(tmp_path / "d"))
    for name, lifetime in [("short", "1ms"), ("long", "720h"), ("ever", None), ("gone", None)]:
        words = ["--lifetime", lifetime] if lifetime else []
        made = atoll("key", "create", "--json", "--name", name, *words, *data, env=elsewhere)
        assert made.returncode == 0, made.stdout
    gone = json.loads(made.stdout)["id"]
    done = atoll("key", "revoke", "--json", gone, *data, env=elsewhere)
    assert json.loads(done.stdout) == {"revoked": [gone]}
    head, *rows = atoll("key", "list", *data, env=elsewhere).stdout.decode().splitlines()
    assert head.split() == ["ID", "OWNER", "NAME", "STATE", "EXPIRES", "SCOPES"]
    shown = {row.split()[2]: row.split()[3:5] for row in rows}
    assert [shown[name][0] for name in ("short", "long", "ever", "gone")] == ["expired", "good", "good", "revoked"]
    assert shown["ever"][1] == "-" and shown["long"][1] > shown["short"][1] > "20"


def test_a_slip_among_ids_revokes_nothing(elsewhere, tmp_path):
    data = ("--data-dir", str(tmp_path / "d"))
    made = json.loads(atoll("key", "create", "--json", *data, env=elsewhere).stdout)["id"]
    done = atoll("key", "revoke", made, "nope", *data, env=elsewhere)
    assert done.returncode == 1 and b"there is no key nope; nothing was revoked" in done.stderr
    failed = atoll("key", "revoke", "--json", made, "nope", *data, env=elsewhere)
    assert failed.returncode == 1 and json.loads(failed.stdout)["error"]["code"] == "not_found"
    (key,) = json.loads(atoll("key", "list", "--json", *data, env=elsewhere).stdout)["keys"]
    assert "revoked_at" not in key
    assert atoll("key", "revoke", made, *data, env=elsewhere).returncode == 0


@pytest.mark.parametrize("words", [("list",), ("revoke", "x")])
def test_asking_makes_no_folder(elsewhere, tmp_path, words):
    done = atoll("key", "--data-dir", str(tmp_path / "none"), *words, env=elsewhere)
    assert done.returncode == 1 and b"there is no data folder" in done.stderr and not (tmp_path / "none").exists()
    (tmp_path / "another").mkdir()
    done = atoll("key", "--data-dir", str(tmp_path / "another"), *words, env=elsewhere)
    assert done.returncode == 1 and list((tmp_path / "another").iterdir()) == []


@pytest.mark.parametrize("name, named", [("data", " --data-dir {}/data`"), ("a b", " --data-dir '{}/a b'`"),
                                         ("usual", "atoll key create`")])
def test_a_server_for_others_names_the_command_that_makes_its_key(elsewhere, tmp_path, name, named):
    done = subprocess.run([ATOLL, "serve", "--listen", "0.0.0.0:0", "--data-dir", tmp_path / name], env=elsewhere,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and named.format(tmp_path) in done.stderr, done.stderr
