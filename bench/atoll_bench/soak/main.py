"""The soak: start the server, let the clients loose, kill it every minute, then take stock."""

import argparse
import asyncio
import json
import os
import random
import sys
import time
from pathlib import Path

from .. import left, paths, process, report, serving
from ..progress import say
from .client import Client, Down, Wire, World
from .ledger import Session

POOL = 8
SETTLE_S = 15          # for what is being cleared away
LAST_KILL_S = 40       # before the end: what a killed server left is swept by and by
JOBS_S = 120           # for jobs that are still queued at the end
MEMORY_MIB = 64        # more than this, from the first minute to the last, is a leak
CHECK = """
import hashlib, json, os
found = {}
for top, _, names in os.walk('/session'):
    for name in names:
        path = os.path.join(top, name)
        with open(path, 'rb') as file:
            found[path[len('/session/'):]] = hashlib.sha256(file.read()).hexdigest()[:16]
print(json.dumps(found))
"""


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/soak", description="Clients at random against a server that is killed again "
                                       "and again: is everything kept that was acknowledged?")
    parser.add_argument("--minutes", type=float, default=10, metavar="M", help="(default 10)")
    parser.add_argument("--clients", type=int, default=50, metavar="N", help="(default 50)")
    parser.add_argument("--kill-every", type=float, default=60, metavar="SECONDS",
                        help="kill -9 of the server; 0: never (default 60)")
    parser.add_argument("--seed", type=int, default=None, help="of the clients' choices")
    parser.add_argument("--build", metavar="DIR", help="where Atoll's binary is "
                                                       "(default: build/release)")
    parser.add_argument("--out", metavar="DIR", help="where soak.json goes (default: bench/out)")
    parser.add_argument("--keep", action="store_true",
                        help="leave the server's data folder and log when there are problems")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the summary")
    options = parser.parse_args(arguments)
    if options.minutes <= 0 or options.clients <= 0 or options.kill_every < 0:
        parser.error("--minutes and --clients are above 0, --kill-every is 0 or more")
    options.seed = options.seed if options.seed is not None else random.randrange(10**6)
    return options


