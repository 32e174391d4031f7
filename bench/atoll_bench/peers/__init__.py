"""One module a peer. The order is the order in the table."""

from .bwrap import Bubblewrap
from .docker import Docker
from .ipykernel import IPyKernel
from .llm_sandbox import LlmSandbox, LlmSandboxPool
from .python import PlainPython


def chosen(names: list[str], python, peers_python, daemon, packages: list[str]) -> list:
    everything = {
        "python": [PlainPython(python)],
        "bwrap": [Bubblewrap(python)],
        "ipykernel": [IPyKernel(peers_python)],
        "docker": [Docker(daemon, packages)],
        "llm-sandbox": [LlmSandbox(daemon, packages), LlmSandboxPool(daemon, packages)],
    }
    return [peer for name, peers in everything.items() if name in names for peer in peers]
