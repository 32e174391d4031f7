"""One client of the soak: does things at random, and writes down what was acknowledged."""

import asyncio
import json
import random
from collections import deque

from .. import http, serving
from .ledger import Job, Ledger, Session, content_of, digest

SESSIONS_MAX = 4
JOBS_WAITING_MAX = 2  # of a client
FILES = ("a.txt", "b.txt", "c d.txt", "é.txt", "deep/er/e.txt")
ANSWER_S = 90
NAMES = {"kill_kernel": "kill the kernel", "alone": "run alone", "delete_in_use": "delete"}
JSON = "application/json"
EVENTS = "text/event-stream"


class Down(Exception):
    """The connection broke, as it must when the server is killed."""


class World:
    """What all clients share: where the server is, and how often it was killed."""

    def __init__(self, port: int, routes: set[tuple[str, str]]):
        self.port = port
        self.routes = routes
        self.ledger = Ledger()
        self.up = asyncio.Event()
        self.kills = 0
        self.over = False

    def has(self, method: str, path: str) -> bool:
        return (method, path) in self.routes


class Wire:
    """A connection that is kept, and made anew when it broke."""

    def __init__(self, world: World):
        self.world = world
        self.streams = None

    async def ask(self, method: str, path: str, body: bytes | dict | None = None, *,
                  accept: str = JSON, until: bytes | None = None) -> tuple[int, bytes]:
        """Status and body. With `until`, returns when that has come, and leaves."""
        await self.world.up.wait()
        kills = self.world.kills
        length = len(body) if isinstance(body, bytes) else None
        raw = http.request(method, path, None if length is not None else body, length=length,
                           accept=accept) + (body if length is not None else b"")
        try:
            return await asyncio.wait_for(self._exchange(raw, until), ANSWER_S)
        except asyncio.TimeoutError:
            self.close()
            if kills == self.world.kills:
                self.world.ledger.problem(f"no answer within {ANSWER_S} s", f"{method} {path}")
            raise Down() from None
        except (OSError, EOFError) as problem:
            self.close()
            if kills == self.world.kills and self.world.up.is_set():
                self.world.ledger.problem(
                    "the connection broke though nobody killed the server",
                    f"{method} {path}: {type(problem).__name__} {problem}")
            raise Down() from None

    async def _exchange(self, raw: bytes, until: bytes | None) -> tuple[int, bytes]:
        if self.streams is None or self.streams[0].at_eof():
            self.close()
            self.streams = await asyncio.open_connection("127.0.0.1", self.world.port)
        reader, writer = self.streams
        writer.write(raw)
        await writer.drain()
        seen = bytearray()
        while not (end := http.whole(seen)):
            if until and until in seen:
                self.close()
                return int(seen[9:12]), bytes(seen)
            piece = await reader.read(1 << 16)
            if not piece:
                raise EOFError("closed in the middle of an answer" if seen else "closed")
            seen += piece
        return int(seen[9:12]), http.body_of(seen[:end])

    def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
        self.streams = None


