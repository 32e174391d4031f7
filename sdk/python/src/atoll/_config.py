"""Where the server is and with which key: arguments, then the environment, then this machine."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from urllib.parse import urlsplit

DEFAULT_URL = "http://127.0.0.1:8000"


@dataclass(frozen=True)
class Config:
    """A server's address without a slash at its end, and an API key or nothing."""

    url: str
    api_key: str | None

    @property
    def on_this_machine(self) -> bool:
        host = urlsplit(self.url).hostname or ""
        if host == "localhost" or host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False


def variable(*names: str) -> str | None:
    """The first of these environment variables that is not empty."""
    for name in names:
        if value := os.environ.get(name):
            return value
    return None


def resolve(url: str | None = None, api_key: str | None = None) -> Config:
    """`SANDBOX_API_URL` is what clients of earlier tool servers set."""
    address = url or variable("ATOLL_URL", "SANDBOX_API_URL") or DEFAULT_URL
    if urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).hostname:
        raise ValueError(f"{address!r} is not an address of a server, as {DEFAULT_URL}")
    return Config(address.rstrip("/"), api_key or variable("ATOLL_API_KEY"))
