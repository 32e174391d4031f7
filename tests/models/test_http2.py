"""Providers on the Internet speak HTTP/2 over TLS: one connection, many streams. Node's own server
plays one here."""
import json
import re
import shutil
import subprocess
import time

import pytest

from harness.model import Failed, ModelProgram


SERVER = r"""
const http2 = require("node:http2"), fs = require("node:fs");
const server = http2.createSecureServer({key: fs.readFileSync(process.argv[1]),
                                         cert: fs.readFileSync(process.argv[2])});
let sessions = 0, closed = 0;
server.on("session", () => { ++sessions; });
server.on("stream", (stream, headers) => {
  stream.on("error", () => {});
  stream.on("close", () => { if (stream.rstCode !== 0) ++closed; });
  const say = (text, more = "") => stream.write(
      `data: {"choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}}${more}}]}\n\n`);
  let body = "";
  stream.on("data", piece => { body += piece; });
  stream.on("end", () => {
    if (headers[":path"] === "/v1/models") {
      stream.respond({":status": 200});
      stream.end(JSON.stringify({sessions, closed}));
      return;
    }
    const asked = JSON.parse(body).messages[0].content;
    if (asked === "busy") { stream.respond({":status": 503}); stream.end("busy"); return; }
    stream.respond({":status": 200, "content-type": "text/event-stream"});
    let count = 0;
    const timer = setInterval(() => {
      if (stream.destroyed) { clearInterval(timer); return; }
      say(asked + count + " ");
      if (asked === "cut" && count == 3) { clearInterval(timer); stream.close(2); return; }
      if (++count === 20 && asked !== "endless") {
        clearInterval(timer);
        say("", ',"finish_reason":"stop"');
        stream.end("data: [DONE]\n\n");
      }
    }, 5);
  });
});
server.listen(0, "127.0.0.1", () => console.log(`port ${server.address().port}`));
process.stdin.on("end", () => process.exit(0)).resume();
"""


@pytest.fixture(scope="module")
def provider(tmp_path_factory):
    node = shutil.which("node")
    if not node:
        pytest.skip("node is not there")
    folder = tmp_path_factory.mktemp("http2")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=IP:127.0.0.1"], capture_output=True)
    if made.returncode:
        pytest.skip("openssl cannot make a certificate here")
    server = subprocess.Popen([node, "-e", SERVER, key, certificate], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    port = re.match(r"port (\d+)", server.stdout.readline())[1]
    program = ModelProgram({"SSL_CERT_FILE": str(certificate)})
    yield program, f"https://127.0.0.1:{port}/v1"
    program.close()
    server.stdin.close()
    server.wait(timeout=30)


def counted(program, url) -> dict:
    return json.loads(program.start("fetch", url=url + "/models").end()["body"])


def test_many_streams_share_a_connection(provider):
    program, url = provider
    program.chat(url, text="first").end()
    streams = [program.chat(url, text=f"s{i}_") for i in range(40)]
    for i, heard in enumerate(streams):
        reply = heard.end()["reply"]
        assert reply["text"] == "".join(f"s{i}_{n} " for n in range(20)), i
    assert counted(program, url)["sessions"] == 1


def test_cancelling_one_leaves_the_others(provider):
    program, url = provider
    before = counted(program, url)
    endless, other = program.chat(url, text="endless"), program.chat(url, text="other")
    endless.next()
    endless.cancel()
    with pytest.raises(Failed, match="(?i)cancel"):
        endless.end()
    assert other.end()["reply"]["finish"] == "stop"
    until = time.monotonic() + 20
    while counted(program, url)["closed"] == before["closed"] and time.monotonic() < until:
        time.sleep(0.02)
    after = counted(program, url)
    assert after["closed"] == before["closed"] + 1 and after["sessions"] == before["sessions"]


def test_trouble_over_http2(provider):
    program, url = provider
    heard = program.chat(url, text="cut")
    with pytest.raises(Failed, match="broke off") as failed:
        heard.end()
    assert failed.value.code == "Unavailable" and len(heard.text) == 4
    with pytest.raises(Failed) as failed:
        program.chat(url, text="busy").end()
    assert failed.value.code == "Unavailable" and "busy" in str(failed.value)
