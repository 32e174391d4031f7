"""What must differ between two forks of one zygote.

Fork hooks cover `random` already, but a library that seeds itself at import would give every
sandbox the same numbers. Explicit here, so that one place can be read and tested. The hash seed
(PYTHONHASHSEED) is the one thing that stays: it is fixed when an interpreter starts.
"""

import ctypes
import os
import random
import struct
import sys


_TWISTER_WORDS = 624
_numpy_words = None  # where the words of numpy's global generator lie, and their number used up
_numpy_position = None


def find_numpy_state() -> None:
    """In the zygote: seeding through numpy's own functions copies a hundred pages in each fork, a
    write to its state two. Where that does not look as expected, reseed() takes the long way."""
    global _numpy_words, _numpy_position
    numpy_random = sys.modules.get("numpy.random")
    try:
        address = numpy_random.get_bit_generator().ctypes.state_address
        name, words, position, has_gauss, _ = numpy_random.get_state()
        there = ctypes.string_at(address, _TWISTER_WORDS * 4) == words.tobytes()
        counter = ctypes.c_int.from_address(address + _TWISTER_WORDS * 4)
        if name == "MT19937" and there and counter.value == position and not has_gauss:
            _numpy_words, _numpy_position = address, counter
    except Exception:  # no numpy, or one that keeps its state elsewhere
        pass


def reseed() -> None:
    # An integer: bytes would be hashed first, which touches (and so copies) many pages of a fork.
    random.seed(int.from_bytes(os.urandom(64), "little"))
    _reseed_numpy()
    _reseed_openssl()
    _reset_names()
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "manual_seed"):
        torch.manual_seed(int.from_bytes(os.urandom(8), "little") >> 1)


def _reseed_numpy():
    # default_rng() asks the system each time; only the legacy global generator has kept state.
    if _numpy_words is not None:
        ctypes.memmove(_numpy_words, os.urandom(_TWISTER_WORDS * 4), _TWISTER_WORDS * 4)
        _numpy_position.value = _TWISTER_WORDS
        return
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed(list(struct.unpack("<16I", os.urandom(64))))


def _reseed_openssl():
    # OpenSSL notices a fork by a changed process id. Process ids repeat between PID namespaces,
    # so fresh entropy is stirred in rather than trusting that.
    ssl = sys.modules.get("_ssl")
    if ssl is not None:
        ssl.RAND_add(os.urandom(32), 32.0)


def _reset_names():
    tempfile = sys.modules.get("tempfile")
    if tempfile is not None:
        tempfile._name_sequence = None
        tempfile.tempdir = None  # TMPDIR of the session, not of the zygote
    uuid = sys.modules.get("uuid")
    if uuid is not None:
        uuid._last_timestamp = None
        if getattr(uuid, "_node", None) is not None:
            # Left unset, uuid1() would look for a network card by running programs.
            uuid._node = int.from_bytes(os.urandom(6), "big") | (1 << 40)
