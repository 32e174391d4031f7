"""Settings: four sources, one order, and every mistake told with the place where it stands."""

import json
import os
import re
import socket
import ssl
import subprocess
import time
import warnings
from pathlib import Path

import httpx
import pytest
from harness.cli import ATOLL
from harness.server import Server

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = {
    "RATE_LIMIT_WINDOW_MS": "5000", "RATE_LIMIT_MAX": "7", "MAX_INPUT_CHARS": "4000",
    "SESSION_BASE_DIR": "/tmp/sandbox-sessions", "SESSION_TTL_S": "600", "SESSION_MAX_BYTES": "5242880",
    "SANDBOX_ECHO_CODE": "1", "SANDBOX_TIMEOUT_S": "6", "SANDBOX_AS_MB": "768", "CPYTHON_TIMEOUT_S": "15",
    "CPYTHON_FSIZE_MB": "50", "CPYTHON_NOFILE": "64", "CPYTHON_AS_MB": "512", "CPYTHON_DATA_ROOT": "/data",
    "SANDBOX_RUNTIME": "native", "ATOLL_LISTEN": "127.0.0.1:1,[::1]:2", "ATOLL_DATA_DIR": "", "ATOLL_POOL": "5",
    "ATOLL_TLS_CERT": "/c.pem", "ATOLL_TLS_KEY": "/k.pem",
}


