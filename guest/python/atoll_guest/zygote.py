"""The zygote: imports a template's packages, builds a kernel ahead, and forks on request.

    python -I …/atoll_guest/zygote.py CONFIG       a path, or fd:N

    {"library": "/…/libatoll_guest.so", "control_fd": 3, "preload": ["pandas", …], "warm": true}

Forking happens in the library (atoll_zygote_serve), into a sandbox that stands already. Only such a
kernel returns to Python, with the descriptor of its link.

Owns      nothing of a user's: it runs before any session exists, with a clean environment.
Threads   none: a fork copies only the thread that forks, and a lock that another one held would
          stay locked for ever. Checked before serving; a library that starts a pool is named.
If it cannot serve it says why, in one JSON message of type 'e' on the control descriptor
({"event": "error", "code": …, "message": …}), and ends with an exit code of EXIT.
"""

import os
import sys

if __name__ == "__main__" and not __package__:
    # Started by path under -I, which keeps the script's folder out of sys.path.
    _folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(0, _folder)
    from atoll_guest import zygote

    sys.path.remove(_folder)  # a session must find its own modules, not ours
    sys.exit(zygote.main(sys.argv[1:]))

import ctypes
import gc
import importlib
import json
import threading

from .link import GuestLink

EXIT = {"config": 2, "preload_failed": 3, "threads": 4, "library": 5, "internal": 6}

# Numeric libraries start their pools when they are imported, one thread a core. Arrow carries a
# jemalloc that starts a thread of its own, whichever allocator is then used.
_SINGLE_THREADED = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
# Loaded with the kernel, because a first cell or its error would load them otherwise.
_ALWAYS = ("asyncio", "cloudpickle", "decimal", "uuid", "secrets", "tempfile", "subprocess", "csv")


class Failure(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def main(arguments) -> int:
    config = None
    try:
        config = read_config(arguments)
        library = load(config["library"])
        kernel = prepare(config)
        from .kernel import leave

        link = GuestLink(config["library"])
        kernel.rehearse(config["usual_environment"])
        settle(library)
        fd = serve(library, config["control_fd"])
    except Failure as failure:
        return report(config, failure.code, str(failure))
    except Exception as error:
        return report(config, "internal", f"{type(error).__name__}: {error}")
    if fd is None:
        return 0  # the control link closed: the server has gone
    link.adopt(fd)
    kernel.attach(link)
    kernel.serve()
    leave(kernel)
    return 0


def load(path: str):
    try:
        # PyDLL keeps the GIL: the fork must happen while this thread holds it.
        library = ctypes.PyDLL(path)
        library.atoll_zygote_serve.restype = ctypes.c_int
        library.atoll_zygote_serve.argtypes = [ctypes.c_int]
        library.atoll_fill_object_holes.restype = None
        library.atoll_fill_object_holes.argtypes = [ctypes.c_void_p]
        keep_objects_together(library)
        return library
    except (OSError, AttributeError) as error:
        raise Failure("library", f"load the guest library: {error}") from None


class _ArenaAllocator(ctypes.Structure):
    """PyObjectArenaAllocator of Python's C interface."""

    _fields_ = [
        ("context", ctypes.c_void_p),
        ("alloc", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
    ]


def keep_objects_together(library):
    """Before the imports: what they allocate comes to lie where huge pages fit (arenas.hpp)."""
    allocator = _ArenaAllocator(
        None,
        ctypes.cast(library.atoll_arena_alloc, ctypes.c_void_p),
        ctypes.cast(library.atoll_arena_free, ctypes.c_void_p),
    )
    ctypes.pythonapi.PyObject_SetArenaAllocator(ctypes.byref(allocator))


def read_config(arguments) -> dict:
    try:
        place = arguments[0]
        source = int(place[3:]) if place.startswith("fd:") else place
        with open(source, encoding="utf-8") as file:
            config = json.load(file)
        config.setdefault("preload", [])
        config.setdefault("control_fd", 3)
        config.setdefault("warm", True)
        config["library"] = str(config["library"])
        return config
    except (IndexError, KeyError, ValueError, TypeError, OSError) as error:
        raise Failure(
            "config", f"read the configuration: {type(error).__name__}: {error}"
        ) from None


def usual_environment(own) -> dict:
    """What most kernels are started with: what the zygote was, as a kernel gets it from its guest
    (Kernel::post_start). If it is another one, a start takes longer, and nothing else changes."""
    usual = {name: value for name, value in own.items() if name != "MPLCONFIGDIR"}
    usual["ATOLL_RUN"] = "kernel-default"
    return usual


def prepare(config):
    config["usual_environment"] = usual_environment(os.environ)
    os.environ.update(_SINGLE_THREADED)
    from . import display

    display.use_inline_figures(os.environ)
    preload(config["preload"])
    from . import kernel, reseed, warm

    built = kernel.Kernel()
    for name in _ALWAYS:
        try:
            importlib.import_module(name)
        except ImportError:
            pass  # cloudpickle is not in every environment
    if config["warm"]:
        # Twice: the first pass initialises, the second settles caches that the first one grew.
        warm.warm(built)
        warm.warm(built)
        warm.specialise(built)
    reseed.find_numpy_state()
    check_single_threaded()
    return built


def preload(names):
    for name in names:
        try:
            importlib.import_module(name)
            if name == "matplotlib":
                importlib.import_module("matplotlib.pyplot")
        except ImportError as error:
            message = f"preload {name}: {error}"
            raise Failure("preload_failed", message.replace("\n", " ")) from None
        except Exception as error:
            message = f"preload {name}: {type(error).__name__}: {error}"
            raise Failure("preload_failed", message.replace("\n", " ")) from None


def check_single_threaded():
    tasks = os.listdir("/proc/self/task")
    if len(tasks) == 1:
        return
    names = []
    for task in tasks:
        if int(task) != os.getpid():
            with open(f"/proc/self/task/{task}/comm", encoding="utf-8", errors="replace") as file:
                names.append(file.read().strip())
    python = [t.name for t in threading.enumerate() if t is not threading.main_thread()]
    raise Failure(
        "threads",
        f"{len(tasks) - 1} threads besides the main one: {', '.join(sorted(names))}"
        + (f"; started by Python: {', '.join(python)}" if python else "; started by a C library"),
    )


def settle(library):
    """Frozen objects are in no generation that a collection walks, so a collection in a fork does
    not write to (and so copy) the pages of everything that was imported."""
    gc.collect()
    gc.freeze()
    library.atoll_fill_object_holes(
        ctypes.cast(ctypes.pythonapi.PyObject_Malloc, ctypes.c_void_p)
    )


def serve(library, control_fd: int):
    """The kernel's link, in a forked kernel; None in the zygote when the control link closes."""
    # Before, not after, the many forks that follow: this process only forks from here on.
    ctypes.pythonapi.PyOS_BeforeFork()
    after_fork = ctypes.pythonapi.PyOS_AfterFork_Child
    fd = library.atoll_zygote_serve(control_fd)
    if fd < 0:
        ctypes.pythonapi.PyOS_AfterFork_Parent()
        return None
    after_fork()
    return fd


def report(config, code, message) -> int:
    """Framed as on a kernel's link. Written here, because the library may be what is missing."""
    payload = json.dumps({"event": "error", "code": code, "message": message}).encode()
    frame = len(payload).to_bytes(4, "little") + b"e" + payload
    control = (config or {}).get("control_fd", 3)
    try:
        os.write(control, frame)
    except OSError:
        pass
    print(f"zygote: {message}", file=sys.stderr)
    return EXIT.get(code, 1)
