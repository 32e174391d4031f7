"""Kernels as an owner uses them: through the host, the walls and the guest, not by themselves
(guest/python/tests has the kernel without walls).
"""
import base64
import platform
import time
from pathlib import Path

import pytest

from harness import host
from harness.driver import Refused

ENDLESS = "import time\nkept = 'before'\nwhile True: time.sleep(0.05)"
# Swallows every interrupt: only a kill ends it.
STUBBORN = """
kept = 'before'
while True:
    try:
        while True: sum(range(1000))
    except BaseException:
        pass
"""


def result_of(answer) -> dict:
    (event,) = answer.events_named("result")
    return event["data"]


def text_of(answer) -> str:
    return result_of(answer)["text/plain"]


def error_of(answer) -> dict:
    assert answer.kernel["status"] == "error"
    (event,) = answer.events_named("error")
    return event


def call(sandbox, op: str, data=None, context: str = "default", **fields):
    """An operation of the kernel's own; bytes of a request go and come as Latin-1."""
    request = {"op": "kernel.call", "context": context, "request": {"op": op, **fields}}
    return sandbox.ask(request, **({} if data is None else {"data": data}))


def kernel_pid(sandbox, context: str = "default") -> int:
    kernels = sandbox.ask({"op": "kernel.list"}).end["kernels"]
    return {one["context"]: one["pid"] for one in kernels}[context]


def until_running(sandbox, path: str = "/tmp/began"):
    """Waits for the file by which a cell says that it has begun."""
    def there():
        try:
            return sandbox.ask({"op": "file.stat", "path": path})
        except Refused:
            return None
    assert host.eventually(there), "the cell never began"


# Results

def test_results_are_mime_bundles(sandbox):
    answer = sandbox.python("import pandas as pd\npd.DataFrame({'a': [1, 2]})")
    data = result_of(answer)
    assert "<table" in data["text/html"] and data["text/plain"].split() == ["a", "0", "1", "1", "2"]
    assert answer.kernel == {"status": "ok", "execution_count": 1}
    assert text_of(sandbox.python("6 * 7")) == "42"
    assert sandbox.python("unseen = 5")["events"] == []


def test_displays_and_results_in_the_order_of_the_cell(sandbox):
    answer = sandbox.python("from IPython.display import HTML\ndisplay(HTML('<b>1</b>'))\n"
                            "display('two')\n3")
    assert [event["event"] for event in answer["events"]] == ["display", "display", "result"]
    assert answer["events"][0]["data"]["text/html"] == "<b>1</b>"
    assert answer["events"][1]["data"]["text/plain"] == "'two'"
    assert answer["events"][2]["data"]["text/plain"] == "3"


def test_a_result_larger_than_a_frame_arrives_whole(sandbox):
    """Above 262,144 bytes an event is cut into frames and put together again on the host."""
    answer = sandbox.python("from IPython.display import HTML\nHTML('é' * 500_000 + 'end')")
    assert result_of(answer)["text/html"] == "é" * 500_000 + "end"


def test_an_error_has_name_value_and_a_traceback_of_the_cell(sandbox):
    error = error_of(sandbox.python("kept = 1\ndef inner():\n    return {}['absent']\ninner()"))
    assert (error["name"], error["value"]) == ("KeyError", "'absent'")
    assert "line 3" in error["traceback_text"] and "inner()" in error["traceback_text"]
    assert text_of(sandbox.python("kept")) == "1"


def test_a_cell_that_does_not_compile_runs_no_part(sandbox):
    assert error_of(sandbox.python("done = True\nif:"))["name"] == "SyntaxError"
    assert error_of(sandbox.python("done"))["name"] == "NameError"


# Streams

def test_stdout_and_stderr_are_separate_and_complete_before_the_end(sandbox):
    answer = sandbox.python("import sys\nfor i in range(20_000):\n    print('out', i)\n"
                            "    print('err', i, file=sys.stderr)")
    assert answer.out == "".join(f"out {i}\n" for i in range(20_000))
    assert answer.err == "".join(f"err {i}\n" for i in range(20_000))


def test_output_of_python_c_code_and_children_keeps_its_order(sandbox):
    answer = sandbox.python("""
import ctypes, os, subprocess, sys
libc = ctypes.CDLL(None)
print('python')
libc.printf(b'c\\n'); libc.fflush(None)
os.write(1, b'descriptor\\n')
subprocess.run(['echo', 'child'])
os.system('echo to stderr >&2')
!echo shell
print('python again')
""")
    assert answer.out.split() == ["python", "c", "descriptor", "child", "shell", "python", "again"]
    assert answer.err == "to stderr\n"


