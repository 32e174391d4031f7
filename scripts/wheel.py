"""Packs the wheel that carries the server: wheel.py BUILD SCRATCH FOLDER.

It is the client's own wheel (sdk/python, packed by hatchling) and, in the place for data, which pip
puts below the environment's prefix:

    bin/atoll             a few lines of shell, which find the program
    libexec/atoll/atoll   the program, with guest/ and share/ beside it as in a build
    libexec/atoll/lib/    each shared library that it needs and that is not part of glibc
    share/                completions for shells

The program finds its libraries by its run path, so nothing is set and nothing of the system's is
taken but glibc. auditwheel must find no other library, and no newer glibc than the tag says.
"""

import base64
import hashlib
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLIENT = ROOT / "sdk/python"
UV = "uv<1,>=0.13"  # makes templates at run time; .tools has one of these, too
# Whatever of glibc a program may need. The rest comes along.
GLIBC = re.compile(r"(linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|resolv|util|anl|mvec)\.so)")
# Debian's packages of what is compiled or linked into the programs; those of the shared libraries
# are found by themselves.
LINKED = ["libarchive-dev", "nettle-dev", "zlib1g-dev", "libbz2-dev", "liblzma-dev", "libzstd-dev",
          "libc6-dev", "libcli11-dev", "libhnswlib-dev"]
LINKED_PATTERNS = [r"libboost1\.[0-9]+-dev", r"libstdc\+\+-[0-9]+-dev"]
LAUNCHER = """#!/bin/sh
# Finds the program from here, also through links to here.
self=$(readlink -f -- "$0")
exec "${self%/*/*}/libexec/atoll/atoll" "$@"
"""
SHELLS = {  # where each looks for completions below a prefix
    "bash": "bash-completion/completions/atoll",
    "zsh": "zsh/site-functions/_atoll",
    "fish": "fish/vendor_completions.d/atoll.fish",
}
# The oldest time that a zip file knows: the same files make the same wheel.
TIME = (1980, 1, 1, 0, 0, 0)


def run(*words: object, cwd: Path = ROOT) -> str:
    ran = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"error: {' '.join(map(str, words))}: {ran.stdout}{ran.stderr}")
    return ran.stdout


def copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755 if os.access(source, os.X_OK) else 0o644)


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def libraries_of(program: Path) -> dict[str, Path]:
    """Name and file of each shared library that it would load here, glibc's left out. The program
    is ours, so the loader may be asked."""
    found = {}
    for line in run("ldd", program).splitlines():
        name, _, rest = line.strip().partition(" => ")
        if "not found" in rest:
            sys.exit(f"error: {program} needs {name}, which this machine does not have")
        if rest and not GLIBC.match(name):
            found[name] = Path(rest.split(" (")[0])
    return found


def package_of(library: Path) -> str:
    """Which Debian package a library is from. dpkg may know it below /lib or /usr/lib."""
    real = str(library.resolve())
    for path in (real, real.removeprefix("/usr")):
        ran = subprocess.run(["dpkg-query", "-S", path], capture_output=True, text=True)
        if ran.returncode == 0:
            return ran.stdout.split(":")[0]
    sys.exit(f"error: no Debian package brings {library}, so its licence is unknown")


def linked_packages() -> list[str]:
    installed = run("dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\n").splitlines()
    names = [line.split()[1] for line in installed if line.startswith("installed ")]
    by_pattern = [n for n in names if any(re.fullmatch(p, n) for p in LINKED_PATTERNS)]
    return [name for name in LINKED if name in names] + by_pattern


def add_server(build: Path, at: Path) -> set[str]:
    """Fills libexec/atoll; returns the packages of the libraries in lib/."""
    copy(build / "atoll", at / "atoll")
    for folder in ("guest", "share"):
        for path in sorted((build / folder).rglob("*")):
            parts = path.relative_to(build).parts
            if not path.is_file() or "CMakeFiles" in parts or "__pycache__" in parts:
                continue
            if path.suffix in {".a", ".cmake", ".stamp"} or path.name.startswith("CTest"):
                continue
            copy(path, at.joinpath(*parts))
    for path in sorted(at.rglob("*")):
        if path.is_file() and is_elf(path) and path.name != "bun":  # bun's code is behind its end
            run("strip", "--strip-unneeded", path)
    for inside in (at / "guest").rglob("*"):
        if inside.is_file() and is_elf(inside) and (others := libraries_of(inside)):
            sys.exit(f"error: {inside.name} runs in sandboxes, which may lack {', '.join(others)}; "
                     "install what ./scripts/setup names, remove build/release and build again")
    packages = set()
    for name, source in sorted(libraries_of(build / "atoll").items()):
        copy(source, at / "lib" / name)
        (at / "lib" / name).chmod(0o755)  # a library that is a program to unzip stays readable
        run("patchelf", "--set-rpath", "$ORIGIN", at / "lib" / name)
        packages.add(package_of(source))
    run("patchelf", "--set-rpath", "$ORIGIN/lib", at / "atoll")
    return packages


