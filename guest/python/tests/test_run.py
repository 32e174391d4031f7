"""Goal: a cell behaves as in a notebook, and its end is reported as what it was."""

import sys
import time

import pytest


@pytest.mark.parametrize(
    "code, text",
    [
        ("1+1", "2"),
        ("x = 3\nx * 2", "6"),
        ("'a'", "'a'"),
        ("True", "True"),
        ("0.1 + 0.2", "0.30000000000000004"),
        ("b'x'", "b'x'"),
        ("[1,\n 2]", "[1, 2]"),
        ("  5", "5"),  # pasted with indentation
        (">>> 1 + 2", "3"),  # pasted from a terminal
        ("7 % 4", "3"),
        ("'a' != 'b'", "True"),
        ("f'{1!r}?'", "'1?'"),
        ("%pwd", None),
        ("import asyncio\nawait asyncio.sleep(0, 'awaited')", "'awaited'"),
        ("async def f():\n    return 9\nawait f()", "9"),
        ("[i async for i in __import__('contextlib').aclosing(None)] if False else 4", "4"),
        ("import asyncio\nasyncio.run(asyncio.sleep(0, 5))", "5"),
        (
            "import asyncio\nloop = asyncio.get_event_loop()\nloop.run_until_complete(asyncio.sleep(0, 6))",
            "6",
        ),
        ("out = !echo one; echo two\nout", "['one', 'two']"),
        ("'x' * 3;\n", None),
        ("x: int = 5", None),
        ("1; 2", "2"),
    ],
)
def test_results(shared, code, text):
    answer = shared.run(code)
    assert answer.status == "ok", answer.events
    if text is None:
        assert len(answer.of("result")) == (1 if code.startswith("%") else 0)
    else:
        assert answer.text == text


def test_state_and_history_go_on_from_cell_to_cell(kernel):
    assert kernel.run("x = 20").done == {"status": "ok", "execution_count": 1}
    assert kernel.run("x + 1").done["execution_count"] == 2
    assert kernel.run("(_, _2, Out[2], In[1], _i1)").text == "(21, 21, 21, 'x = 20', 'x = 20')"
    assert kernel.run("_ = 5").status == "ok"
    kernel.run("100")
    assert kernel.run("_").text == "5"  # a user's own underscore stays


def test_silent_and_unstored_runs_leave_no_history(kernel):
    assert kernel.run("y = 1; y", silent=True).kinds() == []
    assert kernel.run("y", store_history=False).text == "1"
    assert kernel.run("(len(In), y)").done["execution_count"] == 1


def test_magics_and_shell(kernel):
    assert kernel.run("!echo out; echo err >&2").out == "out\n"
    assert kernel.run("%%bash\necho $((6*7))").out == "42\n"
    assert kernel.run("%%bash\nexit 3").error["name"] == "CalledProcessError"
    assert kernel.run("%%bash --out text\necho kept").out == ""
    assert kernel.run("text").text == "'kept\\n'"
    assert "python" in kernel.run("%%script python3\nprint('python', 1)").out
    assert kernel.run("%%capture box\nprint('in the box')").out == ""
    assert kernel.run("box.stdout").text == "'in the box\\n'"
    assert "loop" in kernel.run("%timeit -n1 -r1 pass").out
    assert kernel.run("%%time\nz = 4").status == "ok"
    assert kernel.run("z").text == "4"
    assert kernel.run("import os\n!exit 7\n_exit_code").text == "7"
    name = "folder"
    (kernel.folder / name).mkdir()
    assert kernel.run("cd folder").status == "ok"  # automagic
    assert kernel.run("import os; os.path.basename(os.getcwd())").text == "'folder'"
    assert kernel.run("%nosuchmagic").error["name"] == "UsageError"
    assert "Return the number" in kernel.run("len?").of("display")[0]["data"]["text/plain"]
    assert (
        kernel.run(
            "import threading, os; (threading.active_count(), len(os.listdir('/proc/self/task')))"
        ).text
        == "(1, 1)"
    )


def test_tasks_of_one_cell_can_be_awaited_in_the_next(kernel):
    assert (
        kernel.run("import asyncio\nt = asyncio.create_task(asyncio.sleep(0.01, 'late'))").status
        == "ok"
    )
    assert kernel.run("await t").text == "'late'"
    kernel.run(
        "q = asyncio.Queue()\nasync def put():\n    await q.put(1)\nt2 = asyncio.create_task(put())"
    )
    assert kernel.run("await q.get()").text == "1"
    assert kernel.run("asyncio.run(asyncio.sleep(0, 3))").text == "3"
    assert kernel.run("await asyncio.sleep(0, 4)").text == "4"


def test_a_traceback_starts_at_the_cell(kernel):
    error = kernel.run("def f():\n    return 1 / 0\n\nf()").error
    assert (error["name"], error["value"]) == ("ZeroDivisionError", "division by zero")
    text = error["traceback_text"]
    assert "Cell In[1], line 4" in text and "----> 2     return 1 / 0" in text
    assert "atoll_guest" not in text and "run.py" not in text and "\x1b" not in text
    assert "\x1b[" in "".join(error["traceback"])
    error = kernel.run("import asyncio\nawait asyncio.sleep(0)\nraise KeyError('in async')").error
    assert "Cell In[2], line 3" in error["traceback_text"]
    assert "asyncio/" not in error["traceback_text"] and "loop.py" not in error["traceback_text"]


