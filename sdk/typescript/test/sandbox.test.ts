// The client against the real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Client, Sandbox, isApiError, isOk, textOf } from "../src/index.js";
import type { RunEvent } from "../src/index.js";
import { Server } from "./server.js";

let server: Server;
let client: Client;
let sandbox: Sandbox;

before(async () => {
    server = await Server.start();
    client = new Client({ url: server.url });
    sandbox = await Sandbox.create({}, client);
});
after(() => server?.stop());

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
    const found: T[] = [];
    for await (const one of values) found.push(one);
    return found;
}

test("runs keep variables, and failures are results", async () => {
    await sandbox.run("x = 6");
    const found = await sandbox.run("print('hi')\nx * 7", { timeout: 60 });
    assert.equal(found.stdout, "hi\n");
    assert.equal(textOf(found), "42");
    assert.ok(isOk(found));
    const failed = await sandbox.run("1/0");
    assert.ok(!isOk(failed));
    assert.equal(failed.error?.name, "ZeroDivisionError");
    const typed = await sandbox.run("const n: number = 6; n * 7", { language: "typescript" });
    assert.equal(textOf(typed), "42");
});

test("a run is heard while it goes on", async () => {
    const events = await all(
        sandbox.stream("import sys; print(1); print(2, file=sys.stderr); 6 * 7"),
    );
    assert.equal(events[0]?.type, "started");
    const last = events.at(-1) as Extract<RunEvent, { type: "ended" }>;
    assert.deepEqual(
        [last.result.stdout, last.result.stderr, textOf(last.result)],
        ["1\n", "2\n", "42"],
    );
    const heard: string[] = [];
    const found = await sandbox.run("print(1); 1/0", { onStdout: (text) => heard.push(text) });
    assert.equal(heard.join(""), "1\n");
    assert.match(found.stderr, /ZeroDivisionError/);
});

test("leaving a stream stops the code, as an abort does", async () => {
    for await (const event of sandbox.stream("print(0)\nwhile True: pass")) {
        if (event.type === "stdout") break;
    }
    assert.equal(textOf(await sandbox.run("'free'")), "'free'");
    const abort = new AbortController();
    const leave = async () => {
        for await (const event of sandbox.stream("print(0)\nwhile True: pass", {
            signal: abort.signal,
        })) {
            if (event.type === "stdout") abort.abort();
        }
    };
    await assert.rejects(leave(), { name: "AbortError" });
    assert.equal(textOf(await sandbox.run("'free again'")), "'free again'");
});

test("files", async () => {
    const made = await sandbox.files.write("deep/ä b%.txt", "größe");
    assert.equal(made.path, "/session/deep/ä b%.txt");
    assert.equal(await sandbox.files.readText("deep/ä b%.txt"), "größe");
    assert.deepEqual(await sandbox.files.read(made), new TextEncoder().encode("größe"));
    await sandbox.shell("touch $'deep/\\xff'");
    const odd = (await sandbox.files.list("deep")).find((one) => one.path !== made.path);
    assert.ok(odd);
    await sandbox.files.move(odd, "deep/plain");
    assert.ok(await sandbox.files.exists("deep/plain"));
    await sandbox.files.makeFolder("copy");
    const packed = await new Response(await sandbox.files.archive("deep", "tar")).arrayBuffer();
    assert.ok((await sandbox.files.unpack(new Uint8Array(packed), "copy")).entries > 0);
    await sandbox.files.remove("deep", { recursive: true });
    assert.ok(!(await sandbox.files.exists("deep")));
    await assert.rejects(sandbox.files.read("nothing"), (error) => isApiError(error, "not_found"));
    await assert.rejects(sandbox.files.read("copy"), /folder/);
    for (const path of ["../../../info", "a/../b"]) {
        await assert.rejects(async () => sandbox.files.read(path), /dots/);
    }
    await assert.rejects(sandbox.ports.request(80, "/%2e%2E/x"), /dots/);
});

test("changes of files", async () => {
    await sandbox.files.makeFolder("watched");
    const writer = await sandbox.processes.start(
        "while :; do echo x > watched/new; sleep 0.05; done",
    );
    for await (const change of sandbox.files.watch("watched")) {
        assert.equal(change.path, "/session/watched/new");
        break;
    }
    await writer.kill();
});