def test_output_that_is_no_text_passes_as_it_is(sandbox):
    answer = sandbox.python("import os\nos.write(1, bytes(range(256)));")
    assert answer.out.encode("latin-1") == bytes(range(256))


def test_background_output_between_runs_comes_with_the_next(sandbox):
    sandbox.python("import threading, time, os\n"
                   "def later():\n"
                   "    time.sleep(0.3)\n"
                   "    print('from the thread')\n"
                   "    open('/tmp/began', 'w').close()\n"
                   "threading.Thread(target=later).start()")
    until_running(sandbox)
    answer = sandbox.python("print('from the cell')")
    assert answer.out == "from the thread\nfrom the cell\n"


# The language

def test_top_level_await(sandbox):
    answer = sandbox.python("import asyncio\n"
                            "async def add(a, b):\n    await asyncio.sleep(0.01)\n    return a + b\n"
                            "sum(await asyncio.gather(add(1, 2), add(3, 4)))")
    assert text_of(answer) == "10"


def test_magics_and_shell(sandbox):
    assert sandbox.python("%%bash\necho from bash; pwd").out == "from bash\n/session\n"
    assert text_of(sandbox.python("lines = !printf 'a\\nb\\n'\nlist(lines)")) == "['a', 'b']"
    assert "per loop" in sandbox.python("%timeit -n1 -r1 pass").out
    sandbox.python("%cd /work")
    assert sandbox.python("!pwd").out == "/work\n"
    error = error_of(sandbox.python("%no_such_magic"))
    assert error["name"] == "UsageError" and "no_such_magic" in error["value"]


# Figures

def test_a_figure_is_captured_without_show(sandbox):
    answer = sandbox.python("import matplotlib.pyplot as plt\nplt.plot([1, 3, 2]);")
    (display,) = answer.events_named("display")
    assert base64.b64decode(display["data"]["image/png"]).startswith(b"\x89PNG\r\n")
    assert sandbox.python("plt.get_fignums()").events_named("display") == []  # once, not again


def test_cjk_text_in_a_plot_has_its_glyphs(sandbox):
    plot = "import matplotlib.pyplot as plt\nplt.title({!r}); plt.plot([1]);"
    answer = sandbox.python(plot.format("中文 日本語 한국어"))
    assert len(answer.events_named("display")) == 1
    assert answer.err == ""
    # A character that no font has: the warning that the line above must not bring.
    assert "missing from font" in sandbox.python(plot.format("\ue123")).err


# Input

@pytest.mark.parametrize("code", ["input('name? ')", "import getpass; getpass.getpass()",
                                  "import sys; sys.stdin.readline()"])
def test_input_is_refused_with_what_to_do(sandbox, code):
    error = error_of(sandbox.python(code, wait=20))
    assert "nobody is there to answer" in error["value"] and "Put the value" in error["value"]


def test_input_is_answered_by_the_caller(sandbox):
    answer = sandbox.python(
        "first = input('first? ')\nsecond = input('second? ')\nfirst + '/' + second",
        allow_input=True,
        controls=[{"do": "input", "value": "Ada é", "after_ms": 200},
                  {"do": "input", "value": "", "after_ms": 200}])
    assert [event["prompt"] for event in answer.events_named("input_request")] == ["first? ",
                                                                                  "second? "]
    assert text_of(answer) == "'Ada é/'"


def test_waiting_for_input_can_be_interrupted(sandbox):
    answer = sandbox.python("kept = 1\ninput()", allow_input=True,
                            controls=[{"do": "interrupt", "after_ms": 300}])
    assert answer.end["interrupted"] and answer.kernel["status"] == "interrupted"
    assert text_of(sandbox.python("kept")) == "1"


# Interrupt and time

def test_an_interrupt_ends_the_run_and_keeps_the_state(sandbox):
    answer = sandbox.python(ENDLESS, controls=[{"do": "interrupt", "after_ms": 300}])
    assert answer.end["interrupted"] and answer.kernel["status"] == "interrupted"
    assert "died" not in answer.end and "timed_out" not in answer.end
    after = sandbox.python("kept")
    assert text_of(after) == "'before'" and "state_lost_before" not in after.end