@pytest.mark.parametrize(
    "code, name, words",
    [
        ("x ==", "SyntaxError", "line 1"),
        ("if True:\nx", "IndentationError", "line 2"),
        ("a = 1\nreturn a", "SyntaxError", "outside function"),
        ("raise ValueError('é ☃ \\ud800')", "ValueError", "☃"),
        (
            "raise ExceptionGroup('many', [ValueError('one')])",
            None,
            "one" if sys.version_info >= (3, 11) else "ExceptionGroup",
        ),
        (
            "try:\n    1/0\nexcept Exception as e:\n    raise KeyError('k') from e",
            "KeyError",
            "direct cause",
        ),
        ("class E(Exception):\n    def __str__(self): raise RuntimeError\nraise E", "E", "E"),
        ("class B(BaseException): pass\nraise B('base')", "B", "base"),
        ("'\0'", None, "null"),
        ("import nosuchmodule", "ModuleNotFoundError", "nosuchmodule"),
        ("raise StopIteration(1)", "StopIteration", "1"),
        ("import asyncio\nraise asyncio.CancelledError()", "CancelledError", ""),
        ("raise ValueError('x' * 5_000_000)", "ValueError", "more characters"),
    ],
)
def test_errors(shared, code, name, words):
    answer = shared.run(code)
    assert answer.status == "error"
    error = answer.error
    if name:
        assert error["name"] == name
    assert words in error["traceback_text"] + error["value"]
    assert len(error["traceback_text"]) < 2_000_000
    assert shared.run("1+1").text == "2"


def test_a_cell_that_does_not_compile_runs_no_part(kernel):
    kernel.run("ran = False")
    kernel.run("ran = True\nreturn")
    assert kernel.run("ran").text == "False"


@pytest.mark.parametrize(
    "code, exit_code, err",
    [
        ("exit", 0, ""),
        ("exit()", 0, ""),
        ("quit(4)", 4, ""),
        ("import sys; sys.exit()", 0, ""),
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit('no data')", 1, "no data\n"),
        ("raise SystemExit(True)", 1, ""),
    ],
)
def test_exit_ends_the_run_and_not_the_kernel(shared, code, exit_code, err):
    answer = shared.run(code)
    assert (answer.status, answer.done["exit_code"]) == ("ok", exit_code)
    assert answer.err == err and answer.kinds() == []
    assert shared.run("1+1").text == "2"


@pytest.mark.parametrize(
    "code",
    [
        "import time\ntime.sleep(30)",
        "while True: pass",
        "import asyncio\nawait asyncio.sleep(30)",
        "import asyncio\nwhile True: await asyncio.sleep(0)",
        "!sleep 30",
        "%%bash\nsleep 30",
        "class R:\n    def __repr__(self):\n        while True: pass\nR()",
        "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E",
    ],
)
def test_interrupt(kernel, code):
    start = time.monotonic()
    kernel.interrupt(0.5)
    answer = kernel.run(code)
    assert answer.status in ("interrupted", "error") and time.monotonic() - start < 8
    if "class" not in code:
        assert answer.status == "interrupted" and answer.error["name"] == "KeyboardInterrupt"
        assert "Cell In[" in answer.error["traceback_text"]
        assert "interrupts.py" not in answer.error["traceback_text"]  # the handler is the kernel's own
    assert kernel.run("1+1").text == "2"


def test_an_awaiting_cell_can_be_interrupted_at_any_moment(kernel):
    """An interrupt that hits the event loop's own code must not leave a task that never wakes."""
    kernel.run("import asyncio")
    code = "display('running')\nwhile True: await asyncio.sleep(0)"

    def strike(event):
        if event["event"] == "display":
            kernel.interrupt(delay * 0.0007)

    for delay in range(40):
        answer = kernel.run(code, on_event=strike, timeout=10)
        assert answer.status == "interrupted"


def test_an_async_cell_unwinds_when_it_is_interrupted(kernel):
    kernel.interrupt(0.3)
    code = "import asyncio\ntry:\n    await asyncio.sleep(30)\nfinally:\n    print('unwound')"
    answer = kernel.run(code)
    assert answer.status == "interrupted" and answer.out == "unwound\n"
    assert "await asyncio.sleep(30)" in answer.error["traceback_text"]


def test_hooks_and_transformers_of_the_user(kernel):
    kernel.run(
        "ip = get_ipython()\nseen = []\nip.events.register('post_run_cell', lambda r: seen.append(r.result))"
    )
    kernel.run("5 + 5")
    assert "10" in kernel.run("seen").text
    code = """import ast
class Double(ast.NodeTransformer):
    def visit_Constant(self, node):
        return ast.copy_location(ast.Constant(node.value * 2), node) if type(node.value) is int else node
ip.ast_transformers.append(Double())"""
    kernel.run(code)
    assert kernel.run("21").text == "42"
    kernel.run(
        "ip.ast_transformers.clear()\nip.input_transformers_post.append(lambda lines: [l.replace('HELLO', '\"hi\"') for l in lines])"
    )
    assert kernel.run("HELLO").text == "'hi'"
    kernel.run("ip.input_transformers_post.clear()\nip.ast_node_interactivity = 'all'")
    assert [r["data"]["text/plain"] for r in kernel.run("1\n2").of("result")] == ["1", "2"]
    kernel.run("ip.events.register('pre_run_cell', lambda info: 1 / 0)")
    assert kernel.run("3").text == "3"


def test_future_imports_stay_in_force(kernel):
    kernel.run("from __future__ import annotations")
    assert kernel.run("def f(a: nothing): pass\nf.__annotations__").text == "{'a': 'nothing'}"


def test_unknown_and_broken_requests_get_an_answer(shared):
    assert shared.ask("nonsense").status == "error"
    shared.send("q", b"not json")
    assert shared.answer().status == "error"
    assert shared.ask("run").status == "error"
    shared.send("i", {"value": "too late"})
    assert shared.ask("ping").done["pid"] == shared.pid
    assert shared.run("").status == "ok"