test("commands, processes, ports", async () => {
    const ran = await sandbox.shell("cat; exit 3", { input: "typed" });
    assert.deepEqual([ran.stdout, ran.exit_code], ["typed", 3]);
    assert.equal((await sandbox.shell(["echo", "$HOME"])).stdout, "$HOME\n");
    const process = await sandbox.processes.start("while read l; do echo got $l; done", {
        stdin_open: true,
    });
    await process.write("one\n");
    await process.write("two\n", { end: true });
    const output = await all(process.follow());
    assert.equal(
        output.map((one) => ("text" in one ? one.text : "")).join(""),
        "got one\ngot two\n",
    );
    assert.equal((await process.wait()).exit_code, 0);
    assert.equal((await process.output()).stdout, "got one\ngot two\n");
    await sandbox.files.write("www/index.html", "hello");
    const web = await sandbox.processes.start("python -m http.server 8000 -d www");
    assert.match((await sandbox.ports.waitFor(8000)).href, /^http/);
    assert.equal(await (await sandbox.ports.request(8000, "/index.html")).text(), "hello");
    assert.equal((await sandbox.ports.request(8000, "/nothing")).status, 404);
    await web.signal("kill");
    assert.ok((await sandbox.processes.list()).length >= 2);
});

test("contexts", async () => {
    await sandbox.run("mine = 1", { context: "second" });
    assert.ok((await sandbox.contexts.list()).some((one) => one.name === "second"));
    assert.ok((await sandbox.contexts.variables("second")).some((one) => one.name === "mine"));
    assert.equal(await sandbox.contexts.interrupt("second"), false);
    await sandbox.contexts.restart("second");
    await sandbox.contexts.delete("second");
    await assert.rejects(sandbox.contexts.get("second"), (error) => isApiError(error, "not_found"));
});

test("states, forks and names", async () => {
    const named = await Sandbox.open("ts", { metadata: { of: "ts" } }, client);
    assert.equal((await Sandbox.open("ts", {}, client)).id, named.id);
    await named.run("x = 41");
    await named.pause();
    await named.resume();
    assert.equal((await named.evict()).state, "cold");
    const [copy] = await named.fork();
    assert.ok(copy);
    assert.equal(textOf(await copy.run("x + 1")), "42");
    await copy.delete();
    assert.deepEqual(
        (await client.sessions.list({ metadata: { of: "ts" } })).map((one) => one.id),
        [named.id],
    );
    assert.equal((await named.update({ name: "ts-2" })).name, "ts-2");
    assert.equal((await named.token(["files"])).session, named.id);
    await named.restart();
    await named.delete();
    await assert.rejects(named.info(), (error) => isApiError(error, "not_found"));
    const wrong = Sandbox.create({ limits: { memory_bytes_max: 1 } }, client);
    await assert.rejects(
        wrong,
        (error) => isApiError(error, "invalid_argument") && error.issues.length > 0,
    );
});

test("runs without a session, tools and jobs", async () => {
    const found = await client.run("open('/work/artifacts/a', 'w').write('b')");
    assert.ok(found.run_id);
    assert.equal(
        new TextDecoder().decode(await client.output(found.run_id, "/work/artifacts/a")),
        "b",
    );
    assert.equal((await all(client.stream("1"))).at(-1)?.type, "ended");
    assert.ok((await client.tools()).some((one) => one.name === "code_sandbox"));
    assert.equal((await client.callTool("code_sandbox", { code: "print(42)" })).stdout, "42\n");
    assert.ok((await client.info()).runtimes.includes("native"));
    assert.ok((await client.templates()).some((one) => one.name === "default"));
    await sandbox.run("open('/session/artifacts/c', 'w').write('d')");
    assert.deepEqual(
        (await sandbox.artifacts()).map((one) => one.path),
        ["/session/artifacts/c"],
    );
    const job = await client.jobs.create("print('later')");
    assert.equal((await client.jobs.wait(job.id)).state, "succeeded");
    const logs = (await client.jobs.logs(job.id)).filter((one) => one.stream === "stdout");
    assert.equal(logs.map((one) => one.text).join(""), "later\n");
    await client.jobs.delete(job.id);
    assert.ok(!(await client.jobs.list()).some((one) => one.id === job.id));
});
