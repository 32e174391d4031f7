// The client in Chromium, on a page of another origin, with a token.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Client, Sandbox } from "../src/index.js";
import { Server } from "./server.js";

const CHROMIUM = "/usr/bin/chromium";
const BUILT = fileURLToPath(new URL("../", import.meta.url));
const KEY = "an-administrators-key-for-these-tests-0123456789";
// Without its own sandbox it starts as root and in containers, too; and it asks nobody anything.
const FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

// Serves the built client and one page; tells what the page reports.
async function pageServer(given: () => unknown) {
    let report: (text: string) => void;
    const reported = new Promise<string>((done) => (report = done));
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
        const path = new URL(request.url ?? "/", "http://page").pathname;
        if (request.method === "POST") {
            let text = "";
            for await (const piece of request) text += piece;
            response.end();
            return report(text);
        }
        if (path === "/") {
            response.setHeader("Content-Type", "text/html");
            return response.end(`<script type="module">
                import { inPage } from "/test/in_page.js";
                const wrong = await inPage(${JSON.stringify(given())});
                await fetch("/", { method: "POST", body: wrong });
            </script>`);
        }
        try {
            const text = await readFile(join(BUILT, normalize(path)));
            response.setHeader("Content-Type", "text/javascript");
            response.end(text);
        } catch {
            response.writeHead(404).end();
        }
    };
    const server = createServer((request, response) => void answer(request, response));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { origin, reported, close: () => server.close() };
}

test("in a page", { skip: !existsSync(CHROMIUM), timeout: 120_000 }, async () => {
    let given: unknown;
    const page = await pageServer(() => given);
    const server = await Server.start(["--allowed-origin", page.origin], { ATOLL_ADMIN_KEY: KEY });
    const profile = await mkdtemp(join(tmpdir(), "atoll-ts-page-"));
    try {
        const client = new Client({ url: server.url, apiKey: KEY });
        const sandbox = await Sandbox.create({}, client);
        await sandbox.files.write("www/index.html", "hello");
        await sandbox.processes.start("python -m http.server 8000 -d www");
        const { token } = await sandbox.token(["files", "ports"]);
        given = { url: server.url, session: sandbox.id, token, key: KEY };
        const browser = spawn(CHROMIUM, [...FLAGS, `--user-data-dir=${profile}`, page.origin], {
            stdio: "ignore",
        });
        const ended = new Promise<string>((done) =>
            browser.on("exit", (status) => done(`the browser ended with ${status}`)),
        );
        try {
            assert.equal(await Promise.race([page.reported, ended]), "");
        } finally {
            browser.kill("SIGKILL");
            await ended;
        }
    } finally {
        page.close();
        await server.stop();
        await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    }
});
