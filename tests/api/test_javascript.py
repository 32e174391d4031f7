"""JavaScript and TypeScript in a session: a kernel of their own, which keeps variables between runs."""

import json
import threading
import time

import pytest


@pytest.fixture(scope="module")
def session(server):
    return server.session()


@pytest.fixture
def run(server, session):
    def typescript(code, **fields):
        return server.run(session, code, **{"language": "typescript", **fields})

    return typescript


def value_of(answer):
    assert answer.get("error") is None, answer["error"]
    assert len(answer["results"]) == 1, answer
    return answer["results"][0]["data"]["application/json"]


def text_of(answer):
    assert answer.get("error") is None, answer["error"]
    return answer["results"][0]["data"]["text/plain"]


def contexts(server, session):
    return {one["name"]: one for one in server.http.get(f"/v1/sessions/{session}/contexts").json()["contexts"]}


def until_running(server, session, name="javascript"):
    until = time.monotonic() + 30
    while contexts(server, session).get(name, {}).get("state") != "running":
        assert time.monotonic() < until, f"nothing runs in {name}"
        time.sleep(0.02)


DECLARATIONS = """
import fs, { existsSync as there } from "node:fs";
import * as path from "node:path";
interface Point { x: number; y: number }
enum Colour { Red = 1, Blue }
let counter: number = 0;
const { a, b: [second] } = { a: "A", b: [1, 2] };
var old = await Promise.resolve("awaited");
class Place implements Point { constructor(public x: number, public y: number) {} norm(): number { return this.x + this.y } }
function count<T>(by: T): number { counter += 1; return counter }
const arrow = (point: Point) => point.x;
"""


def test_declarations_of_every_kind_stay(run):
    assert run(DECLARATIONS)["results"] == [], "a declaration is no result"
    answer = run("[a, second, old, Colour.Blue, typeof fs.readFileSync, there('/'), path.join('x', 'y'), "
                 "new Place(1, 2).norm(), arrow(new Place(3, 4)), count('x'), count('y'), counter]")
    assert value_of(answer) == ["A", 1, "awaited", 2, "function", True, "x/y", 3, 3, 1, 2, 2]
    run("let counter = 10")  # again: a notebook's cell is run more than once
    assert value_of(run("count(0)")) == 11
    assert value_of(run("counter", language="javascript")) == 11, "one kernel for both languages"


@pytest.mark.parametrize("code, text, data", [
    ("1 + 1", "2", 2), ("{ a: 1, b: [null, 'x'] }", "{ a: 1, b: [ null, 'x' ] }", {"a": 1, "b": [None, "x"]}),
    ("'text'", "'text'", "text"), ("null", "null", None), ("new Map([[1, 2]])", "Map(1) { 1 => 2 }", ...),
    ("[1, undefined]", "[ 1, undefined ]", ...), ("NaN", "NaN", ...), ("12n", "12n", ...),
    ("new (class Thing { y = 1 })", "Thing { y: 1 }", ...), ("({ get x() { throw 1 } })", "{ x: [Getter] }", ...),
    ("const loop: any = {}; loop.self = loop; loop", "<ref *1> { self: [Circular *1] }", ...),
    ("`first\nlet x = 1\n` as string", r"'first\nlet x = 1\n'", "first\nlet x = 1\n"),
    ("async function main() { await 1; return 5 }\nmain()", "5", 5),
])
def test_the_last_expression_is_the_result(run, code, text, data):
    answer = run(code)
    assert text_of(answer) == text
    bundle = answer["results"][0]["data"]
    assert ("application/json" in bundle) == (data is not ...), "JSON only for what it can hold"
    if data is not ...:
        assert bundle["application/json"] == data


@pytest.mark.parametrize("code", ["let quiet = 5", "const quiet2 = () => 1", "class Quiet {}", "function quiet3() {}", "undefined",
                                  "if (true) { 5 }", "type Gone = number", "", "// nothing", "import 'node:fs'"])
def test_what_is_no_expression_has_no_result(run, code):
    answer = run(code)
    assert answer["exit_code"] == 0 and answer["results"] == [] and answer.get("error") is None


def test_output_and_what_is_displayed(server, session, run):
    answer = run("console.log('out'); console.error('err'); process.stdout.write('x'.repeat(200000) + '\\n'); console.log('last');"
                 "display.html('<b>bold</b>'); await display({ a: 1 })")
    assert answer["stdout"] == "out\n" + "x" * 200000 + "\nlast\n" and answer["stderr"] == "err\n"
    assert [one["data"] for one in answer["results"]] == [
        {"text/html": "<b>bold</b>"}, {"text/plain": "{ a: 1 }", "application/json": {"a": 1}}]


