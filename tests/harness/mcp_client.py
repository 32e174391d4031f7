"""How a client of the Model Context Protocol starts `atoll mcp`."""

import os

from mcp import StdioServerParameters

from harness.cli import ATOLL


def program(url: str, key: str = "", *words: str) -> StdioServerParameters:
    return StdioServerParameters(command=str(ATOLL), args=["mcp", *words],
                                 env={**os.environ, "ATOLL_URL": url, "ATOLL_API_KEY": key})
