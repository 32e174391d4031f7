"""The load generator: many connections, one thread, no library. A process of its own, so that the
bench's other work cannot slow it down:

    python -m atoll_bench.load < job.json

A job says the script (one of SCRIPTS), the port, connections, seconds, and what the script needs.
It prints {"done", "seconds", "samples_ms", "client_busy"}. Work under way when the time is up is
finished and counted, with the time it took. `client_busy` is the share of the time that this
process used a core: near 1, the client is what was measured.

A script is a generator for each connection. It yields (socket, bytes to send, function that says
where the answer ends) and gets the answer.
"""

import json
import select
import sys
import time

from . import http, jupyter

SAMPLES_MAX = 20_000
OVERTIME_S = 240  # for work under way: a peer may need minutes for 64 at once


class Load:
    def __init__(self, job: dict):
        self.job = job
        self.epoll = select.epoll()
        self.waiting: dict[int, tuple] = {}  # by descriptor: script, socket, seen, whole
        self.end = 0.0
        self.done = 0
        self.samples: list[float] = []
        self.ready: list = []  # scripts at the gate

    def run(self) -> dict:
        script = SCRIPTS[self.job["script"]]
        scripts = [script(self, number) for number in range(self.job["connections"])]
        for one in scripts:
            self.step(one, None)  # connects and warms up as far as the script wants
        self.until(lambda: len(self.ready) == len(scripts))
        start, busy = time.perf_counter(), time.process_time()
        self.end = start + self.job["seconds"]
        for one in self.ready:
            self.step(one, None)
        self.until(lambda: not self.waiting)
        seconds = time.perf_counter() - start
        return {"done": self.done, "seconds": seconds, "samples_ms": self.samples,
                "client_busy": (time.process_time() - busy) / seconds}

    def until(self, over) -> None:
        deadline = time.perf_counter() + self.job["seconds"] + OVERTIME_S
        while not over():
            if time.perf_counter() > deadline:
                raise http.Broken(f"{len(self.waiting)} answers did not come in time")
            for number, _ in self.epoll.poll(1):
                self.readable(number)

    def readable(self, number: int) -> None:
        script, line, seen, whole = self.waiting[number]
        try:
            piece = line.recv(1 << 18)
        except BlockingIOError:
            return
        if not piece:
            raise http.Broken("the server closed a connection")
        seen += piece
        if end := whole(seen):
            del self.waiting[number]
            self.epoll.unregister(number)
            answer = seen[:end]
            del seen[:end]
            self.step(script, answer)

    def step(self, script, answer) -> None:
        try:
            wanted = script.send(answer)
        except StopIteration:
            return
        if wanted is None:  # at the gate: all begin together
            self.ready.append(script)
            return
        line, payload, seen, whole = wanted
        line.setblocking(False)
        if line.send(payload) != len(payload):
            raise http.Broken("a request did not fit into the socket's buffer")
        self.waiting[line.fileno()] = (script, line, seen, whole)
        self.epoll.register(line.fileno(), select.EPOLLIN)

    def counted(self, began: float) -> bool:
        """One more is done; whether there is time for another."""
        now = time.perf_counter()
        self.done += 1
        if len(self.samples) < SAMPLES_MAX:
            self.samples.append((now - began) * 1000)
        return now < self.end


def _expect(answer: bytearray, status: bytes, text: bytes = b"") -> None:
    if answer[9:12] != status or text not in answer:
        raise http.Broken(f"another answer than {status.decode()}: "
                          + bytes(answer[:600]).decode(errors="replace"))


def post(load: Load, number: int):
    """The same request again and again: `paths` (one for each connection in turn), `body`."""
    job = load.job
    raw = http.request("POST", job["paths"][number % len(job["paths"])], job["body"])
    expected = job["expected"].encode()
    line, seen = http.connected(job["port"]), bytearray()
    for _ in range(job.get("warm_up", 0)):
        _expect((yield line, raw, seen, http.whole), b"200", expected)
    yield None
    going = True
    while going:
        began = time.perf_counter()
        _expect((yield line, raw, seen, http.whole), b"200", expected)
        going = load.counted(began)
    line.close()


def running_kernel(load: Load, number: int):
    """Code in a kernel that runs already: `kernels`, `code`. The next begins when the result has
    come: the kernel's word that it is idle again is not waited for, in its favour."""
    job = load.job
    code = jupyter.Code(job["code"])
    line, seen = http.connected(job["port"]), bytearray()
    _expect((yield line, jupyter.channels(job["kernels"][number]), seen, http.whole), b"101")
    answers = jupyter.Answers(line)

    def once():
        payload, name = code.next()
        answers.want(b"execute_result", name)
        answer = yield line, payload, seen, answers.whole
        if job["expected"].encode() not in answer:
            raise http.Broken("another result: " + answer[:300].decode(errors="replace"))
    for _ in range(job.get("warm_up", 0)):
        yield from once()
    yield None
    going = True
    while going:
        began = time.perf_counter()
        yield from once()
        going = load.counted(began)
    line.close()


def fresh_kernel(load: Load, number: int):
    """A kernel made, asked once, and deleted."""
    job = load.job
    line, seen = http.connected(job["port"]), bytearray()
    yield None
    going = True
    while going:
        began = time.perf_counter()
        made = yield line, jupyter.CREATE, seen, http.whole
        _expect(made, b"201")
        kernel = json.loads(http.body_of(made))["id"]
        channel, heard = http.connected(job["port"]), bytearray()
        _expect((yield channel, jupyter.channels(kernel), heard, http.whole), b"101")
        answers = jupyter.Answers(channel)
        payload, name = jupyter.Code(job["code"]).next()
        answers.want(b"execute_result", name)
        answer = yield channel, payload, heard, answers.whole
        if job["expected"].encode() not in answer:
            raise http.Broken("another result: " + answer[:300].decode(errors="replace"))
        channel.close()
        _expect((yield line, jupyter.delete(kernel), seen, http.whole), b"204")
        going = load.counted(began)
    line.close()


SCRIPTS = {"post": post, "running_kernel": running_kernel, "fresh_kernel": fresh_kernel}


def main() -> int:
    load = Load(json.load(sys.stdin))
    try:
        print(json.dumps(load.run()))
    except (http.Broken, OSError) as problem:
        print(f"load: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