def test_output_is_sent_as_it_comes(server, session):
    with server.http.stream("POST", f"/v1/sessions/{session}/run", headers={"Accept": "text/event-stream"},
                            json={"code": "console.log('first'); await new Promise(() => {})", "language": "typescript"}) as answer:
        lines = answer.iter_lines()
        assert any("first" in line for line in lines)
        assert server.http.post(f"/v1/sessions/{session}/contexts/javascript/interrupt").json()["was_running"]
        ended = [json.loads(line[6:]) for line in lines if line.startswith("data: ")][-1]
    assert ended["reason"] == "killed" and not ended["state_lost"]


def test_errors_name_the_lines_of_the_user(run):
    answer = run("""// a comment
interface Options { deep: boolean; names: string[] }

function fails(options: Options): number {
    // another
    throw new TypeError("not " + options.deep)
}

const options: Options = {
    deep: true,
    names: [],
}
fails(options)""")
    error = answer["error"]
    assert (error["name"], error["value"]) == ("TypeError", "not true") and answer["exit_code"] == 1
    first = error["traceback"][1:]
    assert [line.split("cell ")[1].split(":")[1].rstrip(")") for line in first] == ["6", "13"], error["traceback_text"]
    later = run("// so that lines differ\n\nawait (async () => { await 1; fails({ deep: false, names: [] }) })()")["error"]
    assert later["value"] == "not false" and ":6)" in later["traceback"][1] and ":3)" in later["traceback"][2], later
    assert "/kernel/" not in later["traceback_text"] and "runInThisContext" not in later["traceback_text"]


def test_errors_of_every_kind(run):
    wrong = run("let fine = 1;\nlet x: = 3")["error"]
    assert wrong["name"] == "SyntaxError" and wrong["value"].endswith("(line 2)")
    missing = run("nowhere")["error"]
    assert (missing["name"], missing["value"]) == ("ReferenceError", "nowhere is not defined")
    assert run("throw 'text'")["error"]["value"] == "'text'"
    assert "no-such-package" in run("import x from 'no-such-package'")["error"]["value"]
    hostile = "throw Object.defineProperty(new Error('x'), 'message', { get() { throw 1 } })"
    assert run(hostile)["error"]["name"] == "Error"
    late = run("setTimeout(() => { throw new RangeError('late') }, 0); await Bun.sleep(50); 'alive'")
    assert text_of(late) == "'alive'" and "RangeError: late" in late["stderr"]


def test_exit_ends_the_run_and_not_the_kernel(run):
    run("let survivor = 'yes'")
    answer = run("console.log(1); process.exit(3); console.log(2)")
    assert answer["exit_code"] == 3 and answer["stdout"] == "1\n" and not answer["state_lost"]
    assert value_of(run("survivor")) == "yes"


def test_environment_and_folder(run):
    assert value_of(run("process.env.FOR_THIS_RUN", environment={"FOR_THIS_RUN": "set"})) == "set"
    assert run("process.env.FOR_THIS_RUN")["results"] == []
    run("await Bun.write('lib.ts', 'export const answer: number = 42')")
    assert value_of(run("import { answer } from './lib'; [process.cwd(), answer]")) == ["/session", 42]


def test_an_endless_loop_is_stopped_and_variables_stay(run):
    run("let kept = 'kept'")
    for code in ("for (;;) ;", "await new Promise(() => {})"):
        answer = run(code, timeout="1s")
        assert (answer["reason"], answer["exit_code"], answer["state_lost"]) == ("timeout", 124, False), answer
    assert value_of(run("kept")) == "kept"


def test_a_loop_that_hears_nothing_costs_the_kernel_and_says_so(run):
    run("let gone = 1")
    answer = run("await 1; for (;;) ;", timeout="500ms")
    assert answer["reason"] == "timeout" and answer["state_lost"], answer
    after = run("typeof gone")
    assert value_of(after) == "undefined"


def test_a_kernel_that_dies_is_replaced(run):
    run("let before = 1")
    answer = run("process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})")
    assert answer["reason"] == "signalled" and answer["signal"] == 9 and answer["state_lost"]
    assert value_of(run("typeof before")) == "undefined"


