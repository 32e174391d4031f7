// Web servers inside a sandbox: which there are, how to start one, where to open it.
import { openable } from "@/lib/addresses";
import { ApiError, sendJson } from "@/lib/api";
import { errorOf, kPageContext, runCode } from "@/lib/kernel";

const at = (session: string) => `/v1/sessions/${encodeURIComponent(session)}`;

// The API has no list of them; the sandbox's own kernel tables do. 0A: it listens.
const kListening = `
def _listening():
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(table) as lines:
                for line in list(lines)[1:]:
                    words = line.split()
                    if words[3] == "0A":
                        found.add(int(words[1].rsplit(":", 1)[1], 16))
        except OSError:
            pass
    return sorted(found)
print(_listening())
`;

async function numbers(session: string, code: string): Promise<number[]> {
    const answer = await runCode(session, { code, context: kPageContext });
    const failed = errorOf(answer);
    if (failed || answer.exit_code !== 0) throw new ApiError(500, failed?.text ?? answer.reason);
    return JSON.parse(answer.stdout) as number[];
}

export const listeningPorts = (session: string) => numbers(session, kListening);

const kFree = `
import socket
with socket.socket() as _free:
    _free.bind(("127.0.0.1", 0))
    print([_free.getsockname()[1]])
`;
const kTries = 50;

export async function startServer(session: string, argv: string[], port: number): Promise<void> {
    await sendJson("POST", `${at(session)}/processes`, { argv });
    for (let tries = 0; tries < kTries; tries += 1) {
        if ((await listeningPorts(session)).includes(port)) return;
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
}

const served = new Map<string, number>();

// A web server for the folder; the same one again while it lives.
export async function serveFolder(session: string, folder: string): Promise<number> {
    const name = `${session} ${folder}`;
    const old = served.get(name);
    if (old && (await listeningPorts(session)).includes(old)) return old;
    const [port = 0] = await numbers(session, kFree);
    const argv = ["python3", "-m", "http.server", String(port)];
    await startServer(session, [...argv, "--bind", "127.0.0.1", "--directory", folder], port);
    served.set(name, port);
    return port;
}

export const portAddress = (session: string, port: number, path = "") =>
    openable(session, `${at(session)}/ports/${port}/${path}`, "ports");

export async function openPort(session: string, port: number, path = ""): Promise<void> {
    window.open(await portAddress(session, port, path), "_blank", "noopener,noreferrer");
}

let frames: Promise<boolean> | null = null;

// Whether the page's own policy lets it frame pages of this server. Asked, not tried: a frame that
// is refused is an empty box.
export function mayFrame(): Promise<boolean> {
    frames ??= fetch("/ui", { method: "HEAD" }).then(
        (answer) =>
            /frame-src[^;]*'self'/.test(answer.headers.get("Content-Security-Policy") ?? ""),
        () => {
            frames = null;
            return false;
        },
    );
    return frames;
}
