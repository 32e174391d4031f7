"""Goal: whatever a cell does to the process, the kernel answers the next one."""

import time

import pytest


@pytest.mark.parametrize(
    "code",
    [
        "def f(): return f()\nf()",
        "a = []\nfor _ in range(100_000): a = [a]\na",
        "import builtins\ndel builtins.len, builtins.print, builtins.isinstance, builtins.repr",
        "import builtins\nbuiltins.__dict__.clear()",
        "import builtins\nbuiltins.len = 3\nbuiltins.isinstance = None\nbuiltins.str = 1",
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)",
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_DFL)",
        "import sys\nsys.settrace(lambda *a: 1 / 0)",
        "import sys\nsys.setprofile(lambda *a: None)",
        "import sys\nsys.setrecursionlimit(60)",
        "import gc\ngc.disable(); gc.set_debug(0); gc.collect()",
        "class D:\n    def __del__(self): print('dying'); raise ValueError\nd = D()\ndel d",
        "import sys\nsys.displayhook = None\nsys.excepthook = None",
        "import threading, time\nthreading.Thread(target=lambda: [time.sleep(0.01) for _ in range(50)], daemon=True).start()",
        "%reset -f",
        "globals().clear()",
        "del In, Out, _oh, _ih, get_ipython",
        "import os\nos.rmdir(os.getcwd()) if not os.listdir('.') else None",
        "import warnings\nwarnings.simplefilter('error')",
        "import sys\nsys.modules.pop('json', None); sys.modules.pop('IPython', None)",
        "import logging\nlogging.disable()\nlogging.basicConfig(level='DEBUG')",
        "import asyncio\nasyncio.get_event_loop().close()",
        "import os\nos.environ.clear()",
        "get_ipython().displayhook = None",
        "get_ipython().events.register('post_execute', lambda: 1/0)",
        "get_ipython().user_ns = {}",
        "raise KeyboardInterrupt",
        "raise GeneratorExit",
        "class M(type):\n    def __instancecheck__(c, o): raise ValueError\n    def __repr__(c): raise ValueError\nclass C(metaclass=M): pass\nC",
        "class A:\n    def __getattr__(self, n): raise RuntimeError(n)\nA()",
        "class A:\n    def __getattr__(self, n): return self\n    def __call__(self, *a, **k): return self\nA()",
    ],
)
def test_the_next_cell_works(kernel, code):
    kernel.run(code)
    answer = kernel.run("print('alive')\n20 + 1")
    assert answer.out.startswith("alive\n") and answer.text == "21", answer.err
    kernel.interrupt(0.3)
    start = time.monotonic()
    assert kernel.run("import time\ntime.sleep(20)").status == "interrupted"
    assert time.monotonic() - start < 5
    assert kernel.run("1/0").error["name"] == "ZeroDivisionError"


def test_an_idle_interrupt_is_swallowed(kernel):
    for _ in range(5):
        kernel.interrupt().join()
        time.sleep(0.02)
    assert kernel.run("1+1").text == "2"


def test_deep_recursion_is_reported_within_a_second(kernel):
    kernel.run("1/0")
    start = time.monotonic()
    answer = kernel.run("def f(n): return f(n + 1)\nf(0)")
    assert answer.error["name"] == "RecursionError"
    assert time.monotonic() - start < 1.5


def test_threads_run_between_cells_and_may_display(kernel):
    code = """import threading, time
seen = []
def work():
    for i in range(5):
        time.sleep(0.05)
        seen.append(i)
threading.Thread(target=work).start()"""
    kernel.run(code)
    time.sleep(0.6)
    assert kernel.run("seen").text == "[0, 1, 2, 3, 4]"
    many = """def show():
    for i in range(50): display(i)
threads = [threading.Thread(target=show) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads];"""
    assert len(kernel.run(many).of("display")) == 200


def test_nothing_of_the_users_is_read_at_start(tmp_path):
    from conftest import start_kernel, stop_kernel

    startup = tmp_path / ".ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text("planted = 1")
    (tmp_path / "sitecustomize.py").write_text("import builtins; builtins.planted = 1")
    kernel = start_kernel(tmp_path)
    assert kernel.run("planted").error["name"] == "NameError"
    assert kernel.run("get_ipython().history_manager.enabled").text == "False"
    stop_kernel(kernel)
