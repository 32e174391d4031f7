"""The kernel of JavaScript and TypeScript by itself: bun on one end of a socket, this test on the other."""

import json
import os
import signal
import socket
import struct
import subprocess
import threading
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1]
BUN = FOLDER.parents[1] / ".tools" / "typescript" / "bun"


class Kernel:
    def __init__(self, cwd):
        self.link, theirs = socket.socketpair()
        self.link.settimeout(60)
        self.process = subprocess.Popen(
            [BUN, "--no-install", "--no-env-file", FOLDER / "kernel" / "main.ts"], cwd="/", stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, pass_fds=(3, theirs.fileno()),
            preexec_fn=lambda: os.dup2(theirs.fileno(), 3))
        theirs.close()
        self.ask(op="start", cwd=str(cwd), env={"PATH": "/bin"})

    def send(self, kind, payload):
        self.link.sendall(struct.pack("<I", len(payload)) + kind + payload)

    def receive(self, size):
        data = b""
        while len(data) < size:
            piece = self.link.recv(size - len(data))
            assert piece, "the kernel has ended"
            data += piece
        return data

    def answer(self):
        events, data = [], b""
        while True:
            length, = struct.unpack("<I", self.receive(4))
            kind, payload = self.receive(1), self.receive(length)
            if kind == b"d":
                return events, json.loads(payload), data
            if kind == b"b":
                data += payload
            else:
                events.append(json.loads(payload))

    def ask(self, data=None, **request):
        self.send(b"q", json.dumps(request).encode())
        if data is not None:
            for at in range(0, len(data), 1000):
                self.send(b"b", data[at:at + 1000])
            self.send(b"f", b"")
        return self.answer()

    def run(self, code):
        events, done, _ = self.ask(op="run", code=code)
        return events, done

    def value(self, code):
        events, done = self.run(code)
        assert done["status"] == "ok" and [one["event"] for one in events] == ["result"], events
        return events[0]["data"].get("application/json", events[0]["data"]["text/plain"])

    def lines(self, code):
        """Of the frames of the error that it ends with."""
        events, done = self.run(code)
        assert done["status"] == "error", events
        return [line.rsplit(":", 1)[1].rstrip(")") for line in events[-1]["traceback"] if "cell " in line]

    def end(self):
        self.link.close()
        assert self.process.wait(30) == 0, "it ends in order when its link does"


@pytest.fixture
def kernel(tmp_path):
    made = Kernel(tmp_path)
    yield made
    made.end()


@pytest.mark.parametrize("code, lines", [
    ("throw new Error()", ["1"]),
    ("\n\n\nthrow new Error()", ["4"]),
    ("type A = { x: number,\n  y: string }\n/* a\ncomment */\nfunction f(a: A): never {\n\n  throw new Error(a.y)\n}\n\nf({ x: 1, y: '' })",
     ["7", "10"]),
    ("const text = `one\ntwo\nthree`\nnull.x", ["4"]),
    ("class A {\n  private x: number = 1\n  get y(): number {\n    return (undefined as any).z\n  }\n}\nnew A().y", ["4", "7"]),
    ("const add = (a: number, b: number) => {\n  if (a > b) {\n    throw new RangeError('a')\n  }\n  return a + b\n}\nadd(1, 2)\nadd(2, 1)",
     ["3", "8"]),
    ("[3, 2, 1].map(x => {\n  return 10 / x\n}).forEach(x => {\n  if (x > 9) nowhere(x)\n})", ["4", "3"]),
])
def test_lines_are_those_of_the_user(kernel, code, lines):
    assert kernel.lines(code) == lines


def test_a_line_of_an_earlier_cell(kernel):
    kernel.run("// one\n\nfunction broken(x: number) {\n  return (x as any).y.z\n}")
    assert kernel.lines("// another\nbroken(1)") == ["4", "2"]


def test_errors_that_a_cell_prints_have_its_lines_too(kernel):
    kernel.run("type Unused = {\n  a: number\n}\ntry {\n  null.x\n} catch (error) {\n  console.log('found', error)\n}\nconsole.log('end')")
    printed = b""
    while not printed.endswith(b"end\n"):
        printed += kernel.process.stdout.readline()
    assert b"found TypeError" in printed and b"(cell 1:5)" in printed and b"kernel/" not in printed


