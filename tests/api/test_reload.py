"""SIGHUP: certificates and some settings are read again, nothing is lost, and a mistake changes nothing."""
import fcntl
import os
import pty
import re
import signal
import socket
import ssl
import subprocess
import termios
import threading

import httpx
import pytest
from harness import host
from harness.driver import BUILD
from harness.server import Server

pytestmark = pytest.mark.once

WITHIN_S = 60


def make_certificate(folder, name):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                    "-keyout", folder / "key.pem", "-out", folder / "cert.pem"], check=True, capture_output=True)


def name_in_certificate(port):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", port), timeout=WITHIN_S) as plain, context.wrap_socket(plain) as spoken:
        found = re.search(rb"\x55\x04\x03..(first|second)", spoken.getpeercert(binary_form=True), re.DOTALL)
        return found[1].decode()


def test_certificates_and_settings(tmp_path):
    make_certificate(tmp_path, "first")
    settings = tmp_path / "atoll.toml"
    settings.write_text("stop_grace = '7s'\n[http]\nidle_timeout = '75s'\n")
    server = Server(tmp_path, "--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem"),
                    "--config", str(settings))
    port = int(server.url.rsplit(":", 1)[1])
    log = tmp_path / "log"

    def told_after(change, *sentences):
        seen = len(log.read_text())
        change()
        server.process.send_signal(signal.SIGHUP)
        assert host.eventually(lambda: all(one in log.read_text()[seen:] for one in sentences), WITHIN_S), \
            log.read_text()[seen:]

    with httpx.Client(base_url=f"https://127.0.0.1:{port}", verify=False, timeout=WITHIN_S) as client:
        session = client.post("/v1/sessions", json={}).json()["id"]
        assert client.post(f"/v1/sessions/{session}/run", json={"code": "kept = 1"}).status_code == 200
        assert name_in_certificate(port) == "first"

        told_after(lambda: make_certificate(tmp_path, "second"), "changed: none", "new connections get the certificate")
        assert name_in_certificate(port) == "second"

        told_after(lambda: (tmp_path / "cert.pem").write_text("no certificate"), "the certificate stays as it is")
        assert name_in_certificate(port) == "second"
        make_certificate(tmp_path, "second")

        told_after(lambda: settings.write_text("stop_grace = 'soon'\n"), "the settings stay as they are", "stop_grace")
        told_after(lambda: settings.write_text("stop_grace = '3s'\npool = 1\n[jobs]\nrunning = 7\n"),
                   "changed: stop_grace; these take a restart: jobs.running")
        answer = client.post(f"/v1/sessions/{session}/run", json={"code": "print(kept)"})
        assert answer.json()["stdout"] == "1\n", "nothing was lost"
    assert server.stop() == 0
    assert "requests under way have 3 s to end" in log.read_text()


def test_a_terminal_that_closes_ends_nothing(tmp_path):
    """Whoever started it in a window and closed that: it goes on, and is stopped in good order later."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [BUILD / "atoll", "serve", "--listen", "127.0.0.1:0", "--data-dir", tmp_path / "data", "--pool", "1"],
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(theirs)
    try:
        said = b""
        while b"listening on" not in said:
            piece = os.read(ours, 4096)
            assert piece, said
            said += piece
        url = "http://" + re.search(rb"listening on (\S+?);", said)[1].decode()
        with httpx.Client(base_url=url, timeout=WITHIN_S) as client:
            session = client.post("/v1/sessions", json={}).json()["id"]
            client.post(f"/v1/sessions/{session}/run", json={"code": "kept = 1"})
            ended = threading.Event()
            threading.Thread(target=lambda: (process.wait(), ended.set()), daemon=True).start()
            os.close(ours)  # the kernel sends SIGHUP
            answer = client.post(f"/v1/sessions/{session}/run", json={"code": "import time; time.sleep(1); print(kept)"})
            assert answer.json()["stdout"] == "1\n" and not ended.is_set()
        process.send_signal(signal.SIGTERM)
        assert ended.wait(WITHIN_S) and process.returncode == 0
    finally:
        process.kill()
    again = Server(tmp_path)
    assert again.run(session, "print(kept)")["stdout"] == "1\n"
    assert again.stop() == 0
