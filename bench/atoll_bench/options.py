"""The command line. Read twice: before and after the switch into the peers' environment."""

import argparse

WORKS = {
    "a": "time to first pandas result",
    "b": "kernel round trip of 1+1",
    "c": "kernel restart",
    "d": "memory of each further idle sandbox",
    "e": "ephemeral runs per second",
    "f": "overhead inside",
    "g": "one-off run from the command line",
    "h": "server: 1+1 in fresh state, requests per second",
    "i": "server: 1+1 in a running kernel, requests per second",
    "j": "server: create to first result",
    "k": "server: from print to its event",
    "l": "server: a big file up and down",
    "m": "server: memory of idle event streams",
    "n": "server: thaw, restore, fork",
    "o": "analyst: an answer as it streams",
}
PEERS = ("python", "bwrap", "ipykernel", "docker", "llm-sandbox", "gateway", "nginx")


def _subset(allowed):
    def parse(text: str) -> list[str]:
        chosen = [part.strip() for part in text.split(",") if part.strip()]
        unknown = [part for part in chosen if part not in allowed]
        if unknown or not chosen:
            raise argparse.ArgumentTypeError(
                f"{', '.join(unknown) or 'nothing'} is not among {', '.join(allowed)}")
        return chosen
    return parse


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/run",
        description="Measure Atoll and its peers side by side, in one run.",
        epilog="Works: " + "; ".join(f"{key} = {what}" for key, what in WORKS.items()))
    parser.add_argument("--quick", action="store_true",
                        help="fewer samples: about 6 minutes in place of about 40")
    parser.add_argument("--only", type=_subset(tuple(WORKS)), default=list(WORKS), metavar="a,c",
                        help="measure these works only")
    parser.add_argument("--peers", type=_subset(PEERS), default=list(PEERS),
                        metavar="python,docker", help=f"of {', '.join(PEERS)}")
    parser.add_argument("--no-atoll", action="store_true", help="measure the peers alone")
    parser.add_argument("--python", metavar="PATH",
                        help="interpreter for plain python and bubblewrap "
                             "(default: the one of Atoll's default template)")
    parser.add_argument("--build", metavar="DIR", help="where Atoll's binaries are "
                                                       "(default: build/release)")
    parser.add_argument("--out", metavar="DIR", help="where latest.json and latest.png go "
                                                     "(default: bench/out)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    return parser.parse_args(arguments)