def add_licences(packages: set[str], at: Path) -> None:
    copy(ROOT / "LICENSE", at / "LICENSE")
    for package in sorted(packages):
        source = Path("/usr/share/doc") / package / "copyright"
        if not source.exists():
            sys.exit(f"error: {source} is missing; the wheel has to bring it along")
        copy(source, at / "third-party" / package)


def edit_metadata(info: Path, tag: str, licences: list[str]) -> None:
    metadata: Message = Parser().parsestr((info / "METADATA").read_text())
    metadata["Requires-Dist"] = UV
    for name in licences:
        metadata["License-File"] = name
    (info / "METADATA").write_text(metadata.as_string())
    wheel: Message = Parser().parsestr((info / "WHEEL").read_text())
    wheel.replace_header("Root-Is-Purelib", "false")
    wheel.replace_header("Tag", tag)
    (info / "WHEEL").write_text(wheel.as_string())


def write_zip(stage: Path, info: str, target: Path) -> None:
    """All files, and last their list with hashes. A name with .part until it is complete."""
    part = target.with_name(target.name + ".part")
    record = []

    def add(archive: zipfile.ZipFile, name: str, content: bytes, mode: int) -> None:
        entry = zipfile.ZipInfo(name, TIME)
        entry.external_attr = (stat.S_IFREG | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, content)

    with zipfile.ZipFile(part, "w", compresslevel=9) as archive:
        files = [path for path in stage.rglob("*") if path.is_file()]
        for path in sorted(files, key=lambda p: (info in str(p), str(p))):
            name = path.relative_to(stage).as_posix()
            if name == f"{info}/RECORD":
                continue
            content = path.read_bytes()
            add(archive, name, content, 0o755 if os.access(path, os.X_OK) else 0o644)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            record.append(f"{name},sha256={digest.decode()},{len(content)}")
        record.append(f"{info}/RECORD,,")
        add(archive, f"{info}/RECORD", "\n".join([*record, ""]).encode(), 0o644)
    part.replace(target)


def check(wheel: Path, tag: str) -> None:
    """auditwheel's verdict. A wheel that it finds fit for an older glibc is fit for ours, too."""
    report = run("auditwheel", "show", wheel)
    found = re.search(r'platform tag:\s+"manylinux_2_(\d+)_', report)
    wanted = re.search(r"manylinux_2_(\d+)_", tag)
    if not found or not wanted or int(found[1]) > int(wanted[1]):
        sys.exit(f"error: auditwheel does not agree with the tag {tag}:\n{report}")
    print(" ".join(report.split()).partition(" The wheel references")[0])


def main(build: Path, scratch: Path, folder: Path) -> None:
    version = tomllib.loads((CLIENT / "pyproject.toml").read_text())["project"]["version"]
    said = run(build / "atoll", "--version").split()
    if said != ["atoll", version]:
        sys.exit(f"error: the client is {version}, the server {' '.join(said)}")
    shutil.rmtree(scratch, ignore_errors=True)
    stage = scratch / "stage"
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", scratch, cwd=CLIENT)
    (pure,) = scratch.glob("*.whl")
    with zipfile.ZipFile(pure) as archive:
        archive.extractall(stage)
    name = f"atoll_sandbox-{version}"
    data, info = stage / f"{name}.data", stage / f"{name}.dist-info"

    packages = add_server(build, data / "data/libexec/atoll")
    launcher = data / "scripts/atoll"
    launcher.parent.mkdir()
    launcher.write_text(LAUNCHER)
    launcher.chmod(0o755)
    for shell, place in SHELLS.items():
        completion = data / "data/share" / place
        completion.parent.mkdir(parents=True)
        completion.write_text(run(build / "atoll", "completion", shell))
    add_licences(packages | set(linked_packages()), info / "licenses")
    (bun,) = (ROOT / ".tools/typescript/node_modules/@oven").glob("bun-linux-*/README.md")
    copy(bun, info / "licenses/third-party/bun")

    libc, glibc = platform.libc_ver()
    if libc != "glibc":
        sys.exit(f"error: a wheel for glibc cannot be built with {libc or 'another libc'}")
    tag = f"py3-none-manylinux_{glibc.replace('.', '_')}_{platform.machine()}"
    licences = sorted(p.relative_to(info / "licenses").as_posix()
                      for p in (info / "licenses").rglob("*") if p.is_file())
    edit_metadata(info, tag, licences)
    wheel = folder / f"{name}-{tag}.whl"
    write_zip(stage, info.name, wheel)
    check(wheel, tag)
    unpacked = sum(path.stat().st_size for path in stage.rglob("*") if path.is_file())
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB, unpacked {unpacked / 1e6:.1f} MB")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
