"""bench/e2b: what a user of the official E2B SDK waits for, and the server's part of it.

    sdk       Sandbox.create() and run_code("1+1"), then commands.run("true"), in the unchanged
              packages; a sandbox of its own each time, ended untimed
    server    the same two requests as bytes on one connection that is kept: what is left of it
              without the SDK, which makes clients, objects and checks of its own

They take turns. Nothing here fails because of a slow result.
"""

import argparse
import json
import os
import re
import time
from importlib.metadata import version
from pathlib import Path

from . import http, paths, serving, stats

KEY = "e2b_" + "0" * 40  # a server without keys takes any
POOL = 32
GOALS = {"sdk: create and run_code": 25, "sdk: commands.run": 10, "server: create and execute": 5}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench/e2b", description="the E2B SDK's latency")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--build", type=Path, default=paths.REPOSITORY / "build/release")
    chosen = parser.parse_args(arguments)
    for name in [name for name in os.environ if name.startswith("E2B_")]:
        del os.environ[name]  # the SDK reads them, and they may name another server
    server = serving.AtollServer(chosen.build / "atoll", POOL)
    server.start()
    before = os.getloadavg()
    try:
        samples = measure(server, chosen.count)
    finally:
        server.end()
    print(f"load {before[0]:.1f} before, {os.getloadavg()[0]:.1f} after; {chosen.count} each;"
          f" e2b {version('e2b')}, e2b-code-interpreter {version('e2b-code-interpreter')}")
    print(f"{'ms':30}{'p50':>8}{'p90':>8}{'min':>8}   goal")
    for name, times in samples.items():
        figures = stats.summary([1000 * seconds for seconds in times])
        goal = f"p50 below {GOALS[name]}" if name in GOALS else ""
        print(f"{name:30}{figures['p50']:8.1f}{figures['p90']:8.1f}{figures['min']:8.1f}   {goal}")
    return 0


def measure(server: serving.AtollServer, count: int) -> dict[str, list[float]]:
    names = ("sdk: create", "sdk: create and run_code", "sdk: commands.run",
             "server: create", "server: create and execute")
    samples: dict[str, list[float]] = {name: [] for name in names}
    with server.connection() as line:
        once_by_sdk(server.port)  # clients, imports, connections: what a program pays for once
        for _ in range(count):
            # A pool that is empty would be another measurement.
            server.wait_for_pool(line)
            times = once_by_sdk(server.port)
            server.wait_for_pool(line)
            for name, seconds in {**times, **once_as_bytes(line)}.items():
                samples[name].append(seconds)
    return samples


def once_by_sdk(port: int) -> dict[str, float]:
    from e2b_code_interpreter import Sandbox

    address = f"http://127.0.0.1:{port}"
    began = time.perf_counter()
    sandbox = Sandbox.create(api_key=KEY, api_url=address, sandbox_url=address, timeout=60)
    created = time.perf_counter()
    answer = sandbox.run_code("1+1").text
    ran = time.perf_counter()
    sandbox.commands.run("true")
    ended = time.perf_counter()
    sandbox.kill()
    if answer != "2":
        raise http.Broken(f"1+1 is {answer!r}")
    return {"sdk: create": created - began, "sdk: create and run_code": ran - began,
            "sdk: commands.run": ended - ran}


def once_as_bytes(line: http.Connection) -> dict[str, float]:
    create = request("/v2/sandboxes", {"templateID": "code-interpreter-v1", "timeout": 60},
                     {"X-API-Key": KEY})
    began = time.perf_counter()
    answer = line.exchange(create)
    created = time.perf_counter()
    made = json.loads(http.body_of(answer))
    names = {"E2b-Sandbox-Id": made["sandboxID"], "X-Access-Token": made["envdAccessToken"]}
    execute = request("/execute", {"code": "1+1"}, {**names, "E2b-Sandbox-Port": "49999"})
    sent = time.perf_counter()
    told = line.exchange(execute)
    ran = time.perf_counter()
    if not re.search(rb'"text":"2"', http.body_of(told)):
        raise http.Broken(f"1+1 is {bytes(told)!r}")
    line.exchange(http.request("DELETE", f"/sandboxes/{made['sandboxID']}"))
    return {"server: create": created - began,
            "server: create and execute": created - began + ran - sent}


def request(path: str, body: dict, headers: dict[str, str]) -> bytes:
    head, _, rest = http.request("POST", path, body).partition(b"\r\n\r\n")
    lines = [f"{name}: {value}" for name, value in headers.items()]
    return b"\r\n".join([head, *(line.encode() for line in lines)]) + b"\r\n\r\n" + rest