def test_what_was_declared_before_a_failure_stays(kernel):
    kernel.run("let a = 1; const b = 2; throw new Error('x'); let c = 3")
    assert kernel.value("[a, b, typeof c]") == [1, 2, "undefined"]


def test_what_bun_has_to_help_with(kernel):
    """Decorators and `using` need its runtime; require is not import.meta's."""
    decorated = "function twice(value: any, _: any) { return function (this: any) { return 2 * value.call(this) } }\n" \
                "class A { @twice one() { return 1 } }\nnew A().one()"
    assert kernel.value(decorated) == 2
    assert kernel.value("const path = require('path'); await 1; path.join('a', 'b')") == "a/b"
    assert kernel.value("const { existsSync } = await import('node:fs'); existsSync('/')") is True


def test_large_code_and_large_values(kernel):
    many = "".join(f"const name{i}: number = {i}\n" for i in range(5000))
    assert kernel.run(many)[1]["status"] == "ok"
    assert kernel.value("name4999") == 4999
    events, _ = kernel.run("'x'.repeat(20 * 1024 * 1024)")
    assert "more characters" in events[0]["data"]["text/plain"] and "cut" in events[0]["data"]["text/plain"]


def test_an_interrupt_ends_what_runs_and_is_ignored_between(kernel):
    kernel.value("kept = 1")
    os.killpg(kernel.process.pid, signal.SIGINT)
    for code in ("console.log('go'); for (;;) ;", "console.log('go'); await new Promise(() => {})"):
        kernel.send(b"q", json.dumps({"op": "run", "code": code}).encode())
        assert kernel.process.stdout.readline() == b"go\n"
        interrupting = threading.Event()

        def press(done=interrupting):  # again and again, as the guest does
            while not done.wait(0.25):
                os.killpg(kernel.process.pid, signal.SIGINT)

        thread = threading.Thread(target=press)
        thread.start()
        events, done, _ = kernel.answer()
        interrupting.set()
        thread.join()
        assert done["status"] == "interrupted" and events[-1]["event"] == "error"
    assert kernel.value("kept") == 1


def test_export_and_import(kernel, tmp_path):
    kernel.run("const list = [1, 2n, new Date(0), /x/g, new Set(['a']), new Uint8Array(3), undefined, NaN]; let same = { list }; let none = undefined;"
               "const cyclic: any = {}; cyclic.self = cyclic; let text = 'x'.repeat(2_000_000)")
    kernel.run("class A {}; const a = { deep: [new A()] }; const f = () => 1; let bare = Object.create(null); const sym = Symbol();"
               "const hidden = Object.defineProperty({}, 'x', { value: 1 }); const getter = { get x() { throw 1 } }; const proxy = new Proxy({}, {});"
               "const buffer = Buffer.from('x'); const weak = new WeakMap(); import * as fs from 'fs'; const promise = Promise.resolve(1)")
    _, done, saved = kernel.ask(op="export")
    lost = {one["name"] for one in done["failed"]}
    assert lost == {"A", "a", "f", "bare", "sym", "hidden", "getter", "proxy", "buffer", "weak", "fs", "promise"}
    assert all(one["reason"] for one in done["failed"])
    other = Kernel(tmp_path)
    assert other.ask(data=saved, op="import")[1]["status"] == "ok"
    assert other.value("[same.list === list, list[1] === 2n, list[2].getTime(), list[3].flags, list[4].has('a'), list[5].length,"
                       " 6 in list, Number.isNaN(list[7]), 'none' in globalThis, cyclic.self === cyclic, text.length]") == [
        True, True, 0, "g", True, 3, True, True, True, True, 2_000_000]
    for damaged in (b"", b"junk", saved[:-7]):
        done = other.ask(data=damaged, op="import")[1]
        assert done["status"] == "error" and "cannot be read" in done["error"]
    assert other.value("text.length") == 2_000_000
    other.end()
