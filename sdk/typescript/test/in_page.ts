// What the page of browser.test.ts does: the client in a browser, on a page of another origin.
import { ApiError, Sandbox, isApiError } from "../src/index.js";

interface Given {
    url: string;
    session: string;
    token: string;
    key: string;
}

function same(found: unknown, wanted: unknown, what: string): void {
    const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
    if (a !== b) throw new Error(`${what}: ${a} is not ${b}`);
}

// What a token opens of a session's files.
async function files({ url, session, token }: Given): Promise<void> {
    const { files } = Sandbox.attach(session, { url, apiKey: token });
    same((await files.write("a b/ä.txt", "größe")).path, "/session/a b/ä.txt", "write");
    same(await files.readText("a b/ä.txt"), "größe", "read");
    await files.write("a b/blob", new Blob(["blob"]));
    await files.write("a b/stream", new Blob(["a stream"]).stream());
    same(await files.readText("a b/stream"), "a stream", "read what was a stream");
    // Its kind is in a header, which pages of other origins see only if the server says so.
    const names = (await files.list("a b")).map((one) => one.name);
    same(names, ["blob", "stream", "ä.txt"], "list");
    same((await files.stat("a b/blob")).size, 4, "stat");
    same(await files.exists("nothing"), false, "exists");
    const packed = await new Response(await files.archive("a b", "zip")).arrayBuffer();
    same(new TextDecoder().decode(packed.slice(0, 2)), "PK", "archive");
    await files.remove("a b/blob");
    const missing = await files.read("a b/blob").catch((error: unknown) => error);
    same(isApiError(missing, "not_found"), true, "a refusal can be read");
    same((missing as ApiError).requestId !== "", true, "with the request's id");
}

async function noMore({ url, session, token }: Given): Promise<void> {
    const sandbox = Sandbox.attach(session, { url, apiKey: token });
    for (const refused of [sandbox.run("1"), sandbox.info(), sandbox.shell("id")]) {
        const error = await refused.catch((error: unknown) => error);
        same(isApiError(error, "forbidden"), true, `the token opens nothing else: ${error}`);
    }
}

async function ports({ url, session, token }: Given): Promise<void> {
    const { ports } = Sandbox.attach(session, { url, apiKey: token });
    await ports.waitFor(8000);
    same(await (await ports.request(8000, "/index.html")).text(), "hello", "a port");
}

// The Model Context Protocol, by hand: what its clients send and read in a page.
async function mcp({ url, key }: Given): Promise<void> {
    const send = (method: string, headers: Record<string, string>, message?: unknown) =>
        fetch(`${url}/mcp`, {
            method,
            headers: {
                Accept: "application/json, text/event-stream",
                Authorization: `Bearer ${key}`,
                "Content-Type": "application/json",
                ...headers,
            },
            body: message === undefined ? null : JSON.stringify(message),
        });
    const begun = await send(
        "POST",
        {},
        {
            jsonrpc: "2.0",
            id: 1,
            method: "initialize",
            params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {} },
        },
    );
    const session = {
        "Mcp-Session-Id": begun.headers.get("Mcp-Session-Id") ?? "none",
        "MCP-Protocol-Version": "2025-11-25",
    };
    const pong = await send("POST", session, { jsonrpc: "2.0", id: 2, method: "ping" });
    same(((await pong.json()) as { id: number }).id, 2, "ping");
    const heard = await send("GET", { ...session, "Last-Event-ID": "1" });
    same(heard.status, 200, "the stream of a session");
    await heard.body?.cancel();
    same((await send("DELETE", session)).status, 204, "the end of a session");
}

/** Runs all of it; what is wrong, or nothing. */
export async function inPage(given: Given): Promise<string> {
    try {
        for (const part of [files, noMore, ports, mcp]) await part(given);
        return "";
    } catch (error) {
        return error instanceof Error ? `${error.stack}` : String(error);
    }
}
