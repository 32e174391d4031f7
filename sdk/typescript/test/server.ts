// A real server for a test file, on a free port and in a folder of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const PROGRAM = join(process.env["ATOLL_TEST_BUILD"] ?? join(ROOT, "build/release"), "atoll");

export class Server {
    private constructor(
        readonly url: string,
        private readonly process: ChildProcess,
        private readonly folder: string,
    ) {}

    static async start(
        more: string[] = [],
        environment: Record<string, string> = {},
    ): Promise<Server> {
        const folder = await mkdtemp(join(tmpdir(), "atoll-ts-"));
        const options = ["serve", "--listen", "127.0.0.1:0", "--data-dir", folder, "--pool", "2"];
        const child = spawn(PROGRAM, [...options, ...more], {
            stdio: ["ignore", "pipe", "pipe"],
            env: { ...process.env, ...environment },
        });
        const url = await new Promise<string>((found, failed) => {
            let said = "";
            const hear = (text: Buffer) => {
                said += text.toString();
                const listening = /listening on (\S+?);/.exec(said);
                if (listening) found(`http://${listening[1]}`);
            };
            child.stdout.on("data", hear);
            child.stderr.on("data", hear);
            child.on("error", failed);
            child.on("exit", () => failed(new Error(`the server ended: ${said}`)));
        });
        return new Server(url, child, folder);
    }

    async stop(): Promise<void> {
        const ended = new Promise((done) => this.process.on("exit", done));
        this.process.kill("SIGTERM");
        await ended;
        await rm(this.folder, { recursive: true, force: true });
    }
}
