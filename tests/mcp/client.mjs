// The official TypeScript client against a server: prints one JSON object of what it saw.
// node client.mjs http URL | node client.mjs stdio ATOLL
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [way, target, name] = process.argv.slice(2);
const transport =
    way === "http"
        ? new StreamableHTTPClientTransport(new URL(target))
        : new StdioClientTransport({ command: target, args: ["mcp"], env: process.env });
const client = new Client({ name: "tests", version: "1" });
await client.connect(transport);

const seen = {};
const use = async (tool, args, options) =>
    await client.callTool({ name: tool, arguments: { session_id: name, ...args } }, undefined, options);
const text = (result) => result.content.map((one) => one.text ?? one.type).join("\n");

seen.server = client.getServerVersion().name;
seen.tools = (await client.listTools()).tools.map((tool) => tool.name);
await use("make_directory", { path: "results" });
await use("write_file", { path: "results/a.txt", content: "grüße" });
seen.read_file = text(await use("read_file", { path: "results/a.txt" }));
seen.list_files = text(await use("list_files", { path: "results" })).trim();
seen.execute_shell = text(await use("execute_shell", { command: "cat results/a.txt" }));
seen.run_python = text(await use("run_python", { code: "x = 41\nx + 1" }));
seen.execute_python_script = text(await use("execute_python_script", { script: "print(6 * 7)" }));
seen.code_sandbox = text(await use("code_sandbox", { code: "print(x)" }));
seen.failed = (await use("run_python", { code: "1 / 0" })).isError;

const progress = [];
const waits = `import os, time
print('halfway', flush=True)
while not os.path.exists('/session/go'): time.sleep(0.02)
print('done')`;
let released;
seen.progress_answer = text(
    await use("run_python", { code: waits }, {
        onprogress: (one) => {
            progress.push(one.progress);
            if (one.message?.includes("halfway")) {
                released ??= use("write_file", { path: "/session/go", content: "" });
            }
        },
    }),
);
await released;
seen.progress = progress.length > 0 && progress.every((one, i) => i === 0 || one > progress[i - 1]);

const stop = new AbortController();
const endless = use("run_python", { code: "print('on', flush=True)\nimport time\ntime.sleep(3600)" }, {
    signal: stop.signal,
    onprogress: (one) => one.message?.includes("on") && stop.abort("enough"),
});
seen.cancelled = await endless.then(() => false, () => true);
seen.after_cancel = text(await use("run_python", { code: "x" }));

await use("run_python", {
    code: "import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.savefig('/data/outputs/c.png')",
}).then((result) => (seen.image = result.content.map((one) => one.type)));
const uri = `atoll://sessions/${name}/files/session/results/a.txt`;
seen.resource = (await client.readResource({ uri })).contents[0].text;
seen.templates = (await client.listResourceTemplates()).resourceTemplates.length;
seen.resources = Array.isArray((await client.listResources()).resources);
await client.ping();
seen.unknown = await client.callTool({ name: "nothing" }).then(() => 0, (error) => error.code);
await use("delete_file", { path: "results", recursive: true });
if (way === "http") await transport.terminateSession();
await client.close();
console.log(JSON.stringify(seen));
