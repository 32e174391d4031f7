"""A network namespace with loopback alone, a name server in it, and certificates for its names.

For tests whose programs would otherwise talk to somebody else's servers if a variable were wrong:
in here there is nobody else.
"""
import os
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

_ENTERED = "ATOLL_TEST_ALONE"


def enter_alone() -> None:
    """Starts this program again inside, unless it is there already. Takes root."""
    if os.environ.get(_ENTERED) != "1":
        os.environ[_ENTERED] = "1"
        os.execvp("unshare", ["unshare", "--net", "--mount", "--", sys.executable, *sys.argv])
    # Of this process, unlike /sys, which shows the network of whoever mounted it.
    lines = Path("/proc/self/net/dev").read_text().splitlines()[2:]
    interfaces = [line.split(":")[0].strip() for line in lines]
    if interfaces != ["lo"]:
        raise RuntimeError(f"this is no namespace with loopback alone: {interfaces}")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def use_name_server(folder: Path) -> None:
    """For every program of this mount namespace."""
    settings = folder / "resolv.conf"
    settings.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:2\n")
    subprocess.run(["mount", "--bind", settings, Path("/etc/resolv.conf").resolve()], check=True)


class NameServer(threading.Thread):
    """Says 127.0.0.1 for each name of the domain, and that no other name exists."""

    def __init__(self, domain: str):
        super().__init__(daemon=True)
        self._labels = domain.lower().encode().split(b".")
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 53))

    def run(self) -> None:
        while True:
            question, client = self._socket.recvfrom(1500)
            try:
                self._socket.sendto(self._answer(question), client)
            except (IndexError, struct.error):
                continue  # no question that could be answered

    def _answer(self, question: bytes) -> bytes:
        labels, at = [], 12
        while question[at]:
            labels.append(question[at + 1 : at + 1 + question[at]].lower())
            at += 1 + question[at]
        kind, _ = struct.unpack_from("!HH", question, at + 1)
        asked = question[12 : at + 5]
        ours = labels[-len(self._labels) :] == self._labels
        answers = 1 if ours and kind == 1 else 0  # an A record; there are no others
        flags = 0x8580 if ours else 0x8583
        reply = question[:2] + struct.pack("!HHHHH", flags, 1, answers, 0, 0) + asked
        if answers:
            reply += struct.pack("!HHHIH", 0xC00C, 1, 1, 1, 4) + bytes([127, 0, 0, 1])
        return reply


def certificates(folder: Path, domain: str) -> None:
    """authority.pem, and server.pem with server.key for the domain and what is right below it."""
    authority, server = folder / "authority", folder / "server"
    names = folder / "names"
    names.write_text(
        f"subjectAltName=DNS:{domain},DNS:*.{domain}\nbasicConstraints=CA:FALSE\n"
        "keyUsage=digitalSignature\nextendedKeyUsage=serverAuth\n"
    )
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    for words in (
        ["req", "-x509", *key, "-keyout", f"{authority}.key", "-out", f"{authority}.pem",
         "-days", "2", "-subj", "/CN=tests", "-addext", "keyUsage=critical,keyCertSign"],
        ["req", *key, "-keyout", f"{server}.key", "-out", f"{server}.csr", "-subj", f"/CN={domain}"],
        ["x509", "-req", "-in", f"{server}.csr", "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key",
         "-CAcreateserial", "-days", "2", "-extfile", str(names), "-out", f"{server}.pem"],
    ):
        subprocess.run(["openssl", *words], check=True, capture_output=True)
