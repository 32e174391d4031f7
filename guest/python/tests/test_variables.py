"""Goal: listing never runs expensive or user code; what is exported comes back as it was, and what
cannot be is named."""

import json
import struct

import pytest


def described(kernel, **page):
    done = kernel.ask("variables", **page).done
    return {item["name"]: item for item in done["variables"]}, done


def test_lists_the_users_names_only(kernel):
    kernel.run("a = 1\nb = [1, 2]\n_mine = 3\nimport json\ndef f(x, y=1): pass\nclass C: pass\n5")
    items, done = described(kernel)
    assert list(items) == ["a", "b", "_mine", "json", "f", "C"] and done["total"] == 6
    assert items["a"]["type"] == "int" and items["a"]["preview"] == "1"
    assert items["b"]["preview"] == "[1, 2]" and items["f"]["preview"] == "f(x, y)"
    items, done = described(kernel, offset=1, limit=2)
    assert list(items) == ["b", "_mine"] and done["total"] == 6


def test_arrays_and_frames(kernel):
    pytest.importorskip("pandas")
    kernel.run(
        "import numpy as np, pandas as pd\nn = np.zeros((1000, 3))\nd = pd.DataFrame({'a': range(100), 'b': 1.5})\ns = d.a\nt = np.int64(5)"
    )
    items, _ = described(kernel)
    assert items["n"]["shape"] == [1000, 3] and items["n"]["size"] == 24000
    assert items["d"]["shape"] == [100, 2] and items["d"]["size"] >= 1600
    assert "100 rows × 2 columns: 'a', 'b'" in items["d"]["preview"]
    assert items["s"]["shape"] == [100] and items["t"]["preview"] == "5"


def test_previews_are_bounded_and_run_no_user_code(kernel):
    code = """
calls = []
class Slow:
    def __repr__(self): calls.append(1); return 'x'
    __str__ = __len__ = __sizeof__ = __repr__
    @property
    def shape(self): calls.append(2)
    def __getattr__(self, name): calls.append(name); raise AttributeError
slow = Slow(); inside = [slow, {'k': slow}]
class L(list):
    def __repr__(self): calls.append(3); return ''
sub = L([1])
long = 'x' * 10**8; big = list(range(10**6)); number = 10**100000
deep = []
for _ in range(5000): deep = [deep]
loop = []; loop.append(loop)
many = {i: i for i in range(10**5)}
"""
    kernel.run(code)
    items, _ = described(kernel)
    assert all(len(item["preview"]) <= 200 for item in items.values())
    assert kernel.run("calls").text == "[]"
    assert "1000000 items" in items["big"]["preview"] and "bits" in items["number"]["preview"]


def test_thousands_of_names_come_in_pages(kernel):
    kernel.run("for i in range(3000): globals()[f'name_{i}'] = 'v' * 300")
    seen, offset = set(), 0
    while True:
        items, done = described(kernel, offset=offset)
        assert len(json.dumps(done)) < 262_144
        if not items:
            break
        seen |= set(items)
        offset += len(items)
    assert len(seen) == done["total"] == 3001


def move(first, second, names=None):
    exported = first.ask("export", **({"names": names} if names else {}))
    return exported, second.import_container(exported.data)


@pytest.fixture
def other(tmp_path_factory):
    from conftest import start_kernel, stop_kernel

    client = start_kernel(tmp_path_factory.mktemp("other"))
    yield client
    stop_kernel(client)


def test_everything_comes_back(kernel, other):
    pytest.importorskip("cloudpickle")
    pytest.importorskip("pandas")
    kernel.run(
        """
import numpy as np, pandas as pd, math
from collections import Counter
n = 5; text = 'é'; nested = {'a': [1, (2, 3)], 'c': Counter('aab')}
array = np.arange(100_000.); frame = pd.DataFrame({'a': range(1000), 'b': ['x'] * 1000}); strided = array[::2]
same = frame
rate = 2
def times(x, k=3): return x * rate * k
def make():
    count = 0
    def step():
        nonlocal count
        count += 1
        return count
    return step
step = make(); step()
def fact(n): return 1 if n < 2 else n * fact(n - 1)
class Point:
    def __init__(self, x): self.x = x
    def scaled(self): return self.x * rate
    def both(self): return super().__repr__()
class Sub(Point): pass
p = Sub(4)
square = lambda v: v ** 2
"""
    )
    exported, imported = move(kernel, other)
    assert exported.done["failed"] == [] and imported.done["failed"] == []
    names = exported.done["exported"]
    assert imported.done["imported"] == names and {"np", "frame", "Point", "step"} <= set(names)
    for event, name in zip(exported.of("variable"), names):
        assert event["name"] == name and event["bytes"] > 0
    assert sum(e["bytes"] for e in exported.of("variable")) == len(exported.data)
    kinds = {e["name"]: e["kind"] for e in exported.of("variable")}
    assert (kinds["np"], kinds["frame"], kinds["same"]) == ("module", "pickle", "alias")
    assert (
        other.run("(n, text, nested, math.pi > 3)").text
        == "(5, 'é', {'a': [1, (2, 3)], 'c': Counter({'a': 2, 'b': 1})}, True)"
    )
    assert (
        other.run("(float(array.sum()), frame.shape, strided.shape, same is frame)").text
        == "(4999950000.0, (1000, 2), (50000,), True)"
    )
    assert other.run("array[0] = 7\nfloat(array[0])").text == "7.0"  # writable
    assert (
        other.run("rate = 10\n(times(1), p.scaled(), step(), fact(5), square(3))").text
        == "(30, 40, 2, 120, 9)"
    )
    assert (
        other.run("(isinstance(p, Point), type(p) is Sub, 'Sub' in p.both())").text
        == "(True, True, True)"
    )


