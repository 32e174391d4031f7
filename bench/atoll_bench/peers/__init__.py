"""One module a peer. The order is the order in the table."""

from .bwrap import Bubblewrap
from .docker import Docker
from .gateway import KernelGateway
from .ipykernel import IPyKernel
from .llm_sandbox import LlmSandbox, LlmSandboxPool
from .nginx import Nginx
from .python import PlainPython


def chosen(names: list[str], python, peers_python, daemon, packages: list[str]) -> list:
    everything = {
        "python": [PlainPython(python)],
        "bwrap": [Bubblewrap(python)],
        "ipykernel": [IPyKernel(peers_python)],
        "docker": [Docker(daemon, packages)],
        "gateway": [KernelGateway(peers_python)],
        "nginx": [Nginx()],
        "llm-sandbox": [LlmSandbox(daemon, packages), LlmSandboxPool(daemon, packages)],
    }
    return [peer for name, peers in everything.items() if name in names for peer in peers]