def test_an_interrupt_from_another_request(sandbox):
    running = sandbox.start({"op": "kernel.run", "code": "open('/tmp/began', 'w')\n" + ENDLESS})
    until_running(sandbox)
    assert sandbox.ask({"op": "kernel.interrupt"}).end["was_idle"] is False
    assert running.result(20).end["interrupted"]
    assert sandbox.ask({"op": "kernel.interrupt"}).end["was_idle"] is True
    assert text_of(sandbox.python("kept")) == "'before'"


def test_an_interrupt_reaches_a_child_of_the_cell(sandbox):
    word = host.marker()
    answer = sandbox.python(f"kept = 1\n!sleep 300; : {word}",
                            controls=[{"do": "interrupt", "after_ms": 500}])
    assert answer.end["interrupted"]
    assert host.eventually(lambda: not host.with_argument(word))
    assert text_of(sandbox.python("kept")) == "1"


def test_who_ignores_interrupts_is_killed_and_the_loss_is_told(sandbox):
    answer = sandbox.python(STUBBORN, controls=[{"do": "interrupt", "after_ms": 300,
                                                 "grace_ms": 700}])
    end = answer.end
    assert end["died"] and end["state_lost"] and end["interrupted"] and end["signal"] == 9
    after = sandbox.python("kept")
    assert after.end["state_lost_before"] is True
    assert error_of(after)["name"] == "NameError"
    assert "state_lost_before" not in sandbox.python("1").end  # said once


def test_a_timeout_ends_the_run_and_keeps_the_state(sandbox):
    answer = sandbox.python(ENDLESS, timeout_ms=500)
    assert answer.end["timed_out"] and answer.kernel["status"] == "interrupted"
    assert "died" not in answer.end
    assert text_of(sandbox.python("kept")) == "'before'"


def test_a_timeout_of_who_will_not_listen(sandbox):
    end = sandbox.python(STUBBORN, timeout_ms=300, grace_ms=700).end
    assert end["timed_out"] and end["died"] and end["state_lost"]
    assert text_of(sandbox.python("1 + 1")) == "2"


# Restart, contexts, queue

def test_a_restart_forgets_variables_and_keeps_files(sandbox):
    sandbox.python("x = 1\nopen('/session/kept', 'w').write('here')")
    before = kernel_pid(sandbox)
    sandbox.ask({"op": "kernel.restart", "context": "default"})
    assert error_of(sandbox.python("x"))["name"] == "NameError"
    assert text_of(sandbox.python("open('/session/kept').read()")) == "'here'"
    assert kernel_pid(sandbox) != before


def test_a_restart_answers_who_waits_and_ends_what_the_kernel_started(sandbox):
    word = host.marker()
    running = sandbox.start({"op": "kernel.run",
                             "code": f"!touch /tmp/began; sleep 300; : {word}"})
    queued = sandbox.start({"op": "kernel.run", "code": "1"})
    until_running(sandbox)
    sandbox.ask({"op": "kernel.restart"})
    for waiting in (running, queued):
        answer = waiting.result(20)
        assert not answer["ok"] and "default" in answer["error"]
    assert host.eventually(lambda: not host.with_argument(word))
    assert text_of(sandbox.python("1 + 1")) == "2"


def test_contexts_do_not_see_each_other(sandbox):
    sandbox.python("x = 'first'", context="first")
    sandbox.python("x = 'second'", context="second")
    assert text_of(sandbox.python("x", context="first")) == "'first'"
    assert text_of(sandbox.python("x", context="second")) == "'second'"
    assert error_of(sandbox.python("x"))["name"] == "NameError"
    kernels = {one["context"]: one for one in sandbox.ask({"op": "kernel.list"}).end["kernels"]}
    assert set(kernels) == {"default", "first", "second"}
    assert kernels["first"]["runs"] == 2 and kernels["first"]["idle"]
    sandbox.ask({"op": "kernel.delete", "context": "first"})
    assert "first" not in str(sandbox.ask({"op": "kernel.list"}).end)
    with pytest.raises(Refused, match="no context first"):
        sandbox.ask({"op": "kernel.restart", "context": "first"})