def test_what_cannot_be_exported_is_named_with_the_reason(kernel, other):
    kernel.run(
        "import threading, types\nlock = threading.Lock()\ngen = (i for i in [1])\nfile = open('/dev/null')\nok = 1\nmade = types.ModuleType('made')\nclass Bad:\n    def __reduce__(self): raise SystemExit('no')\nbad = Bad()"
    )
    exported, imported = move(kernel, other)
    failed = {item["name"]: item for item in exported.done["failed"]}
    assert set(failed) == {"lock", "gen", "file", "made", "bad"}
    assert "pickle" in failed["lock"]["reason"] and failed["gen"]["type"] == "generator"
    assert "ok" in imported.done["imported"]
    missing = kernel.ask("export", names=["ok", "nothing"])
    assert missing.done["exported"] == ["ok"] and missing.done["failed"][0]["name"] == "nothing"


def test_names_that_are_no_text_are_named_escaped(kernel, other):
    code = r"""
class Key:
    def __repr__(self): raise RuntimeError('never asked')
    def __hash__(self): return 1
g = globals()
g['\udcff'] = 1; g['a\ud800b'] = 2; g[5] = 3; g[b'x' * 1000] = 4; g[None] = 5; g[Key()] = 6; g[10**9999] = 7
kept = 8; del g
"""
    kernel.run(code)
    items, done = described(kernel)
    assert list(items) == ["Key", "kept"] and done["total"] == 2
    answer = kernel.ask("export")
    assert answer.done["exported"] == ["Key", "kept"]
    names = [one["name"] for one in answer.done["failed"]]
    assert names[:3] == ["\\udcff", "a\\ud800b", "5"] and names[4] == "None" and len(names) == 7
    assert names[3].startswith("b'xxx") and len(names[3]) < 200
    assert names[5] == "<a name of type Key>" and names[6] == "<a name of type int>"
    assert all("name" in one["reason"] for one in answer.done["failed"])


def test_import_survives_what_does_not_load_and_what_is_damaged(kernel, other):
    (kernel.folder / "only_here.py").write_text("class T: pass\n")
    kernel.run("import only_here\nt = only_here.T()\nz = 1")
    exported, imported = move(kernel, other)
    assert {f["name"] for f in imported.done["failed"]} == {"only_here", "t"}
    assert all("only_here" in f["reason"] for f in imported.done["failed"])
    assert imported.done["imported"] == ["z"]
    for damaged in (
        exported.data[:-3],
        b"\xff" * 100,
        struct.pack("<I", 5) + b"[1,2]",
        exported.data + b"\x01",
    ):
        answer = other.import_container(damaged)
        assert "damaged" in answer.done["error"]
        assert other.run("1+1").text == "2"
    huge = json.dumps(
        {
            "name": "h",
            "type": "x",
            "kind": "pickle",
            "bytes": 1 << 50,
            "pickle": 1 << 50,
            "buffers": [],
        }
    ).encode()
    assert "damaged" in other.import_container(struct.pack("<I", len(huge)) + huge).done["error"]
    assert other.import_container(b"").done["imported"] == []


def test_large_arrays_travel_without_a_second_copy(kernel, other):
    pytest.importorskip("numpy")
    kernel.run(
        "import numpy as np, resource\nbig = np.ones(25_000_000)\npeak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss"
    )
    exported, imported = move(kernel, other, ["big"])
    assert len(exported.data) > 200_000_000 and imported.done["imported"] == ["big"]
    grown = int(kernel.run("resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak").text)
    assert grown < 60_000  # KiB; the array has 195,000
    assert other.run("float(big.sum())").text == "25000000.0"


def test_completion_and_inspection(shared):
    shared.run("alpha_beta = {'key_one': 1}\nimport os")
    done = shared.ask("complete", code="alpha_", cursor=6).done
    assert done["matches"] == ["alpha_beta"] and (done["start"], done["end"]) == (0, 6)
    done = shared.ask("complete", code="x = os.pat", cursor=10).done
    assert any(match.endswith("path") for match in done["matches"]) and done["end"] == 10
    assert shared.ask("complete", code="zzz_nothing", cursor=11).done["matches"] == []
    assert shared.ask("complete", code="alpha_beta['key", cursor=15).done["matches"]
    found = shared.ask("inspect", code="len(", cursor=3).done
    assert found["found"] and "number of items" in found["text"]
    shared.run("def documented():\n    'Says things.'\n    return 41")
    assert "return 41" in shared.ask("inspect", code="documented", cursor=4, detail=1).done["text"]
    assert shared.ask("inspect", code="zzz", cursor=1).done["found"] is False
