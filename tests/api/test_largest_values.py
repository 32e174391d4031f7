"""Row T2: the largest value of every field that a client may name, all at once."""

import pytest

pytestmark = pytest.mark.once

TEXT_MAX = 32_768
# What JSON writes in one byte, in two, in six.
FILLERS = ["x", "\\", "\x01", "é"]


def still_serves(server):
    session = server.session()
    assert server.run(session, "print(6 * 7)")["stdout"] == "42\n"
    server.http.delete(f"/v1/sessions/{session}")


def largest(filler: str, variables: int) -> dict:
    return {
        "name": "n" * 200,
        "metadata": {f"{n:03}" + "k" * 125: filler * 1024 for n in range(32)},
        "environment": {f"{n:03}" + "V" * 253: filler * TEXT_MAX for n in range(variables)},
        "limits": {"memory_bytes_max": 1 << 30, "processes_max": 256, "open_files_max": 1024},
    }


@pytest.mark.parametrize("filler", FILLERS)
@pytest.mark.parametrize("variables", [7, 8, 256])
def test_t2_an_environment_beyond_all_is_refused(server, filler, variables):
    """7 times 32 KiB ended the zygote, and with it the runs of others; 8 and more, the server."""
    session = server.session()
    for path, more in (("/v1/sessions", {}), ("/v1/run", {"code": "print(1)"}),
                       ("/v1/jobs", {"kind": "shell", "code": "true"})):
        body = {"environment": largest(filler, variables)["environment"], **more}
        answer = server.http.post(path, json=body)
        assert answer.status_code in (400, 413), (path, answer.text[:500])
        assert "environment" in answer.text[:1000] or answer.status_code == 413
    assert server.run(session, "print(1)")["stdout"] == "1\n"
    server.http.delete(f"/v1/sessions/{session}")
    still_serves(server)


def test_t2_all_at_once_works(server):
    """Five variables of 32 KiB with the longest names, all metadata, the longest name: it is made, and its kernels
    and programs see all of it."""
    body = largest("x", 5)
    answer = server.http.post("/v1/sessions", json=body)
    assert answer.status_code == 201, answer.text[:500]
    session = answer.json()["id"]
    look = "import os; print(sum(len(v) for k, v in os.environ.items() if k.endswith('V' * 253)))"
    assert server.run(session, look)["stdout"] == f"{5 * TEXT_MAX}\n"
    shown = server.http.get(f"/v1/sessions/{session}").json()
    assert shown["metadata"] == body["metadata"] and shown["name"] == body["name"]
    ran = server.run(session, "env | grep -c V=x", language="shell")
    assert ran["stdout"] == "5\n"
    server.http.delete(f"/v1/sessions/{session}")


@pytest.mark.parametrize("field, value", [
    ("argv", ["true"] + ["x" * 131_072] * 40), ("argv", ["true"] + ["y"] * 4095),
    ("environment", {f"V{n}": "x" * TEXT_MAX for n in range(256)}), ("cwd", "/" + "d" * 4095),
    ("input", "\x01" * (1 << 20))])
def test_t2_the_largest_programs(server, field, value):
    """A program that is asked for with the most there is starts, or is refused in words; its session lives on."""
    session = server.session()
    server.run(session, "kept = 41")
    body = {"argv": ["cat"], "wait": True, field: value}
    answer = server.http.post(f"/v1/sessions/{session}/processes", json=body)
    assert answer.status_code in (200, 201, 400, 404, 413), answer.text[:500]
    assert server.run(session, "print(kept + 1)")["stdout"] == "42\n"
    server.http.delete(f"/v1/sessions/{session}")
