"""Fetches what the peers need: Debian packages, a Python environment, Docker's image.

Idempotent, and quick when there is nothing to do. Standard library only, because it runs before
the environment exists. A peer that cannot be had costs a note, never the run.
"""

import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from . import paths
from .progress import note, say

# What Atoll's default template has: the peers import the same packages in the same versions.
PACKAGES = ["ipython", "pandas", "numpy", "matplotlib", "seaborn", "scipy", "scikit-learn",
            "pyarrow", "openpyxl", "pillow", "requests"]
PEER_PACKAGES = ["jupyter_client", "ipykernel", "jupyter_kernel_gateway", "llm-sandbox[docker]"]
HOOK = Path(__file__).with_name("image_hook.sh")


class Unavailable(Exception):
    """A peer cannot be had here; the text says why."""


def clean_environment() -> dict[str, str]:
    """The environment of everything measured. Without the caller's PYTHON* settings: one of them
    (PYTHONDONTWRITEBYTECODE) would make a peer compile pandas at each start."""
    kept = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "USER", "LOGNAME", "TERM")
    return {key: os.environ[key] for key in kept if key in os.environ}


def _run(command: list, what: str, **options) -> str:
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, **options)
    if done.returncode != 0:
        tail = " | ".join((done.stderr or done.stdout).strip().splitlines()[-3:])
        raise Unavailable(f"{what} failed (status {done.returncode}): {tail}")
    return done.stdout


# --- Debian packages --------------------------------------------------------------------------

