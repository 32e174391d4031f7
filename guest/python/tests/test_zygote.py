"""Goal: a fork of the zygote is a kernel of its own: ready, unlike its siblings, without a trace of
what the zygote did; and a zygote that cannot serve says why."""

import time

import pytest

pytest.importorskip("pandas")


def test_forks_kernels_that_have_the_packages(make_zygote):
    zygote = make_zygote(["pandas", "matplotlib"])
    kernel = zygote.fork()
    assert kernel.run("import sys; 'pandas' in sys.modules").text == "True"
    assert (
        kernel.run("import pandas as pd\npd.DataFrame({'a': [1, 2]}).a.sum()").text == "np.int64(3)"
    )
    plot = kernel.run("import matplotlib.pyplot as plt\nplt.plot([1, 2]);")
    assert "image/png" in plot.of("display")[0]["data"]
    image = kernel.run("from PIL import Image\nImage.new('RGB', (2, 2)).show()")
    assert "image/png" in image.of("display")[0]["data"]


def test_a_new_kernel_shows_no_trace_of_the_warm_up(make_zygote):
    kernel = make_zygote(["pandas", "matplotlib", "seaborn"]).fork()
    assert kernel.ask("variables").done["variables"] == []
    first = kernel.run(
        "[len(In), len(Out), _, __, 'pd' in globals(), sorted(k for k in globals() if k[:2] == '_i')]"
    )
    assert first.done["execution_count"] == 1
    assert first.text == "[2, 0, '', '', False, ['_i', '_i1', '_ih', '_ii', '_iii']]"
    clean = "import sys, linecache\n[hasattr(sys, 'last_value'), [n for n in linecache.cache if n.startswith('<ipython')].__len__()]"
    assert kernel.run(clean).text == "[False, 2]"
    assert kernel.run("import matplotlib.pyplot as plt; plt.get_fignums()").text == "[]"
    assert bytes(kernel.output[1]) == b"" and bytes(kernel.output[2]) == b""


def test_warm_leaves_no_trace_and_the_next_cell_counts_from_one(make_zygote):
    kernel = make_zygote(["pandas"]).fork()
    warm = kernel.ask("warm")
    assert warm.status == "ok" and warm.events == [] and warm.out == ""
    assert kernel.ask("variables").done["variables"] == []
    first = kernel.run("(len(In), len(Out), _)")
    assert (first.done["execution_count"], first.text) == (1, "(2, 0, '')")


RANDOM = {
    "random": "import random; random.random()",
    "numpy": "import numpy; numpy.random.rand()",
    "openssl": "import ssl; ssl.RAND_bytes(8)",
    "uuid": "import uuid; uuid.uuid4(), uuid.uuid1()",
    "tempfile": "import tempfile; tempfile.mktemp()",
}


def test_siblings_draw_different_numbers(make_zygote):
    zygote = make_zygote(["numpy", "ssl", "uuid", "tempfile", "pandas"])
    kernels = [zygote.fork() for _ in range(3)]
    kernels[0].ask("warm")
    for name, code in RANDOM.items():
        drawn = {kernel.run(code).text for kernel in kernels}
        assert len(drawn) == 3, name


def test_the_environment_is_the_sessions(make_zygote, tmp_path):
    kernel = make_zygote(["numpy"]).fork()
    code = "import os, sys; [os.environ.get('OPENBLAS_NUM_THREADS'), os.getcwd(), sys.path[0], os.environ['HOME']]"
    assert eval(kernel.run(code).text) == [None, str(tmp_path), "", str(tmp_path)]
    (tmp_path / "mine.py").write_text("value = 41")
    assert kernel.run("import mine; mine.value").text == "41"
    assert kernel.run("[p for p in sys.path if 'guest' in p]").text == "[]"


def test_idle_interrupt_is_swallowed_by_the_library_link(make_zygote):
    kernel = make_zygote().fork()
    kernel.interrupt().join()
    time.sleep(0.1)
    assert kernel.run("1+1").text == "2"
    kernel.interrupt(0.2)
    assert kernel.run("import time; time.sleep(20)").status == "interrupted"


def test_a_user_process_forked_from_the_kernel_cannot_speak_on_the_link(make_zygote):
    kernel = make_zygote().fork()
    code = "import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\ndisplay('x')\npid > 0"
    answer = kernel.run(code)
    assert answer.kinds() == ["display", "result"] and answer.text == "True"
    assert "'x'" in answer.out  # the child's display is seen as text
    assert kernel.run("2").text == "2"


@pytest.mark.parametrize(
    "more, code, exit_code, words",
    [
        ({"preload": ["no_such_package"]}, "preload_failed", 3, "no_such_package"),
        ({"library": "/nonexistent/lib.so"}, "library", 5, "/nonexistent/lib.so"),
        ({"preload": ["starts_a_thread"]}, "threads", 4, "busy-thread"),
        ({"preload": ["raises_at_import"]}, "preload_failed", 3, "broken on purpose"),
    ],
)
def test_says_why_it_cannot_serve(make_zygote, tmp_path, more, code, exit_code, words):
    (tmp_path / "starts_a_thread.py").write_text(
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True, name='busy-thread').start()"
    )
    (tmp_path / "raises_at_import.py").write_text("raise RuntimeError('broken on purpose')")
    message, status = make_zygote(isolated=False, **more).failure()
    assert (message["code"], status) == (code, exit_code)
    assert words in message["message"] and "\n" not in message["message"]