def test_printing_cannot_forge_an_answer(run):
    """The protocol has a descriptor of its own; who finds that one harms nobody but itself."""
    forged = "\x02\x00\x00\x00d{}"
    answer = run(f"process.stdout.write({json.dumps(forged)}); 'true end'")
    assert text_of(answer) == "'true end'" and answer["stdout"] == forged
    answer = run("require('fs').writeSync(3, Buffer.from([255, 255, 255, 255, 0x65, 1, 2, 3])); await new Promise(() => {})",
                 timeout="20s")
    assert answer["state_lost"] and answer["signal"] == 9, answer  # one that breaks the protocol is ended
    assert value_of(run("1")) == 1


def test_contexts_have_one_language(server, session, run):
    made = server.http.post(f"/v1/sessions/{session}/contexts", json={"name": "second", "language": "javascript", "cwd": "/tmp"})
    assert made.status_code == 201 and made.json()["language"] == "javascript", made.text
    run("let own = 1", context="second")
    assert value_of(run("[typeof own, process.cwd()]", context="second")) == ["number", "/tmp"]
    assert value_of(run("typeof own")) == "undefined"
    listed = contexts(server, session)
    assert listed["javascript"]["language"] == "javascript" and listed["default"]["language"] == "python"
    mixed = server.http.post(f"/v1/sessions/{session}/run", json={"code": "1", "context": "second"})
    assert mixed.status_code == 409 and "runs javascript" in mixed.json()["detail"], mixed.text
    path = f"/v1/sessions/{session}/contexts/second"
    assert server.http.post(f"{path}/restart").json()["language"] == "javascript"
    assert value_of(run("typeof own", context="second")) == "undefined"
    assert server.http.delete(path).status_code == 204


def test_variables_are_listed_without_running_anything(server, session, run):
    run("let text1 = 'hello'; const trap = { get x() { console.log('ran'); return 1 } };"
        "const proxy = new Proxy({}, { get() { console.log('ran') }, ownKeys() { console.log('ran'); return [] } });"
        "class Shown { [Symbol.for('nodejs.util.inspect.custom')]() { console.log('ran'); return 'x' } }; const shown = new Shown()",
        context="listed")
    page = server.http.get(f"/v1/sessions/{session}/contexts/listed/variables").json()
    found = {one["name"]: one for one in page["variables"]}
    assert set(found) == {"text1", "trap", "proxy", "Shown", "shown"} and page["total"] == 5
    assert found["text1"]["preview"] == "'hello'" and found["text1"]["type"] == "string"
    assert (found["Shown"]["type"], found["shown"]["type"], found["proxy"]["type"]) == ("class", "Shown", "Proxy")
    assert run("1", context="listed")["stdout"] == ""


def test_sleep_keeps_data_and_names_the_rest(server):
    session = server.session()

    def run(code, **fields):
        return server.run(session, code, language="typescript", **fields)

    server.run(session, "both = 'python'", context="default")
    run("let both = 'javascript'; const shared = [1, 2n, new Date(0)]; const holder = new Map([['s', shared]]); let bytes = new Uint8Array([1, 2])")
    run("function lost1() {}; class Lost2 {}; const lost3 = new Lost2(); import * as lost4 from 'node:fs'")
    assert server.http.post(f"/v1/sessions/{session}/evict").json()["state"] == "cold"
    back = run("[both, holder.get('s') === shared, shared[1] === 2n, shared[2].getTime(), [...bytes]]")
    assert value_of(back) == ["javascript", True, True, 0, [1, 2]] and not back["state_lost"]
    named = {one["name"]: one for one in back["lost"]}
    assert set(named) == {"lost1", "Lost2", "lost3", "lost4"}
    assert all(one["context"] == "javascript" and one["reason"] for one in named.values())
    assert server.run(session, "both")["results"][0]["data"]["text/plain"] == "'python'"


def test_runs_of_one_kernel_take_turns(server, session, run):
    run("let order: number[] = []")
    threads = [threading.Thread(target=run, args=(f"order.push({i}); await Bun.sleep(20); order.push({i})",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    order = value_of(run("order"))
    assert len(order) == 8 and all(order[i] == order[i + 1] for i in range(0, 8, 2)), order


def test_a_run_without_a_session_is_a_program(server):
    answer = server.http.post("/v1/run", json={"code": "const n: number = 6; console.log(n * 7)", "language": "typescript"}).json()
    assert answer["stdout"] == "42\n" and answer["execution_count"] == 0
