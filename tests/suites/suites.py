"""Which tests of other projects run, and where a sandbox is known to differ.

The versions are pinned in template.json. Tests that a wheel does not contain come from the source
distribution of the same version (scripts/test fetches it).
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Suite:
    name: str
    passed_min: int  # fewer than this outside: the selection is broken, and equality proves nothing
    paths: tuple[str, ...]  # below site-packages, or below the source distribution
    from_source: bool = False
    options: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()  # of `atoll run`, where the default is too small
    # "file.py::name" (without parameters: all of them) -> why it cannot pass inside
    known: dict[str, str] = field(default_factory=dict)


SUITES = [
    Suite("attrs", 1200, ("tests",), from_source=True),
    Suite("more-itertools", 600, ("tests",), from_source=True),
    Suite("toolz", 150, ("toolz", "tlz")),
    Suite("networkx", 6000, ("networkx",), options=("-m", "not slow")),
    Suite(
        "numpy",
        2000,
        # What touches files, maps memory, uses threads or calls into BLAS.
        (
            "numpy/fft",
            "numpy/linalg",
            "numpy/random",
            "numpy/_core/tests/test_memmap.py",
            "numpy/lib/tests/test__datasource.py",
            "numpy/lib/tests/test_format.py",
            "numpy/lib/tests/test_io.py",
        ),
        options=("-m", "not slow"),
        limits=("--file-size", "6g"),  # test_large_file_support: 5 GB, nearly all of it a hole
    ),
    Suite(
        "pandas",
        4000,
        # Reading and writing; the wheel has no data files, so tests that need them are skipped.
        (
            "pandas/tests/io/formats",
            "pandas/tests/io/json",
            "pandas/tests/io/parser/common",
            "pandas/tests/io/test_common.py",
            "pandas/tests/io/test_compression.py",
            "pandas/tests/io/test_pickle.py",
        ),
        options=("-m", "not slow and not network", "--no-strict-data-files"),
    ),
]