class Client:
    def __init__(self, world: World, number: int, seed: int):
        self.world, self.ledger = world, world.ledger
        self.number = number
        self.random = random.Random(seed * 1000 + number)
        self.wire = Wire(world)
        self.beside: set[asyncio.Task] = set()
        self.waiting: deque[str] = deque()  # jobs that were not seen to end
        every = [(self.create, 10), (self.write, 40), (self.write_by_shell, 10),
                 (self.write_with_events, 12), (self.leave, 4), (self.kill_kernel, 2),
                 (self.time_out, 2), (self.alone, 8), (self.pause, 14), (self.evict, 12),
                 (self.resume, 4), (self.restart, 2), (self.look, 6), (self.list, 2),
                 (self.delete, 5), (self.delete_in_use, 2), (self.rest, 6)]
        if world.has("POST", "/schedule"):
            every.append((self.schedule, 10))
        if serving.serves_files(world.routes):
            every += [(self.put, 10), (self.get, 10)]
        self.actions, self.weights = zip(*every)

    async def run(self) -> None:
        try:
            while not self.world.over:
                action = self.random.choices(self.actions, self.weights)[0]
                try:
                    await action()
                except Down:
                    name = action.__name__
                    self.ledger.broken_off[NAMES.get(name, name.replace("_", " "))] += 1
                    await asyncio.sleep(0.05)
            if self.beside:
                await asyncio.wait(self.beside)
        finally:
            self.wire.close()

    # --- choosing -----------------------------------------------------------------------------

    def mine(self) -> Session | None:
        own = [one for one in self.ledger.live() if one.name.startswith(f"soak-{self.number}-")]
        return self.random.choice(own) if own else None

    def anyones(self) -> Session | None:
        live = self.ledger.live()
        return self.random.choice(live) if live else None

    def failed(self, what: str, status: int, body: bytes) -> None:
        text = body.decode(errors="replace")
        try:
            kind = json.loads(text).get("detail") or json.loads(text).get("title") or text
        except (ValueError, AttributeError):
            kind = text
        self.ledger.problem(f"{what}: {status}", kind)

    def accepted(self, what: str, session: Session, status: int, body: bytes, good: int = 200,
                 also: tuple[int, ...] = ()) -> bool:
        """Whether it was done. A session that somebody deletes may be gone; nothing else may
        fail, but what the client must expect (`also`)."""
        session.tell(f"{what}: {status}")
        if status == good:
            self.ledger.done[what] += 1
            session.heard = session.heard or b'"lost":[{' in body
            return True
        if status in also or (status in (404, 409, 410, 503) and session.state != "live"):
            self.ledger.refused[what] += 1
        else:
            self.failed(what, status, body)
        return False

    # --- sessions -----------------------------------------------------------------------------

    async def create(self) -> None:
        own = [one for one in self.ledger.live() if one.name.startswith(f"soak-{self.number}-")]
        if len(own) >= SESSIONS_MAX:
            return
        session = Session(name=f"soak-{self.number}-{self.ledger.number()}")
        session.kills_seen = self.world.kills
        body = {"name": session.name, "metadata": {"soak": str(self.number)}}
        if self.random.random() < 0.4:  # these fall asleep by themselves
            body |= {"idle_to_warm": "1s", "idle_to_cold": "4s"}
        self.ledger.unanswered_creates.add(session.name)
        status, text = await self.wire.ask("POST", "/v1/sessions", body)
        self.ledger.unanswered_creates.discard(session.name)
        if status != 201:
            self.failed("create", status, text)
            return
        session.id = json.loads(text)["id"]
        self.ledger.sessions[session.id] = session
        self.ledger.done["create"] += 1

    async def delete(self, session: Session | None = None, wire: Wire | None = None) -> None:
        session = session or self.mine()
        if session is None:
            return
        session.state = "deleting"
        try:
            status, text = await (wire or self.wire).ask("DELETE", f"/v1/sessions/{session.id}")
        except Down:
            session.state = "unknown"
            raise
        if status == 204:
            session.state = "gone"
            self.ledger.done["delete"] += 1
        else:
            session.state = "unknown"
            self.failed("delete", status, text)

    async def delete_in_use(self) -> None:
        """While something runs in it."""
        session = self.mine()
        if session is None:
            return
        running = asyncio.create_task(self._run_beside(session))
        self.beside.add(running)
        running.add_done_callback(self.beside.discard)
        await asyncio.sleep(self.random.random() * 0.3)
        if session.state == "live":
            await self.delete(session)

    async def _run_beside(self, session: Session) -> None:
        wire = Wire(self.world)
        try:
            session.may_be_lost = True
            status, text = await wire.ask("POST", f"/v1/sessions/{session.id}/run",
                                          {"code": "import time; time.sleep(1)"})
            self.accepted("run that was cut off", session, status, text)
        except Down:
            self.ledger.broken_off["run that was cut off"] += 1
        finally:
            wire.close()

    async def _change(self, what: str, session: Session | None) -> dict | None:
        if session is None:
            return None
        status, text = await self.wire.ask("POST", f"/v1/sessions/{session.id}/{what}")
        if self.accepted(what, session, status, text, also=(409,)):
            return json.loads(text)
        return None

    async def pause(self) -> None:
        await self._change("pause", self.anyones())

    async def resume(self) -> None:
        await self._change("resume", self.anyones())

    async def evict(self) -> None:
        session = self.anyones()
        last, busy = (session.last, session.busy) if session else (0, 0)
        view = await self._change("evict", session)
        # Its owner may have run something meanwhile; then the next eviction counts.
        if view and view["state"] == "cold" and not busy and session.last == last \
                and not session.busy and not session.attempts and not session.may_be_lost \
                and session.kills_seen == self.world.kills:
            session.slept = last

    async def restart(self) -> None:
        session = self.mine()
        if session is not None and not session.busy:
            session.may_be_lost = True
            session.slept = 0
            await self._change("restart", session)

    async def look(self) -> None:
        session = self.anyones()
        if session is None:
            return
        status, text = await self.wire.ask("GET", f"/v1/sessions/{session.id}")
        if self.accepted("look", session, status, text):
            state = json.loads(text)["state"]
            if state not in ("hot", "warm", "cold"):
                self.ledger.problem("a session's state is none", state)

    async def list(self) -> None:
        status, text = await self.wire.ask("GET", "/v1/sessions?limit=50")
        if status == 200:
            self.ledger.done["list"] += 1
        else:
            self.failed("list", status, text)

    async def rest(self) -> None:
        await asyncio.sleep(self.random.random() * 3)

    # --- runs ---------------------------------------------------------------------------------

    def _intent(self, session: Session) -> tuple[str, str, int, str, str]:
        """A file to be written, and the next value of n."""
        number = self.ledger.number()
        name = self.random.choice(FILES)
        text = content_of(f"{self.number}/{number} ", self.random.choice((12, 200, 30_000)))
        code = (f"import os\nbefore = globals().get('n', 0)\nn = {number}\n"
                f"path = '/session/' + {name!r}\n"
                "os.makedirs(os.path.dirname(path), exist_ok=True)\n"
                f"token = '{self.number}/{number} '\n"
                f"with open(path + '.new', 'w') as file:\n"
                f"    file.write((token * ({len(text)} // len(token) + 1))[:{len(text)}])\n"
                f"os.replace(path + '.new', path)\nprint('before', before)")
        return name, digest(text), number, code, text

    async def write(self, accept: str = JSON) -> None:
        """The answer is the acknowledgement: of the file, and of the variable."""
        session = self.mine()
        if session is None or session.busy:
            return
        name, mark, number, code, _ = self._intent(session)
        before = session.files.get(name, {None})
        session.files[name] = before | {mark}
        session.attempts.append(number)
        session.busy += 1
        kills = self.world.kills
        try:
            status, text = await self.wire.ask("POST", f"/v1/sessions/{session.id}/run",
                                               {"code": code}, accept=accept)
        finally:
            session.busy -= 1
        what = "write" if accept == JSON else "write with events"
        if not self.accepted(what, session, status, text):
            return
        answer, printed = self._answer_of(text, accept)
        if answer is None or answer["exit_code"] != 0:
            self.ledger.problem(f"{what}: the code failed",
                                f"{session.id}: {text[-700:].decode(errors='replace')}")
            return
        session.files[name] = {mark}
        self._check_variable(session, answer, printed, number, kills)

    def _answer_of(self, text: bytes, accept: str) -> tuple[dict | None, str]:
        if accept == JSON:
            answer = json.loads(text)
            return answer, answer["stdout"]
        printed, answer = "", None
        for block in text.decode().split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
            if fields.get("event") == "stdout":
                printed += json.loads(fields["data"])["text"]
            elif fields.get("event") == "ended":
                answer = json.loads(fields["data"])
        return answer, printed

    def _check_variable(self, session: Session, answer: dict, printed: str, number: int,
                        kills: int) -> None:
        words = printed.split()
        if words[:1] != ["before"] or len(words) != 2:
            self.ledger.problem("a run's output is not what it printed", repr(printed[:300]))
            return
        before = int(words[1])
        session.attempts.remove(number)
        possible = session.possible(self.world.kills)
        if before not in possible:
            self.ledger.problem(
                "a variable has a value that it cannot have" if before else
                "variables are gone though nothing lost them",
                f"{session.told()}: n was {before}, possible {sorted(possible)[-9:]}, "
                f"kills {session.kills_seen} then {self.world.kills} now, "
                f"lost {answer['lost']}, state_lost {answer['state_lost']}")
        elif before < session.last and not session.heard and not session.may_be_lost:
            self.ledger.problem("variables were lost, and the answer did not say so",
                                f"{session.told()}: n was {before}, last {session.last}")
        session.last, session.attempts = number, []
        session.may_be_lost = session.heard = False
        session.slept = min(session.slept, before) if before else 0
        session.kills_seen = kills

    async def write_with_events(self) -> None:
        await self.write(EVENTS)

    async def write_by_shell(self) -> None:
        session = self.mine()
        if session is None or session.busy:
            return
        token = f"{self.number}/{self.ledger.number()} "
        before = session.files.get("shell.txt", {None})
        session.files["shell.txt"] = before | {digest(token)}
        status, text = await self.wire.ask(
            "POST", f"/v1/sessions/{session.id}/run",
            {"language": "shell", "code": f"printf '%s' '{token}' > /session/.s && "
                                          "mv /session/.s /session/shell.txt"})
        if self.accepted("write by shell", session, status, text):
            if json.loads(text)["exit_code"] == 0:
                session.files["shell.txt"] = {digest(token)}
            else:
                self.ledger.problem("write by shell: the code failed", text.decode()[-700:])

    async def leave(self) -> None:
        """In the middle of a run."""
        session = self.mine()
        if session is None or session.busy:
            return
        session.may_be_lost = True
        status, text = await self.wire.ask(
            "POST", f"/v1/sessions/{session.id}/run",
            {"code": "import time\nprint('there', flush=True)\ntime.sleep(20)"}, accept=EVENTS,
            until=b"there")
        self.accepted("leave", session, status, text)

    async def kill_kernel(self) -> None:
        session = self.mine()
        if session is None or session.busy:
            return
        session.may_be_lost = True
        status, text = await self.wire.ask(
            "POST", f"/v1/sessions/{session.id}/run",
            {"code": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"})
        if self.accepted("kill the kernel", session, status, text) and \
                json.loads(text)["exit_code"] == 0:
            self.ledger.problem("a killed kernel ended well", text.decode()[-500:])

    async def time_out(self) -> None:
        session = self.mine()
        if session is None or session.busy:
            return
        session.may_be_lost = True
        status, text = await self.wire.ask(
            "POST", f"/v1/sessions/{session.id}/run",
            {"code": "while True: pass", "timeout": "300ms"})
        if self.accepted("time out", session, status, text) and \
                json.loads(text)["reason"] == "exited":
            self.ledger.problem("a run without end was not timed out", text.decode()[-500:])

    async def alone(self) -> None:
        token = f"{self.number}/{self.ledger.number()}"
        status, text = await self.wire.ask("POST", "/v1/run", {"code": f"print('{token}')"})
        if status != 200:
            self.failed("run alone", status, text)
        elif json.loads(text)["stdout"] != token + "\n":
            self.ledger.problem("run alone: another answer", text.decode()[:500])
        else:
            self.ledger.done["run alone"] += 1

    # --- files over HTTP ----------------------------------------------------------------------

    async def put(self) -> None:
        session = self.mine()
        if session is None or session.busy:
            return
        token = content_of(f"{self.number}/{self.ledger.number()} ", 50_000)
        session.files["put.bin"] = session.files.get("put.bin", {None}) | {digest(token)}
        status, text = await self.wire.ask(
            "PUT", f"/v1/sessions/{session.id}/files/session/put.bin", token.encode())
        good = status if status in (201, 204) else 200
        if self.accepted("put", session, status, text, good):
            session.files["put.bin"] = {digest(token)}

    async def get(self) -> None:
        session = self.mine()
        if session is None or session.busy or "put.bin" not in session.files:
            return
        status, text = await self.wire.ask(
            "GET", f"/v1/sessions/{session.id}/files/session/put.bin")
        if status == 404 and None in session.files["put.bin"]:
            return
        if self.accepted("get", session, status, text) and \
                digest(text.decode(errors="replace")) not in session.files["put.bin"]:
            self.ledger.problem("get: another content than was put", f"{session.id}: {text[:80]!r}")

    # --- jobs ---------------------------------------------------------------------------------

    async def schedule(self) -> None:
        # A queue that grows faster than it is run never empties, and says nothing about the server.
        if self.waiting and len(self.waiting) >= JOBS_WAITING_MAX:
            status, text = await self.wire.ask("GET", f"/status/{self.waiting[0]}")
            if status == 200 and json.loads(text)["state"] in ("succeeded", "failed"):
                self.waiting.popleft()
            return
        token = f"job-{self.number}/{self.ledger.number()}"
        kind = self.random.choice(("python", "shell"))
        slow = self.random.random() < 0.3
        code = {"python": f"{'import time; time.sleep(2)' if slow else ''}\nprint('{token}')",
                "shell": f"{'sleep 2;' if slow else ''} echo '{token}'"}[kind]
        again = self.world.has("POST", "/v1/jobs") and self.random.random() < 0.5
        path, body = "/schedule", {"kind": kind, "code": code}
        if again:
            path, body = "/v1/jobs", {**body, "after_crash": "run_again"}
        status, text = await self.wire.ask("POST", path, body)
        if status not in (200, 201, 202):
            self.failed("schedule", status, text)
            return
        made = json.loads(text)
        job = Job(made["id" if again else "job_id"], token, kind, self.world.kills, again)
        self.ledger.jobs[job.id] = job
        self.waiting.append(job.id)
        self.ledger.done["schedule"] += 1
