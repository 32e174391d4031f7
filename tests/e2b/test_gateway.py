"""The way of a request into a sandbox: by headers, by host, by a signed URL, and for nobody else."""
import httpx
import pytest
from e2b import Sandbox
from harness.e2b_sdk import ANY_KEY, options_of
from harness.host import eventually, processor_seconds

UNKNOWN = "s" + "a" * 32
# An ordinary user without a cgroup cannot pause a sandbox, and is told so.
freezes = pytest.mark.root_only


def session_of(sandbox) -> str:
    return "s-" + sandbox.sandbox_id[1:]


def token_of(server, sandbox) -> str:
    return server.http.get(f"/sandboxes/{sandbox.sandbox_id}", headers={"X-API-Key": ANY_KEY}).json()["envdAccessToken"]


def traffic_token_of(server, sandbox) -> str:
    answer = server.http.post(f"/v2/sandboxes/{sandbox.sandbox_id}/connect", json={}, headers={"X-API-Key": ANY_KEY})
    return answer.json()["trafficAccessToken"]


def inside(sandbox_id, port=49983, **more) -> dict:
    return {"E2b-Sandbox-Id": sandbox_id, "E2b-Sandbox-Port": str(port), **more}


@pytest.fixture(scope="module")
def sandbox(server):
    made = Sandbox.create(timeout=600, **options_of(server))
    made.files.write("/home/user/file", "text")
    yield made
    made.kill()


def at(server, sandbox_id, port):
    return f"{port}-{sandbox_id}.localhost:{server.url.rsplit(':', 1)[1]}"


def test_health_is_open_and_the_rest_is_not(server, sandbox):
    headers = inside(sandbox.sandbox_id)
    assert server.http.get("/health", headers=headers).status_code == 204
    files = "/files?path=/home/user/file"
    good = {**headers, "X-Access-Token": token_of(server, sandbox)}
    assert server.http.get(files, headers=good).text == "text"
    other = Sandbox.create(timeout=60, **options_of(server))
    wrong = [{}, {"X-Access-Token": ""}, {"X-Access-Token": "x"}, {"X-Access-Token": token_of(server, other)},
             {"X-Access-Token": traffic_token_of(server, sandbox)}, {"X-API-Key": ANY_KEY}, {"Authorization": "Bearer " + token_of(server, sandbox)}]
    for shown in wrong:
        answer = server.http.get(files, headers={**headers, **shown})
        assert answer.status_code == 401 and answer.json()["code"] == 401, (shown, answer.text)
        answer = server.http.post("/filesystem.Filesystem/ListDir", json={"path": "/"}, headers={**headers, **shown})
        assert answer.status_code == 401, (shown, answer.text)
    other.kill()


def test_the_path_behind_the_gateway_is_guarded_just_the_same(server, sandbox):
    place = f"/e2b/sandboxes/{session_of(sandbox)}"
    assert server.http.get(place + "/envd/files?path=/home/user/file").status_code == 401
    assert server.http.post(place + "/interpreter/execute", json={"code": "1"}).status_code == 403
    good = {"X-Access-Token": token_of(server, sandbox)}
    assert server.http.get(place + "/envd/files?path=/home/user/file", headers=good).text == "text"
    assert server.http.get("/e2b/sandboxes/s-none/envd/files?path=/x", headers=good).status_code == 502


def test_the_interpreter_takes_either_token(server, sandbox):
    for shown in ({"E2B-Traffic-Access-Token": traffic_token_of(server, sandbox)}, {"X-Access-Token": token_of(server, sandbox)}):
        assert server.http.get("/contexts", headers=inside(sandbox.sandbox_id, 49999, **shown)).status_code == 200
    assert server.http.get("/contexts", headers=inside(sandbox.sandbox_id, 49999)).status_code == 403


@pytest.mark.parametrize("name", [UNKNOWN, "nothing", "s-" + "a" * 32, "x" * 500])
def test_a_sandbox_that_is_not_there_is_502(server, name):
    answer = server.http.get("/health", headers=inside(name))
    assert answer.status_code == 502 and answer.json()["message"] == "The sandbox was not found" and answer.json()["code"] == 502


def test_a_killed_sandbox_is_502(server):
    made = Sandbox.create(timeout=60, **options_of(server))
    token = token_of(server, made)
    made.kill()
    for path in ("/health", "/files?path=/x"):
        answer = server.http.get(path, headers=inside(made.sandbox_id, **{"X-Access-Token": token}))
        assert answer.status_code == 502 and "was not found" in answer.json()["message"]