def test_contexts_work_at_the_same_time(sandbox):
    """One waits in a cell for what only the other can do."""
    waiting = sandbox.start({"op": "kernel.run", "context": "waits", "code":
                             "import os, time\n"
                             "while not os.path.exists('/tmp/signal'): time.sleep(0.02)\n'met'"})
    sandbox.python("open('/tmp/signal', 'w').close()", context="signals")
    assert text_of(waiting.result(20)) == "'met'"


def test_runs_on_one_context_queue(sandbox):
    codes = ["import time; time.sleep(0.5); order = ['first']", "order.append('second')", "order"]
    answers = [sandbox.start({"op": "kernel.run", "code": code}) for code in codes]
    last = answers[-1].result(20)
    assert text_of(last) == "['first', 'second']"
    assert [a.result(20).kernel["execution_count"] for a in answers] == [1, 2, 3]


def test_a_queued_run_can_be_taken_back(sandbox):
    first = sandbox.start({"op": "kernel.run", "code": "import time; time.sleep(1); x = 1"})
    second = sandbox.start({"op": "kernel.run", "code": "x = 2"},
                           controls=[{"do": "cancel", "after_ms": 100}])
    end = second.result(20).end
    assert end["interrupted"] and end["started"] is False
    first.result(20)
    assert text_of(sandbox.python("x")) == "1"


# Variables

def test_variables_are_listed(sandbox):
    sandbox.python("import numpy as np\ncount = 3\narray = np.zeros((10, 2))\nname = 'é'")
    listed = {one["name"]: one for one in call(sandbox, "variables").kernel["variables"]}
    assert set(listed) == {"np", "count", "array", "name"}
    assert (listed["count"]["type"], listed["count"]["preview"]) == ("int", "3")
    assert listed["array"]["shape"] == [10, 2]


def test_variables_move_to_another_sandbox(driver, sandbox):
    """All that can go goes; what cannot is named, with the reason."""
    sandbox.python("""
import numpy as np, pandas as pd, threading
frame = pd.DataFrame({'a': range(200_000)})
rate = 3
def scaled(x): return x * rate
class Point:
    def __init__(self, x): self.x = x
point = Point(4)
lock = threading.Lock()
stream = (i for i in [1])
""")
    exported = call(sandbox, "export")
    failed = {one["name"]: one for one in exported.kernel["failed"]}
    assert set(failed) == {"lock", "stream"}
    assert failed["stream"]["type"] == "generator" and failed["lock"]["reason"]
    assert len(exported["data"]) > 200_000 * 8  # more than any one frame
    other = driver.create()
    try:
        imported = call(other, "import", data=exported["data"])
        assert imported.kernel["failed"] == []
        assert {"frame", "scaled", "Point", "point"} <= set(imported.kernel["imported"])
        assert text_of(other.python("(int(frame.a.sum()), scaled(2), point.x, "
                                    "type(point) is Point)")) == "(19999900000, 6, 4, True)"
        assert text_of(sandbox.python("frame.shape")) == "(200000, 1)"
    finally:
        other.destroy()


def test_export_of_chosen_names_and_a_damaged_import(sandbox):
    sandbox.python("a = 1\nb = 2")
    exported = call(sandbox, "export", names=["b", "absent"])
    assert exported.kernel["exported"] == ["b"]
    assert [one["name"] for one in exported.kernel["failed"]] == ["absent"]
    damaged = call(sandbox, "import", data="no container at all")
    assert damaged.kernel["status"] == "error" or damaged.kernel.get("error")
    assert text_of(sandbox.python("a")) == "1"


# Death

@pytest.mark.parametrize("code, how", [
    ("import os; print('last words'); os._exit(3)", {"exit_code": 3}),
    ("import os; print('last words'); os.kill(os.getpid(), 9)", {"signal": 9}),
    ("import ctypes; print('last words'); ctypes.string_at(0)", {"signal": 11}),
])
def test_a_kernel_that_dies_is_reported_and_replaced(sandbox, code, how):
    sandbox.python("kept = 1")
    answer = sandbox.python(code)
    assert answer.out == "last words\n"
    assert answer.end["died"] and answer.end["state_lost"]
    assert how.items() <= answer.end.items()
    after = sandbox.python("1 + 1")
    assert text_of(after) == "2" and after.end["state_lost_before"] is True


def test_a_kernel_killed_between_runs_is_replaced_and_the_loss_told(sandbox):
    sandbox.python("kept = 1\nimport os, threading\n"
                   "threading.Timer(0.3, os._exit, [1]).start()")
    before = kernel_pid(sandbox)
    assert host.eventually(lambda: kernel_pid(sandbox) not in (before, -1))
    after = sandbox.python("'kept' in dir()")
    assert after.end["state_lost_before"] is True and text_of(after) == "False"


