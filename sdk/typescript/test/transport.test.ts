// A server that is busy, broken or gone: a scripted one on loopback.
import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";

import { ApiError, Client, ConnectionFailed, StreamEnded } from "../src/index.js";
import { EventReader } from "../src/events.js";
import { decoded, encoded } from "../src/paths.js";

type Answer = [status: number, headers: Record<string, string>, body: string] | "cut";
const AT_ONCE = { times: 2, firstPauseMs: 0 };

async function scripted(
    answers: Answer[],
    use: (client: Client, seen: IncomingMessage[]) => Promise<void>,
) {
    const seen: IncomingMessage[] = [];
    const server = createServer((request, response) => {
        seen.push(request);
        const answer = answers.shift() ?? "cut";
        if (answer === "cut") return void request.socket.destroy();
        request.resume();
        response.writeHead(answer[0], { Connection: "close", ...answer[1] });
        response.end(answer[2]);
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
        await use(new Client({ url, apiKey: "key", retry: AT_ONCE }), seen);
    } finally {
        server.close();
    }
}

const problem = (code: string, more = {}) => JSON.stringify({ code, detail: "no", ...more });

test("reading is tried again, code is not", async () => {
    await scripted([[503, {}, ""], "cut", [200, {}, '{"version": "1"}']], async (client, seen) => {
        assert.equal((await client.info()).version, "1");
        assert.equal(seen.length, 3);
        assert.equal(seen[0]?.headers.authorization, "Bearer key");
    });
    for (const answer of [[503, {}, problem("unavailable")], "cut"] as Answer[]) {
        await scripted([answer], async (client, seen) => {
            await assert.rejects(client.run("1"));
            assert.equal(seen.length, 1);
        });
    }
});

test("Retry-After is heeded, if it is not too long", async () => {
    const busy: Answer = [429, { "Retry-After": "0" }, problem("rate_limited")];
    await scripted([busy, [200, {}, '{"tool": "x"}']], async (client) => {
        assert.equal((await client.callTool("x", {})).tool, "x");
    });
    const later: Answer = [429, { "Retry-After": "3600" }, problem("rate_limited")];
    await scripted([later], async (client) => {
        const refused = (error: unknown) => error instanceof ApiError && error.retryAfter === 3600;
        await assert.rejects(client.tools(), refused);
    });
});

test("refusals say what is wrong", async () => {
    const issues = [{ path: "limits", message: "too much" }];
    const answers: Answer[] = [
        [400, {}, problem("invalid_argument", { errors: issues, request_id: "r-1" })],
        [500, {}, "<html>a proxy's page"],
        [200, {}, "<html>no API"],
    ];
    await scripted(answers, async (client) => {
        await assert.rejects(client.info(), /no; limits: too much/);
        await assert.rejects(client.info(), /a proxy's page/);
        await assert.rejects(client.info(), /something else than JSON/);
    });
});

test("streams go on where they were, runs do not", async () => {
    const events = { "Content-Type": "text/event-stream" };
    const begun = 'event: stdout\nid: 7\ndata: {"text": "a"}\n\n';
    const ended = 'event: ended\ndata: {"state": "succeeded"}\n\n';
    await scripted([[200, events, begun], "cut", [200, events, ended]], async (client, seen) => {
        assert.equal((await client.jobs.wait("j")).state, "succeeded");
        assert.deepEqual(
            seen.map((one) => one.headers["last-event-id"]),
            [undefined, "7", "7"],
        );
    });
    await scripted([[200, events, begun]], async (client) => {
        const all = async () => {
            for await (const event of client.stream("1")) void event;
        };
        await assert.rejects(all(), StreamEnded);
    });
});

test("no server, no address", async () => {
    let gone: Client | undefined;
    await scripted([], async (client) => void (gone = client));
    await assert.rejects(gone!.run("1"), ConnectionFailed);
    assert.throws(() => new Client({ url: "localhost:8000" }), /not an address/);
    await assert.rejects(gone!.fetch("http://elsewhere.example/"), /no path/);
});

test("events in pieces, and paths", () => {
    const bytes = new TextEncoder().encode(
        "event: a\r\ndata: ü1\r\ndata: 2\r\nid: 5\r\n\r\n: beat\n\ndata: x\n\ndata",
    );
    for (const size of [1, 2, 3, 1000]) {
        const reader = new EventReader();
        const seen: string[] = [];
        for (let at = 0; at < bytes.length; at += size) {
            for (const event of reader.feed(bytes.slice(at, at + size)))
                seen.push(`${event.name} ${event.data}`);
        }
        assert.deepEqual(seen, ["a ü1\n2", "message x"]);
    }
    assert.equal(encoded("a//./b %"), "session/a/b%20%25");
    assert.equal(decoded(encoded("/ä/\u{1f600}")), "/ä/\u{1f600}");
});