@pytest.mark.parametrize("port", ["0", "070", "65536", "x", "-1", "49983x", ""])
def test_a_port_that_is_none(server, sandbox, port):
    answer = server.http.get("/health", headers={"E2b-Sandbox-Id": sandbox.sandbox_id, "E2b-Sandbox-Port": port})
    assert answer.status_code in (400, 404), answer.text


def test_by_host(server, sandbox):
    good = {"Host": at(server, sandbox.sandbox_id, 49983), "X-Access-Token": token_of(server, sandbox)}
    assert server.http.get("/files?path=/home/user/file", headers=good).text == "text"
    assert server.http.get("/health", headers={"Host": at(server, sandbox.sandbox_id.upper(), 49983)}).status_code == 204
    assert server.http.get("/health", headers={"Host": at(server, UNKNOWN, 49983)}).status_code == 502


def test_a_sandboxs_host_reaches_nothing_else(server, sandbox):
    """A page of the sandbox could ask as its own origin; the API must not be there."""
    host = {"Host": at(server, sandbox.sandbox_id, 8080), "X-API-Key": ANY_KEY}
    for path in ("/v1/sessions", "/v2/sandboxes", f"/sandboxes/{sandbox.sandbox_id}", "/openapi.json", "/", "//v1/sessions", "/../v1/sessions"):
        answer = server.http.get(path, headers={**host, **inside(sandbox.sandbox_id)})
        assert answer.status_code == 502 and "port is not open" in answer.json()["message"], (path, answer.text)


def test_the_api_by_host(server):
    host = {"Host": f"api.localhost:{server.url.rsplit(':', 1)[1]}", "X-API-Key": ANY_KEY}
    assert server.http.get("/v2/sandboxes", headers=host).status_code == 200
    assert server.http.get("/v1/sessions", headers=host).status_code == 403, "that name is for the API of E2B"


def test_control_paths_win_over_headers(server, sandbox):
    """As SDKs of 2025 ask: they name the sandbox on control calls, too."""
    headers = inside(sandbox.sandbox_id, **{"X-API-Key": ANY_KEY})
    assert server.http.get(f"/sandboxes/{sandbox.sandbox_id}", headers=headers).json()["sandboxID"] == sandbox.sandbox_id


def serve(server, sandbox):
    code = ("import http.server, json\nclass H(http.server.BaseHTTPRequestHandler):\n  def log_message(self, *_): pass\n  def do_GET(self):\n"
            "    body = json.dumps({'path': self.path, **{k.lower(): v for k, v in self.headers.items()}}).encode()\n"
            "    self.send_response(200); self.send_header('Content-Length', str(len(body))); self.end_headers(); self.wfile.write(body)\n"
            "http.server.ThreadingHTTPServer(('127.0.0.1', 8080), H).serve_forever()")
    answer = server.http.post(f"/v1/sessions/{session_of(sandbox)}/processes", json={"argv": ["python3", "-c", code]})
    assert answer.status_code == 201, answer.text


def test_a_server_inside_sees_the_host_that_its_owner_chose(server):
    made = Sandbox.create(timeout=120, network={"mask_request_host": "shop.example:${PORT}"}, **options_of(server))
    serve(server, made)
    host = {"Host": at(server, made.sandbox_id, 8080), "E2B-Masked-Host": "forged"}
    assert eventually(lambda: server.http.get("/", headers=host).status_code == 200, 60)
    seen = server.http.get("/", headers=host).json()
    assert (seen["host"], seen["x-forwarded-host"]) == ("shop.example:8080", host["Host"]) and "e2b-masked-host" not in seen
    assert server.http.get(f"/sandboxes/{made.sandbox_id}").json()["network"] == {
        "allowPublicTraffic": True, "maskRequestHost": "shop.example:${PORT}"}
    made.update_network({"deny_out": ["10.0.0.0/8"]})  # another matter
    assert server.http.get("/", headers=host).json()["host"] == "shop.example:8080"
    assert server.http.put(f"/sandboxes/{made.sandbox_id}/network", json={"maskRequestHost": ""}).status_code == 204
    seen = server.http.get("/", headers=host).json()
    assert seen["host"] == host["Host"] and "e2b-masked-host" not in seen
    made.kill()