class Soak:
    def __init__(self, options):
        self.options = options
        binary = (Path(options.build) if options.build else
                  paths.REPOSITORY / "build" / "release").resolve() / "atoll"
        self.server = serving.AtollServer(binary, POOL, serving.free_port())
        self.memory: list[float] = []  # MiB, of each server just before it was ended
        self.restarts_s: list[float] = []

    # --- the server's ups and downs -----------------------------------------------------------

    async def start(self) -> None:
        begin = time.monotonic()
        await asyncio.to_thread(self.server.start)
        self.restarts_s.append(time.monotonic() - begin)

    def weigh(self) -> None:
        self.memory.append(process.pss_bytes([self.server.process.pid]) / 2**20)

    async def ups_and_downs(self, until: float) -> None:
        every = self.options.kill_every
        next_kill = time.monotonic() + every
        while time.monotonic() < until:
            await asyncio.sleep(0.2)
            left.reap_others(self.server.process.pid)
            if self.server.process.poll() is not None:
                self.world.up.clear()
                self.world.kills += 1
                self.world.ledger.problem(
                    f"the server ended by itself, status {self.server.process.returncode}",
                    self.server.said()[-700:])
                await self.start()
                self.world.up.set()
            elif every and next_kill < min(time.monotonic(), until - LAST_KILL_S):
                self.weigh()
                self.world.up.clear()
                self.world.kills += 1
                self.server.kill()
                await self.start()
                self.world.up.set()
                say(f"    killed and back in {self.restarts_s[-1]:.1f} s; "
                    f"{sum(self.world.ledger.done.values()):,} acknowledged, "
                    f"{len(self.world.ledger.problems)} kinds of problems")
                next_kill = time.monotonic() + every

    # --- the whole ----------------------------------------------------------------------------

    async def run(self) -> dict:
        options = self.options
        before = self.picture()
        used_before = left.memory(None, False)["used"]
        say("starting the server")
        await self.start()
        begin = time.monotonic()
        self.world = World(self.server.port, self.server.routes())
        ledger = self.world.ledger
        self.world.up.set()
        missing = ([] if self.world.has("POST", "/schedule") else ["POST /schedule"]) \
            + ([] if serving.serves_files(self.world.routes) else ["PUT of files"])
        say(f"{options.clients} clients for {options.minutes:g} minutes, seed {options.seed}"
            + (f"; this server has no {' and no '.join(missing)}" if missing else ""))
        clients = [Client(self.world, number, options.seed) for number in range(options.clients)]
        tasks = [asyncio.create_task(client.run()) for client in clients]
        await self.ups_and_downs(begin + options.minutes * 60)
        self.world.over = True
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(result, BaseException):
                raise result
        seconds = time.monotonic() - begin
        say("taking stock")
        self.weigh()
        self.wire = Wire(self.world)
        stock = {}
        try:
            await self.check_jobs(stock)
            await self.check_sessions(stock)
            await self.delete_all()
        except Down:
            ledger.problem("the server went away while stock was taken", self.server.said()[-700:])
        self.wire.close()
        log = self.server.said()
        status = await asyncio.to_thread(self.server.end)
        if status != 0:
            ledger.problem("the server did not end well", f"status {status}: {log[-500:]}")
        remains = await self.leaks(before)
        for kind, names in remains.items():
            if names:
                ledger.problem(f"left behind: {kind}", f"{len(names)}: " + "; ".join(names[:6]))
        grown = self.memory[-1] - self.memory[0]
        if grown > MEMORY_MIB:
            ledger.problem("the server's memory grows", f"{grown:+.0f} MiB")
        return {
            "schema": 1, "clients": options.clients, "minutes": round(seconds / 60, 1),
            "seed": options.seed, "host": report.host(Path(sys.executable)),
            "not_served": missing,
            "kills": self.world.kills, "restart_s": [round(one, 2) for one in self.restarts_s],
            "acknowledged": dict(sorted(ledger.done.items())),
            "refused_as_it_should": dict(sorted(ledger.refused.items())),
            "broken_off_by_kills": dict(sorted(ledger.broken_off.items())),
            "stock": stock,
            "server_mib": {"at_first": round(self.memory[0], 1),
                           "at_last": round(self.memory[-1], 1)},
            "machine_mib": {"before": round(used_before),
                            "after": round(left.memory(None, False)["used"])},
            "left": {kind: len(names) for kind, names in remains.items()},
            "problems": ledger.problems, "clean": not ledger.problems,
        }

    # --- taking stock -------------------------------------------------------------------------

    async def check_jobs(self, stock: dict) -> None:
        ledger = self.world.ledger
        deadline = time.monotonic() + JOBS_S
        ended = {"succeeded": 0, "failed": 0}
        for job in ledger.jobs.values():
            while True:
                status, text = await self.wire.ask("GET", f"/status/{job.id}")
                if status != 200:
                    ledger.problem("an accepted job is not known", f"{job.id}: {status}")
                    break
                view = json.loads(text)
                if view["state"] in ended:
                    ended[view["state"]] += 1
                    self.judge_job(job, view)
                    break
                if time.monotonic() > deadline:
                    ledger.problem("an accepted job did not end", f"{job.id}: {view}")
                    break
                await asyncio.sleep(0.05)
        stock["jobs"] = {"accepted": len(ledger.jobs), **ended}

    def judge_job(self, job, view: dict) -> None:
        """A job during whose life the server was killed may have failed, unless it asked to be run
        again, and then it may have printed twice."""
        ledger = self.world.ledger
        killed = job.kills != self.world.kills
        if view["state"] == "failed":
            if job.again or not killed:
                ledger.problem(f"a job failed that could not fail ({job.kind})",
                               f"{job.id}: {view}")
        elif view["stdout"].count(job.token) != 1 and not (killed and job.token in view["stdout"]):
            ledger.problem("a job's output is not that of one whole run", f"{job.id}: {view}")

    async def listed(self) -> dict[str, dict]:
        found, cursor = {}, ""
        while True:
            status, text = await self.wire.ask("GET", f"/v1/sessions?limit=200&cursor={cursor}")
            if status != 200:
                self.world.ledger.problem("list", f"{status} {text[:300]!r}")
                return found
            page = json.loads(text)
            found.update({one["id"]: one for one in page["sessions"]})
            cursor = page.get("next_cursor")
            if not cursor:
                return found

    async def check_sessions(self, stock: dict) -> None:
        ledger = self.world.ledger
        listed = await self.listed()
        files = 0
        for session in list(ledger.sessions.values()):
            there = session.id in listed
            if session.state == "gone" and there:
                ledger.problem("a deleted session is back", session.id)
            elif session.state == "live" and not there:
                ledger.problem("an acknowledged session is gone", session.id)
            elif session.state == "live":
                files += await self.check_files(session)
        for id, view in listed.items():
            if id not in ledger.sessions and view["name"] not in ledger.unanswered_creates:
                ledger.problem("a session that nobody made", f"{id} {view['name']}")
        known = {id for id in listed}
        for folder in self.folders():
            if folder not in known:
                ledger.problem("the folder of a session that is gone", folder)
        stock |= {"sessions": len(listed), "files": files}

    async def check_files(self, session: Session) -> int:
        ledger = self.world.ledger
        status, text = await self.wire.ask("POST", f"/v1/sessions/{session.id}/run",
                                           {"code": CHECK})
        if status != 200 or json.loads(text)["exit_code"] != 0:
            ledger.problem("a session cannot be looked into",
                           f"{session.told()}: {status} {text[:500]!r}")
            return 0
        found = json.loads(json.loads(text)["stdout"])
        for name, possible in session.files.items():
            if found.get(name) not in possible:
                ledger.problem(
                    "an acknowledged file is gone" if name not in found else
                    "an acknowledged file has another content",
                    f"{session.told()}: {name}, {found.get(name)} is not one of {possible}")
        return len(session.files)

    def folders(self) -> set[str]:
        """Sessions' folders on disk; what begins with a dot is the server's own."""
        return {one.name.removesuffix(".state") for one in (self.server.data / "sessions").iterdir()
                if not one.name.startswith(".")}

    async def delete_all(self) -> None:
        ledger = self.world.ledger
        for id in await self.listed():
            status, text = await self.wire.ask("DELETE", f"/v1/sessions/{id}")
            if status != 204:
                ledger.problem(f"delete: {status}", text.decode(errors="replace"))
        if await self.listed():
            ledger.problem("sessions are left after all were deleted", "")
        deadline = time.monotonic() + SETTLE_S
        while self.folders() and time.monotonic() < deadline:
            await asyncio.sleep(0.2)
        if self.folders():
            ledger.problem("folders are left after all sessions were deleted",
                           f"{len(self.folders())}: {sorted(self.folders())[:3]}")

    # --- leaks --------------------------------------------------------------------------------

    def picture(self) -> dict[str, set[str]]:
        everything = left.processes()
        ours = left.descendants(everything, [os.getpid()])
        return {"processes": {everything[pid][1] for pid in ours},
                "namespaces": left.namespaces(ours), "mounts": left.mounts(),
                "cgroups": {one for one in left.cgroups() if not left.used_by_others(one, ours)}}

    async def leaks(self, before: dict[str, set[str]]) -> dict[str, list[str]]:
        deadline = time.monotonic() + SETTLE_S
        while True:
            left.reap()
            after = self.picture()
            remains = {kind: sorted(after[kind] - before[kind]) for kind in after}
            if not any(remains.values()) or time.monotonic() > deadline:
                break
            await asyncio.sleep(0.2)
        left.end_descendants()
        return remains


