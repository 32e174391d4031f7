"""A Docker daemon: the one that runs already, or one of our own for the length of the bench.

Ours keeps everything below .tools/bench/docker and touches no network: no bridge, no firewall
rules, a socket file in place of a port. It is ended by its pid, and with it go its containers.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from . import paths, prepare, process
from .progress import say

SEARCH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
READY_S = 60


class Dockerd:
    """Threads: none. Owns the daemon if it started one."""

    def __init__(self):
        self.process = None
        self.run_directory = None
        self.address = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
        # Debian's client is the one that fits Debian's daemon, where both are there.
        self.client = "/usr/bin/docker" if Path("/usr/bin/docker").exists() else "docker"

    def start(self) -> None:
        if shutil.which(self.client) and self._answers():
            return
        if os.geteuid() != 0:
            raise prepare.Unavailable("no Docker daemon answers, and only root may start one")
        prepare.debian_package("dockerd", "docker.io")
        if not shutil.which(self.client):
            prepare.debian_package("docker", "docker.io")
        say("starting a Docker daemon")
        data = paths.TOOLS / "docker"
        data.mkdir(parents=True, exist_ok=True)
        # Its sockets' paths may have 107 characters: a deep checkout needs another place.
        near = len(str(data)) < 60
        self.run_directory = Path(
            tempfile.mkdtemp(prefix="atoll-bench-", dir=data if near else "/tmp"))
        self.address = f"unix://{self.run_directory}/docker.sock"
        self.log = open(paths.TOOLS / "dockerd.log", "wb")
        self.process = subprocess.Popen(
            [shutil.which("dockerd", path=SEARCH), "--host", self.address,
             "--data-root", str(data / "data"), "--exec-root", str(self.run_directory / "exec"),
             "--pidfile", str(self.run_directory / "docker.pid"),
             "--cgroup-parent", f"/{self.run_directory.name}",
             "--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false",
             "--ip-masq=false", "--userland-proxy=false"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True,
            env={**prepare.clean_environment(), "PATH": SEARCH})
        deadline = time.monotonic() + READY_S
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise prepare.Unavailable(
                    f"the Docker daemon did not start: see {paths.TOOLS / 'dockerd.log'}")
            time.sleep(0.1)

    def stop(self) -> None:
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)  # its containerd is in the group
                self.process.wait()
        self.log.close()
        self._unmount()
        for group in Path("/sys/fs/cgroup").glob(f"**/{self.run_directory.name}"):
            group.rmdir()
        shutil.rmtree(self.run_directory, ignore_errors=True)
        self.process = None

    def _unmount(self) -> None:
        """A daemon that was killed leaves the mounts of its network namespaces."""
        table = Path("/proc/self/mountinfo").read_text()
        mounted = [line.split()[4] for line in table.splitlines()]
        for place in reversed(mounted):
            if place.startswith(f"{self.run_directory}/"):
                subprocess.run(["umount", "-l", place], capture_output=True)

    def environment(self) -> dict[str, str]:
        return {"DOCKER_HOST": self.address}

    def docker(self, *arguments, timeout_s: float = process.TIMEOUT_S) -> str:
        return process.output_of([self.client, *arguments], self.environment(), timeout_s)

    def image(self, packages: list[str]) -> str:
        archive, key = prepare.image_archive(packages)
        name = f"atoll-bench:{key}"
        if not self.docker("images", "-q", name).strip():
            say("importing Docker's image")
            # A command that only sleeps: the cheapest for containers into which code is sent.
            self.docker("import", "--change", 'CMD ["sleep", "infinity"]', str(archive), name,
                        timeout_s=600)
        return name

    def _answers(self) -> bool:
        try:
            self.docker("version", timeout_s=20)
            return True
        except (process.Failed, OSError):
            return False
