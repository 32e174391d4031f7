"""Goal: what is written leaves at once, in order, once, and output works again in the next run."""

import time

import pytest


def test_text_without_a_newline_leaves_at_once(kernel):
    kernel.send("q", {"op": "run", "code": "import time\nprint('.', end='')\ntime.sleep(1.5)"})
    time.sleep(0.7)
    assert bytes(kernel.output[1]) == b"."
    assert kernel.answer().status == "ok"


def test_python_c_code_and_children_keep_their_order(kernel):
    code = """import os, sys, subprocess
print('python', end=' ')
os.write(1, b'descriptor ')
subprocess.run(['printf', 'child '])
sys.stdout.buffer.write(b'buffer ')
sys.stdout.write('end')"""
    assert kernel.run(code).out == "python descriptor child buffer end"
    libc = "import ctypes\nctypes.CDLL(None).printf(b'from libc')\nNone"
    assert kernel.run(libc).out == "from libc"


def test_the_stream_is_a_proper_file(kernel):
    code = "import sys; (sys.stdout.fileno(), sys.stdout.isatty(), sys.stdout.encoding, sys.stdout.writable(), sys.stderr.fileno())"
    assert kernel.run(code).text == "(1, False, 'utf-8', True, 2)"
    assert kernel.run("print('lone \\ud800 surrogate ☃')").out == "lone \\ud800 surrogate ☃\n"
    assert kernel.run("import sys; print('e', file=sys.stderr)").err == "e\n"
    assert len(kernel.run("print('x' * 1_000_000)").out) == 1_000_001


def test_forked_children_do_not_repeat_text(kernel):
    code = "import os, sys\nprint('before', end='')\nif os.fork() == 0:\n    os._exit(0)\nos.wait()\nprint('after')"
    assert kernel.run(code).out == "beforeafter\n"
    code = "from multiprocessing import get_context\nwith get_context('fork').Pool(2) as pool:\n    r = pool.map(abs, [-1, -2])\nr"
    assert kernel.run(code).text == "[1, 2]"
    assert (
        kernel.run(
            "import os\nif os.fork() == 0:\n    raise SystemExit(5)\nos.waitstatus_to_exitcode(os.wait()[1])"
        ).text
        == "5"
    )


@pytest.mark.parametrize(
    "damage",
    [
        "import sys; sys.stdout.close(); sys.stderr.close()",
        "import os; os.close(1); os.close(2)",
        "import sys; sys.stdout = None",
        "import sys; del sys.stdout",
        "import sys; f = sys.stdout.detach()",
        "import sys, io; sys.stdout = io.StringIO(); sys.stdout.close()",
        "import os; os.dup2(os.open('/dev/null', os.O_WRONLY), 1)",
        "import io, sys; sys.stdout = io.StringIO(); raise ValueError",
        "import io, sys, gc; io.TextIOWrapper(sys.stdout.buffer); gc.collect()",
        "import os; os.set_blocking(1, False)",
        "import sys; sys.stdout.reconfigure(write_through=False)",
        "import sys; sys.stdout = 5",
    ],
)
def test_output_is_restored_in_the_next_run(kernel, damage):
    kernel.run(damage)
    answer = kernel.run("import sys\nprint('back')\nprint('err', file=sys.stderr)\n1")
    assert (answer.out, answer.err, answer.text) == ("back\n", "err\n", "1")


def test_a_redirection_on_purpose_stays(kernel):
    kernel.run("import io, sys; sys.stdout = io.StringIO()")
    assert kernel.run("print('kept')").out == ""
    assert (
        kernel.run("text = sys.stdout.getvalue(); sys.stdout = sys.__stdout__; text").text
        == "'kept\\n'"
    )


def test_a_full_non_blocking_pipe_loses_nothing(kernel):
    code = "import os\nos.set_blocking(1, False)\nprint('y' * 3_000_000)\nos.set_blocking(1, True)"
    answer = kernel.run(code)
    assert answer.status == "ok" and len(answer.out) == 3_000_001
