"""A wire that a test can cut: relays one loopback port to another, until it is told to break.

    with Relay(port_of_the_server) as wire:
        page.goto(wire.url)
        wire.cut()        # resets every connection that is open; new ones pass
        wire.refuse()     # and from now on nobody is let in, until wire.mend()
"""

import socket
import struct
import threading


class Relay:
    def __init__(self, to: int):
        self.to = to
        self.open: set[socket.socket] = set()
        self.lock = threading.Lock()
        self.refusing = False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
        self.refuse()

    def cut(self) -> int:
        """How many connections there were."""
        with self.lock:
            ends, self.open = self.open, set()
        for one in ends:
            # A reset, not an end: what was in flight is lost.
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            try:
                one.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads it
            except OSError:
                pass  # its peer was quicker
            one.close()
        return len(ends) // 2

    def refuse(self):
        self.refusing = True
        self.cut()

    def mend(self):
        self.refusing = False

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return  # closed
            try:
                if self.refusing:
                    raise ConnectionRefusedError
                far = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                near.close()
                continue
            with self.lock:
                self.open |= {near, far}
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self._copy, args=(source, target), daemon=True).start()

    def _copy(self, source: socket.socket, target: socket.socket):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass  # cut
        with self.lock:
            known = {source, target} & self.open
            self.open -= known
        for one in known:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()