def config(*words, environment=None, folder=None):
    """`atoll config`, with nothing of this machine's own settings in it."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("ATOLL_")}
    clean["ATOLL_DATA_DIR"] = str(folder or "/nonexistent")
    return subprocess.run([ATOLL, "config", *words], capture_output=True, text=True, timeout=60,
                          env={**clean, **(environment or {})})


def in_force(*words, **more) -> dict:
    done = config("--json", *words, **more)
    assert done.returncode == 0, done.stderr
    return {one["key"]: one for one in json.loads(done.stdout)["settings"]}


def test_every_variable_of_the_contracts_is_honoured(tmp_path):
    environment = {**CONTRACT, "ATOLL_DATA_DIR": str(tmp_path)}
    found = in_force(environment=environment)
    by_variable = {variable: one for one in found.values() for variable in one["variables"]}
    for name in environment:
        assert by_variable[name]["from"] == f"environment: {name}", name
    value = {name: by_variable[name]["value"] for name in environment}
    assert value["RATE_LIMIT_WINDOW_MS"] == "5s" and value["CPYTHON_FSIZE_MB"] == "50m"
    assert value["SANDBOX_AS_MB"] == "768m" and value["SESSION_TTL_S"] == "600s"
    assert value["SESSION_MAX_BYTES"] == "5m" and value["ATOLL_LISTEN"] == "127.0.0.1:1, [::1]:2"
    assert value["SANDBOX_ECHO_CODE"] == "true"


def test_variables_without_effect_are_named():
    for name, says in (("CPYTHON_BIN", "template"), ("PYTHON_BIN", "template"), ("PYODIDE_INDEX_URL", "Pyodide"),
                       ("E2B_API_KEY", "E2B")):
        done = config(environment={name: "secret"})
        assert done.returncode == 0 and "secret" not in done.stderr
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"atoll config: {name} is set and has no effect") and says in line
    assert config(environment={"PYTHON_BIN": ""}).stderr == ""


def test_a_misspelt_variable_is_named():
    for wrong, meant in (("ATOLL_QUOTA_SESSION", "ATOLL_QUOTA_SESSIONS"), ("ATOLL_POOLS", "ATOLL_POOL"),
                         ("ATOLL_HEADER_TIMEOUTS", "ATOLL_HEADER_TIMEOUT")):
        done = config(environment={wrong: "secret"})
        assert done.returncode == 0
        assert done.stderr == f"atoll config: {wrong} is set and has no effect: did you mean {meant}?\n"
    others = ("ATOLL_URL", "ATOLL_API_KEY", "ATOLL_UV", "ATOLL_TEST_BUILD", "ATOLL_FAULTS", "ATOLL_VERSION")
    assert config(environment={name: "x" for name in others}).stderr == ""


def test_the_order_of_sources(tmp_path):
    (tmp_path / "atoll.toml").write_text('pool = 11\n[limits]\nmemory = "3g"\ntimeout = 30\n')
    file = str(tmp_path / "atoll.toml")
    assert in_force(folder=tmp_path)["pool"]["from"] == f"{file}:1"  # <data>/atoll.toml by itself
    found = in_force("--pool", "13", folder=tmp_path, environment={"CPYTHON_TIMEOUT_S": "20", "ATOLL_POOL": "12"})
    assert (found["pool"]["value"], found["pool"]["from"]) == ("13", "command line: --pool")
    assert (found["limits.timeout"]["value"], found["limits.timeout"]["from"]) == (
        "20s", "environment: CPYTHON_TIMEOUT_S")
    assert (found["limits.memory"]["value"], found["limits.memory"]["from"]) == ("3g", f"{file}:3")
    assert found["listen"]["from"] == "default"
    other = tmp_path / "other.toml"
    other.write_text("pool = 21")
    assert in_force("--config", str(other), folder=tmp_path)["pool"]["value"] == "21"
    assert in_force(folder=tmp_path, environment={"ATOLL_CONFIG": str(other)})["pool"]["value"] == "21"


def test_where_things_lie_is_always_shown(tmp_path):
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "share"), "ATOLL_DATA_DIR": ""}
    assert in_force(environment=home)["data_dir"]["value"].startswith("/")
    shown = config(environment=home).stdout
    assert re.search(r"^data_dir +/\S+ +default$", shown, re.MULTILINE), shown


def test_limits_that_nobody_set_are_shown_with_what_holds():
    unset = {name: "" for name in ("CPYTHON_AS_MB", "CPYTHON_TIMEOUT_S", "CPYTHON_FSIZE_MB", "CPYTHON_NOFILE")}
    found = in_force(environment=unset)
    shown = {key: found[f"limits.{key}"]["value"] for key in ("timeout", "memory", "file_size", "open_files")}
    assert shown == {"timeout": "300s", "memory": "2g", "file_size": "1g", "open_files": "1024"}
    assert {found[f"limits.{key}"]["from"] for key in shown} == {"default"}


def test_zero_is_off_where_the_contract_says_so():
    found = in_force(environment={"CPYTHON_AS_MB": "0", "SANDBOX_AS_MB": "0", "RATE_LIMIT_MAX": "0"})
    for key in ("limits.memory", "run.memory", "rate.requests"):
        assert found[key]["value"] == "" and found[key]["from"].startswith("environment")


@pytest.mark.parametrize("text, says", [
    ("pol = 3", ":1: there is no setting \"pol\"; did you mean pool?"),
    ("pool = 1\n\n[limits]\nmemry = 3", ":4: there is no setting \"limits.memry\"; did you mean limits.memory?"),
    ("pool = 'many'", ":1: pool: \"many\" is not a whole number"),
    ("pool = 5000", ":1: pool: 5000 is not between 0 and 4096"),
    ("pool = -1", "not a whole number"), ("pool = 1.5", "not a whole number"), ("pool = [1, 2]", "not a list"),
    ("pool = 1979-05-27", "date"), ("pool = ", ":1:"), ("= 3", ":1:"), ("pool = 1\npool = 2", ":2:"),
    ("[limits]\nmemory = '1k'", "not between 32m"), ("runtime = 'docker'", "native"),
    ("data_root = '/etc/x'", "/data"), ("listen = ''", "no address"), ("listen = \"a\\nb\"", "line break"),
    ("[tls]\ncertificate = 'x'", "belong together"), ("access_log = 'maybe'", "neither true nor false"),
    ("a = {b = {c = {d = {e = {f = 1}}}}}", "no setting"), ("\xff\xfe", ":1:"), ("[[limits]]\nmemory = 1", ""),
    ("access.admin_key = 'short'", "32 characters"),
])
def test_mistakes_in_the_file(tmp_path, text, says):
    file = tmp_path / "atoll.toml"
    file.write_bytes(text.encode("latin-1"))
    done = config(folder=tmp_path)
    assert done.returncode == 2 and says in done.stderr, done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_mistakes_elsewhere(tmp_path):
    done = config(environment={"RATE_LIMIT_MAX": "-1"})
    assert done.returncode == 2 and "environment variable RATE_LIMIT_MAX" in done.stderr
    done = config("--pool", "x")
    assert done.returncode == 2 and "--pool: \"x\"" in done.stderr
    done = config("--config", str(tmp_path / "none.toml"))
    assert done.returncode == 2 and "none.toml" in done.stderr
    (tmp_path / "huge.toml").write_text("#" * (2 << 20))
    assert "1 MiB" in config("--config", str(tmp_path / "huge.toml")).stderr
    assert config("--config", str(tmp_path)).returncode == 2  # a folder


JUNK = [
    ("listen", "ATOLL_LISTEN", "nonsense", "127.0.0.1:8000"), ("listen", "ATOLL_LISTEN", "127.0.0.1:99999", "65535"),
    ("listen", "ATOLL_LISTEN", "localhost:8000", "names are not looked up"), ("listen", "ATOLL_LISTEN", ":8000", "write"),
    ("listen", "ATOLL_LISTEN", "8000", "write"), ("listen", "ATOLL_LISTEN", "127.0.0.1:", "write"),
    ("listen", "ATOLL_LISTEN", "127.0.0.1:80x", "write"), ("listen", "ATOLL_LISTEN", "[::1]", "write"),
    ("listen", "ATOLL_LISTEN", "[::g]:1", "write"), ("listen", "ATOLL_LISTEN", "unix:", "no file"),
    ("listen", "ATOLL_LISTEN", "unix:/" + "x" * 108, "108"), ("listen", "ATOLL_LISTEN", "127.0.0.1:1, what", "what"),
    ("model.base_url", "OPENAI_BASE_URL", "api.example/v1", "http"), ("model.base_url", "OPENAI_BASE_URL", "http://", "http"),
    ("model.base_url", "OPENAI_BASE_URL", "http://a:99999/v1", "http"),
    ("model.base_url", "OPENAI_BASE_URL", "http://a b/v1", "http"),
    ("access.allowed_hosts", "ATOLL_ALLOWED_HOSTS", "https://a.example", "without http://"),
    ("access.allowed_hosts", "ATOLL_ALLOWED_HOSTS", "a.example:8000", "port"),
    ("access.allowed_origins", "ATOLL_ALLOWED_ORIGINS", "app.example", "https://app.example"),
    ("access.allowed_origins", "ATOLL_ALLOWED_ORIGINS", "https://app.example/", "https://app.example"),
    ("access.allowed_origins", "ATOLL_ALLOWED_ORIGINS", "*", "https://app.example"),
    ("redis.host", "REDIS_HOST", "redis://a", "alone"), ("redis.host", "REDIS_HOST", "a:6379", "REDIS_PORT"),
    ("redis.port", "REDIS_PORT", "99999", "65535"), ("rate.window", "RATE_LIMIT_WINDOW_MS", "1m", "whole number"),
    ("sessions.idle_to_warm", "ATOLL_IDLE_TO_WARM", "soon", "soon"), ("http.body", "ATOLL_BODY", "much", "much"),
    ("run.echo_code", "SANDBOX_ECHO_CODE", "perhaps", "neither true nor false"),
]


@pytest.mark.parametrize("key, variable, value, says", JUNK)
def test_junk_is_refused_at_once_and_its_place_named(tmp_path, key, variable, value, says):
    """By `config` and by `serve` alike, wherever it stands; nothing has been made by then."""
    table, _, name = key.rpartition(".")
    file = tmp_path / "junk.toml"
    file.write_text((f"[{table}]\n" if table else "\n") + f"{name} = {json.dumps(value)}\n")
    data = tmp_path / "data"
    from_file = f"{file}:2"
    if variable.endswith("_MS"):
        from_file = None  # in the file it is a time, as 1m
    elsewhere = {"ATOLL_DATA_DIR": str(data), variable: value}
    clean = {one: text for one, text in os.environ.items() if not one.startswith("ATOLL_")}
    for command in "config", "serve":
        done = subprocess.run([ATOLL, command], capture_output=True, text=True, timeout=60, env={**clean, **elsewhere})
        assert done.returncode == 2 and says in done.stderr, done.stderr
        assert done.stderr.startswith(f"atoll {command}: the environment variable {variable}: ")
        assert len(done.stderr.splitlines()) == 1 and done.stdout == ""
        if from_file is None:
            continue
        done = subprocess.run([ATOLL, command, "--config", file], capture_output=True, text=True, timeout=60,
                              env={**clean, "ATOLL_DATA_DIR": str(data)})
        assert done.returncode == 2 and f"atoll {command}: {from_file}: {key}: " in done.stderr and says in done.stderr
    assert not data.exists()


@pytest.mark.parametrize("words, says", [
    (("--listen", "nonsense"), "--listen: \"nonsense\""), (("--listen", "127.0.0.1:99999"), "--listen: \"127.0.0.1:99999\""),
    (("--listen", "127.0.0.1:8000,127.0.0.1:8000"), "twice"), (("--allowed-host", "a/b"), "--allowed-host: \"a/b\""),
    (("--listen", "0.0.0.0:8000", "--require-keys", "never"), "listen (command line: --listen): \"0.0.0.0:8000\""),
    (("--rate-window", "soon"), "--rate-window"), (("--allowed-origin", "a"), "--allowed-origin: \"a\"")])
def test_junk_on_the_command_line(tmp_path, words, says):
    for command in "config", "serve":
        done = subprocess.run([ATOLL, command, "--data-dir", tmp_path / "data", *words], capture_output=True, text=True,
                              timeout=60)
        assert done.returncode == 2 and done.stderr.startswith(f"atoll {command}: ") and says in done.stderr, done.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("value", ["127.0.0.1:0,127.0.0.1:0", "0.0.0.0:8000", "[::1]:8000", "unix:/run/a.sock", "unix:a"])
def test_addresses_that_are_good(value):
    assert in_force("--listen", value)["listen"]["value"] == value.replace(",", ", ")


@pytest.mark.parametrize("key, variable, value", [
    ("model.base_url", "OPENAI_BASE_URL", "http://[::1]:11434/v1"), ("redis.host", "REDIS_HOST", "::1"),
    ("model.base_url", "OPENAI_BASE_URL", "https://a.example/openai?api-version=1"),
    ("access.allowed_hosts", "ATOLL_ALLOWED_HOSTS", "*"), ("access.allowed_hosts", "ATOLL_ALLOWED_HOSTS", "[fd00::1]"),
    ("access.allowed_origins", "ATOLL_ALLOWED_ORIGINS", "https://app.example:8443")])
def test_words_that_are_good(key, variable, value):
    assert in_force(environment={variable: value})[key]["value"] == value


def test_secrets_are_never_shown(tmp_path):
    secret = "s3cret-" * 8
    for words in (["--json"], []):
        done = config(*words, environment={"ATOLL_ADMIN_KEY": secret, "OPENAI_API_KEY": secret})
        assert done.returncode == 0 and "s3cret" not in done.stdout + done.stderr and "hidden" in done.stdout
    ended = config("--admin-key", secret)
    assert ended.returncode == 2  # a command line is seen by everybody on the machine


def test_a_table_for_people():
    done = config()
    assert done.stdout.splitlines()[0].split() == ["SETTING", "VALUE", "FROM"]
    assert any(line.split()[:2] == ["listen", "127.0.0.1:8000"] for line in done.stdout.splitlines())


def test_the_documentation_lists_every_setting():
    rows = [line for line in (ROOT / "docs/settings.md").read_text().splitlines() if line.startswith("| `")]
    documented = {line.split("`")[1]: line for line in rows}
    found = in_force()
    assert set(documented) == set(found)
    for key, one in found.items():
        assert documented[key].split(" | ")[3] == (one["default"] or "–"), key
        for name in [*one["variables"], *([one["flag"]] if "flag" in one else [])]:
            assert f"`{name}`" in documented[key], f"{key}: {name}"


def test_serve_refuses_what_config_refuses(tmp_path):
    ended = subprocess.run([ATOLL, "serve", "--listen", "127.0.0.1:0", "--data-dir", tmp_path, "--pool", "x"],
                           capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2 and "--pool" in ended.stderr


@pytest.fixture(scope="module")
def limited(tmp_path_factory):
    """A server with the limits of contract A set."""
    folder = tmp_path_factory.mktemp("limited")
    running = Server(folder, environment={"CPYTHON_FSIZE_MB": "2", "CPYTHON_NOFILE": "64", "CPYTHON_TIMEOUT_S": "2",
                                          "SANDBOX_TIMEOUT_S": "1", "MAX_INPUT_CHARS": "300",
                                          "SANDBOX_ECHO_CODE": "1", "SESSION_BASE_DIR": str(folder / "elsewhere")})
    yield running
    running.stop()


def test_limits_that_are_set_are_the_default_of_sessions(limited):
    session = limited.session()
    answer = limited.run(session, "open('/session/f', 'wb').write(b'x' * (3 << 20))")
    assert answer["exit_code"] != 0, answer  # by an OSError, or by SIGXFSZ
    assert limited.run(session, "import os; print(os.path.getsize('/session/f') <= 2 << 20)")["stdout"] == "True\n"
    answer = limited.run(session, "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])")
    assert answer["stdout"] == "64\n"
    assert limited.run(session, "while True: pass")["reason"] == "timeout"
    assert limited.run(session, "import time; time.sleep(2.5); print('slept')", timeout="30s")["stdout"] == "slept\n"
    own = limited.session(limits={"open_files_max": 128})
    answer = limited.run(own, "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])")
    assert answer["stdout"] == "128\n"  # a client may name its own
    assert (limited.folder / "elsewhere" / session).is_dir()


def test_a_run_without_a_session_has_the_light_limits(limited):
    answer = limited.http.post("/v1/run", json={"code": "import time; time.sleep(60)"}).json()
    assert answer["reason"] == "timeout" and answer["timings_ms"]["run"] < 30_000


def test_input_is_limited_in_characters_and_echoed(limited):
    code = "x = '" + "ü" * 280 + "'"
    answer = limited.http.post("/v1/run", json={"code": code})
    assert answer.status_code == 200 and answer.json()["code"] == code
    answer = limited.http.post("/v1/run", json={"code": "#" * 301})
    assert answer.status_code == 400 and answer.json()["errors"][0]["path"] == "code", answer.text
    session = limited.session()
    answer = limited.http.post(f"/v1/sessions/{session}/run", json={"code": "#" * 301})
    assert answer.status_code == 400 and "300" in answer.json()["detail"]


def test_what_holds_for_runs_holds_for_jobs(limited):
    def result(path, body):
        answer = limited.http.post(path, json=body)
        assert answer.status_code in (200, 201), answer.text
        job = answer.json().get("job_id") or answer.json()["id"]
        until = time.monotonic() + 60
        while (state := limited.http.get(f"/status/{job}").json())["state"] in ("queued", "running"):
            assert time.monotonic() < until
            time.sleep(0.05)
        return state["stdout"]

    for path in "/schedule", "/v1/jobs":
        answer = limited.http.post(path, json={"kind": "python", "code": "#" * 301})
        assert answer.status_code == 400 and answer.json()["errors"][0]["path"] == "code", answer.text
        assert result(path, {"kind": "python", "code": "print(1) #" + "ü" * 290}) == "1\n"
        assert result(path, {"kind": "shell", "code": "ulimit -n"}) == "64\n"
    assert result("/v1/jobs", {"kind": "shell", "code": "ulimit -n", "limits": {"open_files_max": 128}}) == "128\n"


def test_without_settings_code_is_not_echoed(server):
    assert "code" not in server.http.post("/v1/run", json={"code": "1"}).json()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                    "-keyout", folder / "key.pem", "-out", folder / "cert.pem"], check=True, capture_output=True)
    return folder


def test_tls(tmp_path, certificate):
    server = Server(tmp_path, "--tls-cert", str(certificate / "cert.pem"), "--tls-key", str(certificate / "key.pem"))
    try:
        port = int(server.url.rsplit(":", 1)[1])
        trusting = ssl.create_default_context(cafile=str(certificate / "cert.pem"))
        with httpx.Client(base_url=f"https://127.0.0.1:{port}", verify=trusting, timeout=60) as client:
            assert client.get("/healthz").json()["status"] == "ok"
            assert client.post("/v1/run", json={"code": "print(1)"}).json()["stdout"] == "1\n"
            body = {"code": "x = 1 #" + "y" * 100_000}
            assert client.post("/v1/run", json=body).json()["exit_code"] == 0
        with pytest.raises(httpx.ConnectError):  # an untrusted certificate is the client's to refuse
            httpx.get(f"https://127.0.0.1:{port}/healthz", timeout=30)
        # Plain HTTP on this port: the connection ends, nobody waits for ever, others are served.
        with socket.create_connection(("127.0.0.1", port), timeout=30) as plain:
            plain.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            said = b""
            try:
                while piece := plain.recv(4096):
                    said += piece
            except ConnectionResetError:
                pass
            assert b"HTTP/1.1 200" not in said
        with socket.create_connection(("127.0.0.1", port), timeout=30) as old:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            context.set_ciphers("ALL:@SECLEVEL=0")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
            with pytest.raises((ssl.SSLError, ConnectionError)):
                context.wrap_socket(old)
        assert httpx.get(f"https://127.0.0.1:{port}/healthz", verify=trusting, timeout=30).status_code == 200
    finally:
        server.stop()


@pytest.mark.parametrize("cert, key, says", [
    ("none.pem", "key.pem", "certificate"), ("cert.pem", "none.pem", "key"), ("key.pem", "key.pem", "certificate"),
    ("cert.pem", "cert.pem", "key")])
def test_a_certificate_that_cannot_be_used(tmp_path, certificate, cert, key, says):
    ended = subprocess.run([ATOLL, "serve", "--listen", "127.0.0.1:0", "--data-dir", tmp_path, "--pool", "0",
                            "--tls-cert", certificate / cert, "--tls-key", certificate / key],
                           capture_output=True, text=True, timeout=120)
    assert ended.returncode == 1 and says in ended.stderr, ended.stderr
    if "none.pem" in (cert, key):
        assert ended.stderr.endswith("none.pem: No such file or directory\n"), ended.stderr


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]"])
def test_a_port_that_is_taken(tmp_path, host):
    """One sentence that names the address, a status, and nothing left behind."""
    with socket.socket(socket.AF_INET6 if host == "[::1]" else socket.AF_INET) as taken:
        taken.bind((host.strip("[]"), 0))
        taken.listen()
        address = f"{host}:{taken.getsockname()[1]}"
        ended = subprocess.run([ATOLL, "serve", "--listen", address, "--data-dir", tmp_path / "data", "--pool", "1"],
                               capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1, ended
    [sentence] = ended.stderr.strip().splitlines()
    assert sentence.startswith("atoll serve: ") and address in sentence and "in use" in sentence
    # The next start on the same folder finds nothing in its way.
    server = Server(tmp_path)
    assert server.stop() == 0
