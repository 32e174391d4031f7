"""The link to the guest: messages of a u32 length, a type byte and the payload.

    Link      what the kernel needs: receive() and send()
    GuestLink through libatoll_guest.so, in a sandbox
    SocketLink the same framing in Python, for a kernel started by hand and for tests

Threads: the kernel's thread receives; user threads may send (display() works in a thread), so a
lock keeps frames whole. A process that user code forks must never speak on the link: see disown().
"""

import ctypes
import os
import socket
import struct
import threading

MESSAGE_BYTES_MAX = 1 << 30


class Link:
    """Ends with receive() == None. A signal that arrives while waiting runs its Python handler."""

    def __init__(self):
        self._lock = threading.RLock()
        self.owned = True

    def receive(self):
        raise NotImplementedError

    def send(self, kind: str, payload: bytes) -> bool:
        if not self.owned:
            return False
        with self._lock:
            return self._send(kind, payload)

    def disown(self):
        """In a forked child of user code: two writers would mix their frames."""
        self.owned = False
        self._lock = threading.RLock()  # the one inherited may be held by a thread that is gone
        self._close()


class GuestLink(Link):
    _INTERRUPTED = -2

    """Made in the zygote, where the descriptor is not known yet: each Python function that runs in
    a fork for the first time copies pages."""

    def __init__(self, library: str):
        super().__init__()
        # CDLL, not PyDLL: user threads go on running while the kernel waits for its next request.
        lib = ctypes.CDLL(library)
        self._receive = lib.atoll_kernel_receive
        self._receive.restype = ctypes.c_int64
        self._receive.argtypes = [
            ctypes.c_int,
            ctypes.POINTER(ctypes.c_uint8),
            ctypes.POINTER(ctypes.POINTER(ctypes.c_uint8)),
        ]
        self._write = lib.atoll_kernel_send
        self._write.restype = ctypes.c_int
        self._write.argtypes = [ctypes.c_int, ctypes.c_uint8, ctypes.c_char_p, ctypes.c_size_t]
        self._fd = -1
        self._kind = ctypes.c_uint8()
        self._data = ctypes.POINTER(ctypes.c_uint8)()
        self._kind_at = ctypes.byref(self._kind)
        self._data_at = ctypes.byref(self._data)

    def adopt(self, fd: int):
        self._fd = fd

    def receive(self):
        while True:
            length = self._receive(self._fd, self._kind_at, self._data_at)
            if length >= 0:
                # A copy: the library's buffer is reused by the next receive.
                data = ctypes.string_at(self._data, length) if length else b""
                return chr(self._kind.value), data
            if length != self._INTERRUPTED:
                return None

    def _send(self, kind, payload):
        return self._write(self._fd, ord(kind), payload, len(payload)) == 0

    def _close(self):
        try:
            os.close(self._fd)
        except OSError:
            pass
        self._fd = -1


class SocketLink(Link):
    _HEADER = struct.Struct("<IB")

    def __init__(self, sock: socket.socket):
        super().__init__()
        self._socket = sock

    def receive(self):
        header = self._exactly(self._HEADER.size)
        if header is None:
            return None
        length, kind = self._HEADER.unpack(header)
        if length > MESSAGE_BYTES_MAX:
            return None
        payload = self._exactly(length)
        return None if payload is None else (chr(kind), payload)

    def _exactly(self, count):
        parts = bytearray()
        while len(parts) < count:
            try:
                part = self._socket.recv(min(count - len(parts), 1 << 20))
            except OSError:
                return None
            if not part:
                return None
            parts += part
        return bytes(parts)

    def _send(self, kind, payload):
        try:
            self._socket.sendall(self._HEADER.pack(len(payload), ord(kind)) + payload)
            return True
        except OSError:
            return False

    def _close(self):
        self._socket.close()


class NullLink(Link):
    """Swallows everything: what warm-up code would have displayed."""

    def receive(self):
        return None

    def _send(self, kind, payload):
        return True

    def _close(self):
        pass