def debian_package(program: str, package: str) -> None:
    """Returns once `program` can be run; installs `package` for it when root."""
    search = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    if shutil.which(program, path=search):
        return
    if os.geteuid() != 0:
        raise Unavailable(f"{program} is not installed and only root may install it: "
                          f"apt-get install {package}")
    if not shutil.which("apt-get"):
        raise Unavailable(f"{program} is not installed, and this system has no apt-get")
    say(f"installing {package}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with _no_services():
        for attempt in range(3):
            try:
                if attempt:
                    _run(["apt-get", "update", "-q"], "apt-get update", env=environment)
                _run(["apt-get", "install", "-q", "-y", "--no-install-recommends", package],
                     f"apt-get install {package}", env=environment, timeout=600)
                return
            except (Unavailable, subprocess.TimeoutExpired) as problem:
                say(f"  attempt {attempt + 1} of 3: {problem}")
                last = problem
                time.sleep(2 * attempt)
    raise Unavailable(str(last))


class _no_services:
    """While packages are installed, keeps them from starting daemons: Docker's would make a
    network bridge and firewall rules that nobody asked for."""

    path = Path("/usr/sbin/policy-rc.d")

    def __enter__(self):
        self.made = not self.path.exists()
        if self.made:
            self.path.write_text("#!/bin/sh\nexit 101\n")
            self.path.chmod(0o755)

    def __exit__(self, *_):
        if self.made:
            self.path.unlink(missing_ok=True)


# --- Python -----------------------------------------------------------------------------------

@functools.cache
def uv() -> str:
    ours = paths.REPOSITORY / ".tools" / "uv" / "bin" / "uv"
    found = str(ours) if ours.exists() else shutil.which("uv")
    if found:
        return found
    own = paths.TOOLS / "uv"
    if not (own / "bin" / "uv").exists():
        say("installing uv")
        _run([sys.executable, "-m", "venv", own], "making an environment for uv")
        _run([own / "bin" / "pip", "install", "-q", "uv"], "installing uv")
    return str(own / "bin" / "uv")


def frozen(python: Path | None) -> list[str]:
    """The template's packages with their versions, or the plain list without a template."""
    if python is None:
        return PACKAGES
    listing = _run([uv(), "pip", "freeze", "--python", python], f"listing packages of {python}")
    pinned = [line for line in listing.splitlines() if "==" in line]
    names = {line.split("==")[0].lower() for line in pinned}
    missing = [name for name in PACKAGES if name not in names]
    if missing:
        note(f"{python} lacks {', '.join(missing)}: its numbers are for fewer packages")
    return sorted(pinned)


def chosen_python(asked: str | None) -> Path | None:
    """The interpreter whose packages every peer copies; None when there is none yet."""
    if asked:
        path = Path(asked)
        if not os.access(path, os.X_OK):
            raise SystemExit(f"bench/run: --python {asked}: not an executable file")
        return path.absolute()
    default = paths.template_python()
    return default if default.exists() else None


def modules_compiled_at_import(command: list, environment: dict | None = None) -> int:
    """How many modules of the first result `command` (an interpreter) compiles from source. Asked
    of the interpreter itself: a bytecode file that is there may still be stale and be ignored."""
    done = subprocess.run([*map(str, command), "-v", "-c",
                           "import pandas, matplotlib.pyplot, seaborn"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env={**clean_environment(), **(environment or {})})
    if done.returncode != 0:
        raise Unavailable(f"{command[0]} cannot import pandas, matplotlib and seaborn: "
                          + " | ".join(done.stderr.strip().splitlines()[-2:]))
    return sum(line.startswith("# code object from '") and line.endswith(".py'")
               for line in done.stderr.splitlines())


def compiled(python: Path) -> None:
    """Best configuration for the peers: no start of theirs compiles a module."""
    if modules_compiled_at_import([python]) == 0:
        return
    say(f"compiling the bytecode of {python}")
    library = _run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
                   "asking for site-packages").strip()
    subprocess.run([str(python), "-m", "compileall", "-q", "-j0", library],
                   capture_output=True, env=clean_environment())
    left = modules_compiled_at_import([python])
    if left:
        note(f"{python} compiles {left} modules at each start: its numbers are too slow")


def peers_environment(python: Path | None) -> Path:
    """An environment with the template's packages plus the peers' own; returns its python."""
    wanted = frozen(python) + PEER_PACKAGES
    base = sys.executable
    if python is not None:
        base = _run([python, "-c", "import sys; print(sys._base_executable)"],
                    "asking for the base interpreter").strip()
    stamp = paths.TOOLS / "env.json"
    state = json.dumps([base, wanted])
    interpreter = paths.ENVIRONMENT / "bin" / "python"
    if interpreter.exists() and stamp.exists() and stamp.read_text() == state:
        return interpreter
    say(f"making the peers' Python environment ({len(wanted)} packages)")
    paths.TOOLS.mkdir(parents=True, exist_ok=True)
    (paths.TOOLS / ".gitignore").write_text("*\n")
    stamp.unlink(missing_ok=True)
    shutil.rmtree(paths.ENVIRONMENT, ignore_errors=True)
    _run([uv(), "venv", "-q", "--python", base, paths.ENVIRONMENT], "uv venv")
    for attempt in range(3):
        try:
            _run([uv(), "pip", "install", "-q", "--compile-bytecode", "--python", interpreter,
                  *wanted], "installing the peers' packages", timeout=900)
            break
        except Unavailable as problem:
            if attempt == 2:
                raise
            say(f"  attempt {attempt + 1} of 3: {problem}")
            time.sleep(2 + 4 * attempt)
    stamp.write_text(state)
    return interpreter


# --- Docker's image ---------------------------------------------------------------------------

def image_archive(packages: list[str]) -> tuple[Path, str]:
    """A root file system with Python and the packages, as a tar file and its short key."""
    suite = _os_release().get("VERSION_CODENAME")
    if not suite:
        raise Unavailable("/etc/os-release names no release to build an image of")
    key = hashlib.sha256(json.dumps([suite, packages, HOOK.read_text()]).encode()).hexdigest()[:12]
    archive = paths.TOOLS / f"image-{key}.tar"
    if archive.exists():
        return archive, key
    debian_package("mmdebstrap", "mmdebstrap")
    if os.geteuid() != 0:
        raise Unavailable("the image is built by root only")
    say(f"building Docker's image: {suite} with {len(packages)} Python packages (1–3 minutes)")
    requirements = paths.TOOLS / "image-requirements.txt"
    requirements.write_text("\n".join(packages) + "\n")
    partial = archive.with_suffix(".partial.tar")
    environment = {**clean_environment(), "BENCH_UV": uv(),
                   "BENCH_REQUIREMENTS": str(requirements)}
    for name in ("UV_INDEX_URL", "UV_DEFAULT_INDEX", "PIP_INDEX_URL", "SSL_CERT_FILE",
                 "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "NO_PROXY"):
        if name in os.environ:
            environment[name] = os.environ[name]
    for attempt in range(2):
        try:
            _run(["mmdebstrap", "--mode=root", "--variant=minbase",
                  "--include=python3,ca-certificates", f"--customize-hook={HOOK} \"$1\"",
                  suite, partial], "mmdebstrap", env=environment, timeout=900)
            break
        except Unavailable:
            if attempt:
                raise
            say("  once more")
    for old in paths.TOOLS.glob("image-*.tar"):
        if old != partial:
            old.unlink()
    partial.rename(archive)
    return archive, key


def _os_release() -> dict[str, str]:
    fields = (line.partition("=") for line in Path("/etc/os-release").read_text().splitlines())
    return {key: value.strip('"') for key, _, value in fields}