def test_exit_is_no_death(sandbox):
    answer = sandbox.python("kept = 1\nraise SystemExit(4)")
    assert answer.kernel["exit_code"] == 4 and "died" not in answer.end
    assert text_of(sandbox.python("kept")) == "1"


def test_unknown_operations_of_a_kernel_are_refused(sandbox):
    answer = call(sandbox, "no_such_thing")
    assert answer.kernel["status"] == "error"
    assert "no_such_thing" in answer.kernel["error"]
    with pytest.raises(Refused, match="kernel.nothing"):
        sandbox.ask({"op": "kernel.nothing"})


@pytest.mark.root_only
def test_time_stands_still_while_frozen(sandbox):
    """A run of 2 s in a sandbox that is frozen for 3 s is not over its time of 4 s."""
    running = sandbox.start({"op": "kernel.run", "timeout_ms": 4000, "code":
                             "open('/tmp/began', 'w')\nimport time\n"
                             "for _ in range(20): time.sleep(0.1)\n'whole'"})
    until_running(sandbox)
    sandbox.freeze()
    time.sleep(3)
    assert not running.done()
    sandbox.freeze(False)
    answer = running.result(20)
    assert text_of(answer) == "'whole'" and "timed_out" not in answer.end


def test_data_for_a_call_that_has_to_wait_is_not_lost(driver):
    """The bytes of an import come at once; the kernel that they are for may still be on its way, or
    at work."""
    source = driver.create()
    source.python("x = list(range(10_000))")
    exported = call(source, "export")
    for context in ("not-there-yet", "busy"):
        other = driver.create()
        if context == "busy":
            running = other.start({"op": "kernel.run", "code": "import time; time.sleep(.5)", "context": context})
        request = {"op": "kernel.call", "context": context, "request": {"op": "import"}}
        answer = other.start(request, data=exported["data"]).result(timeout=20)
        assert answer["end"]["kernel"]["imported"] == ["x"], answer
        assert other.python("print(len(x))", context=context).out == "10000\n"
        if context == "busy":
            running.result(timeout=20)
        other.destroy()
    source.destroy()


_KERNEL = """
import sys
_frame = sys._getframe()
while _frame.f_code.co_name != "serve":
    _frame = _frame.f_back
_kernel = _frame.f_locals["self"]
"""


def test_the_usual_start_is_rehearsed_and_another_one_is_not(driver):
    """The zygote guesses the environment of most kernels. If the guess became wrong, nothing would
    break, and every create would be slower. Whether it was guessed or not, a kernel has the
    environment, the folder and the search path that it was started with."""
    look = _KERNEL + """
import os
print(_kernel.started_as_rehearsed, os.getcwd(), sys.path[0] == "", os.environ.get("TZ"),
      os.environ["ATOLL_RUN"], os.environ.get("MPLCONFIGDIR"), os.environ.get("OMP_NUM_THREADS"),
      os.environ.get("CHOSEN"), any(".local/lib/python" in p for p in sys.path))"""
    usual, other = driver.create(), driver.create(env={"CHOSEN": "here"})
    assert usual.python(look).out == "True /session True None kernel-default None None None True\n"
    assert usual.python(look, context="b").out == (
        "False /session True None kernel-b None None None True\n")
    assert other.python(look).out == "False /session True None kernel-default None None here True\n"
    usual.destroy()
    other.destroy()


def test_the_libraries_of_the_zygote_are_gathered(driver):
    """Where the Linux kernel can make huge pages on request (6.1), a zygote with two hundred
    libraries has few mappings, and code in a fork works from where it was put."""
    release = tuple(int(part) for part in platform.release().split(".")[:2])
    if release < (6, 1) or not Path("/sys/kernel/mm/transparent_hugepage").exists():
        pytest.skip("this Linux kernel makes no huge pages on request")
    maps = Path(f"/proc/{driver.info()['zygote_pid']}/maps").read_text().splitlines()
    assert len(maps) < 300
    sandbox = driver.create()
    code = "import scipy.linalg, numpy\nprint(scipy.linalg.det(numpy.eye(3) * 2))"
    assert sandbox.python(code).out == "8.0\n"
    sandbox.destroy()
