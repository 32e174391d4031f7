"""Bare nginx: how quickly files can go through a web server on this machine at all. Reads are
sendfile's, writes are its WebDAV module's."""

import os

from .. import http, prepare, process, serving
from . import base

SETTINGS = """
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/errors;
{user}
events {{ worker_connections 256; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    client_max_body_size 0;
    client_body_buffer_size 1m;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{ root {folder}/files; dav_methods PUT DELETE; }}
    }}
}}
"""


class Service(serving.Service):
    def __init__(self):
        super().__init__("nginx")

    def command(self) -> list:
        return ["/usr/sbin/nginx", "-c", self.folder / "nginx.conf", "-e", self.folder / "errors"]

    def begin(self) -> None:
        (self.folder / "files").mkdir()
        self.port = serving.free_port()
        # As root it would become nobody, who may not look into our folder.
        user = "user root;" if os.geteuid() == 0 else ""
        (self.folder / "nginx.conf").write_text(
            SETTINGS.format(folder=self.folder, port=self.port, user=user))
        self.start()


class Nginx(base.Peer):
    name = "nginx"
    title = "nginx"
    can = "l"

    def open(self) -> None:
        prepare.debian_package("nginx", "nginx")
        self.server = Service()
        try:
            self.server.begin()
        except (process.Failed, OSError) as problem:
            self.server.remove()
            raise prepare.Unavailable(str(problem)) from None

    def close(self) -> None:
        self.server.remove()

    def open_files(self, size: int) -> None:
        self.file = "/big.bin"
        # Its one worker does the work; the process that we started only looks after it.
        self.files_pid = process.family(self.server.process.pid)[-1]

    def close_files(self) -> None:
        with self.connection() as line:
            line.ask("DELETE", self.file)

    def connection(self) -> http.Connection:
        return self.server.connection()