def test_ports(server):
    made = Sandbox.create(timeout=120, **options_of(server))
    host = {"Host": at(server, made.sandbox_id, 8080)}
    assert made.get_host(8080) == host["Host"]
    answer = server.http.get("/", headers=host)
    assert answer.status_code == 502 and answer.json()["message"] == "The sandbox is running but port is not open"
    assert answer.json()["port"] == 8080 and answer.json()["sandboxId"] == made.sandbox_id
    serve(server, made)
    assert eventually(lambda: server.http.get("/", headers=host).status_code == 200, 60)
    seen = server.http.get("/a%2Fb?c=d", headers={**host, "Authorization": "Basic dTpw", "X-API-Key": ANY_KEY, "X-Access-Token": "t",
                                                  "E2B-Traffic-Access-Token": "t"}).json()
    assert seen["path"] == "/a%2Fb?c=d" and seen["host"] == host["Host"] and seen["authorization"] == "Basic dTpw"
    assert not {"x-api-key", "x-access-token", "e2b-traffic-access-token"} & set(seen), "secrets stay outside"
    assert server.http.get("/x", headers=inside(made.sandbox_id, 8080)).json()["path"] == "/x"
    closed = server.http.put(f"/sandboxes/{made.sandbox_id}/network", json={"allowPublicTraffic": False}, headers={"X-API-Key": ANY_KEY})
    assert closed.status_code == 204
    assert server.http.get("/", headers=host).status_code == 403
    shown = {"E2B-Traffic-Access-Token": traffic_token_of(server, made)}
    assert server.http.get("/", headers={**host, **shown}).status_code == 200
    made.kill()
    assert "was not found" in server.http.get("/", headers=host).json()["message"]


@freezes
def test_traffic_wakes_a_paused_sandbox_that_wants_it(server):
    made = Sandbox.create(timeout=120, lifecycle={"on_timeout": "pause", "auto_resume": True}, **options_of(server))
    made.files.write("kept", "1")
    made.pause()
    assert made.is_running() is False, "to look at it does not wake it"
    assert made.files.read("kept") == "1"
    assert made.is_running() is True
    made.kill()


def test_signed_urls(server, sandbox):
    def ask(url):
        return httpx.get(url)
    url = sandbox.download_url("/home/user/file")
    assert ask(url).text == "text"
    assert ask(sandbox.download_url("/home/user/file", use_signature_expiration=60)).text == "text"
    expired = ask(sandbox.download_url("/home/user/file", use_signature_expiration=-60))
    assert expired.status_code == 401 and expired.json() == {"code": 401, "message": "signature is already expired"}
    for wrong in (url.replace("v1_", "v1_X"), url.replace("v1_", "v2_"), url.replace("%2Fhome%2Fuser%2Ffile", "%2Fetc%2Fpasswd"),
                  url + "&signature_expiration=9999999999", url + "&username=root", url.split("&signature")[0] + "&signature=v1_"):
        answer = ask(wrong)
        assert answer.status_code == 401 and answer.json()["message"] == "invalid signature", (wrong, answer.text)
    # Each home has its own, and a header that no signature was made for leads to neither.
    sandbox.files.write("signed", "of root", user="root")
    sandbox.files.write("signed", "of the user")
    of_root = sandbox.download_url("signed", user="root")
    of_user = sandbox.download_url("signed", user="user")
    assert (ask(of_root).text, ask(of_user).text) == ("of root", "of the user")
    assert httpx.get(of_user, auth=("root", "")).text == "of the user"
    assert ask(of_user.replace("username=user", "username=root")).status_code == 401
    stored = httpx.post(sandbox.upload_url("up", user="root"), files={"file": ("up", b"x")})
    assert stored.json() == [{"name": "up", "path": "/root/up", "type": "file"}]
    missing = ask(url.split("&signature")[0])
    assert missing.status_code == 401 and missing.json()["message"] == "missing signature query parameter"
    assert httpx.post(url, content=b"x", headers={"Content-Type": "application/octet-stream"}).status_code == 401, "it is for reading"
    other = Sandbox.create(timeout=60, **options_of(server))
    by_host = {"Host": at(server, other.sandbox_id, 49983)}
    assert httpx.get(url, headers=by_host).status_code == 401, "signed for another sandbox"
    other.kill()


def test_a_signature_that_nobody_made_costs_little(server):
    """Whoever sends one has shown nothing. It is tried against every sandbox that is awake, however large their variables are."""
    def cost():
        before = processor_seconds(server.process.pid)
        for number in range(400):
            answer = server.http.get("/files", params={"path": "/x", "signature": f"v1_{number:043d}"})
            assert answer.status_code == 401
        return processor_seconds(server.process.pid) - before
    made = []
    try:
        cost()
        usual = cost()
        for _ in range(8):
            made.append(Sandbox.create(timeout=120, envs={f"V{n}": "\\" * 30_000 for n in range(3)}, **options_of(server)))
        cost()  # the first try may read each once
        assert cost() < usual + 0.2
    finally:
        for one in made:
            one.kill()