def summary(result: dict) -> str:
    acknowledged = result["acknowledged"]
    lines = [f"{result['clients']} clients, {result['minutes']} minutes, {result['kills']} times "
             f"killed, seed {result['seed']}", "",
             f"{'':<24}{'acknowledged':>14}{'refused':>10}{'broken off':>12}"]
    for name in sorted({*acknowledged, *result["refused_as_it_should"],
                        *result["broken_off_by_kills"]}):
        broken = result["broken_off_by_kills"].get(name, 0)
        lines.append(f"{name:<24}{acknowledged.get(name, 0):>14,}"
                     f"{result['refused_as_it_should'].get(name, 0):>10,}{broken:>12,}")
    stock = result["stock"]
    jobs = stock.get("jobs", {})
    lines += ["", f"{stock.get('sessions', 0):,} sessions at the end with "
                  f"{stock.get('files', 0):,} files; {jobs.get('accepted', 0):,} jobs accepted, "
                  f"{jobs.get('succeeded', 0):,} succeeded",
              f"restart after a kill: {max(result['restart_s']):.1f} s at most",
              f"server's memory: {result['server_mib']['at_first']} MiB at the end of the first "
              f"minute, {result['server_mib']['at_last']} at the end",
              "left behind: " + ", ".join(f"{count} {kind}" for kind, count in
                                          result["left"].items())]
    if result["not_served"]:
        lines.append("not served, so not tried: " + ", ".join(result["not_served"]))
    if result["problems"]:
        lines += ["", "Problems"]
        for kind, entry in sorted(result["problems"].items(), key=lambda item: -item[1]["count"]):
            lines += [f"  {entry['count']:>6} x  {kind}", f"            {entry['example']}"]
    else:
        lines += ["", "No problem: everything acknowledged is there, nothing is left behind."]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    left.adopt_orphans()
    soak = Soak(options)
    clean = False
    try:
        result = asyncio.run(soak.run())
        clean = result["clean"]
    except process.Failed as problem:
        print(f"bench/soak: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("bench/soak: stopped; nothing was written", file=sys.stderr)
        return 130
    finally:
        soak.server.end()
        left.end_descendants()
        if options.keep and not clean:
            say(f"kept: {soak.server.folder}")
        else:
            soak.server.remove()
    out = Path(options.out) if options.out else paths.BENCH / "out"
    out.mkdir(parents=True, exist_ok=True)
    report.write_json(result, out / "soak.json")
    print(json.dumps(result, indent=1) if options.json else summary(result))
    return 0 if clean else 1
