"""Work for measuring what walls cost: run in the directory that is to be written to.

Prints one line of JSON: milliseconds for each part. Standard library only, and the same file for
the bare host and for every sandbox, so that nothing but the walls differs.
"""
import json
import os
import shutil
import sys
import tempfile
import time

MEBI = 1 << 20


def write(path: str) -> None:
    block = os.urandom(MEBI)
    with open(path, "wb", buffering=0) as file:
        for _ in range(200):
            file.write(block)


def read(path: str) -> None:
    total = 0
    with open(path, "rb", buffering=0) as file:
        while chunk := file.read(MEBI):
            total += len(chunk)
    assert total == 200 * MEBI


def small_files(directory: str) -> None:
    for number in range(10_000):
        with open(f"{directory}/{number}", "wb") as file:
            file.write(b"0123456789" * 10)
    for number in range(10_000):
        with open(f"{directory}/{number}", "rb") as file:
            assert len(file.read()) == 100
    for number in range(10_000):
        os.unlink(f"{directory}/{number}")


def timed(function, *arguments) -> float:
    start = time.perf_counter()
    function(*arguments)
    return round((time.perf_counter() - start) * 1000, 2)


directory = tempfile.mkdtemp(dir=sys.argv[1] if len(sys.argv) > 1 else ".")
try:
    large = f"{directory}/large"
    print(json.dumps({
        # Before the large file: while that is written back, the journal makes small ones wait.
        "small_files_10000": timed(small_files, directory),
        "write_200_mb": timed(write, large),
        "read_200_mb": timed(read, large),
    }), flush=True)
finally:
    shutil.rmtree(directory, ignore_errors=True)
