"""One CPU loop and nothing else: run bare and inside by turns, to tell what walls cost a program
that only computes. Prints one line of JSON: milliseconds. Standard library only."""
import json
import time


def cpu() -> None:
    total = 0
    for number in range(3_000_000):
        total += number * number % 7
    assert total > 0


cpu()  # once off the clock: the processor's caches and speed
start = time.perf_counter()
cpu()
print(json.dumps({"cpu_loop": round((time.perf_counter() - start) * 1000, 3)}), flush=True)
