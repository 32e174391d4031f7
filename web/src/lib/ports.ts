// Web servers inside a sandbox: which there are, how to start one, where to open it.
import { openable } from "@/lib/addresses";
import { ApiError, getJson, sendJson, type Schemas } from "@/lib/api";
import { errorOf, kPageContext, runCode } from "@/lib/kernel";

const at = (session: string) => `/v1/sessions/${encodeURIComponent(session)}`;

export type Port = Schemas["ListeningPort"];

export const listPorts = async (session: string): Promise<Port[]> =>
    (await getJson<Schemas["PortList"]>(`${at(session)}/ports`)).ports;

const listens = async (session: string, port: number) =>
    (await listPorts(session)).some((one) => one.port === port);

async function numbers(session: string, code: string): Promise<number[]> {
    const answer = await runCode(session, { code, context: kPageContext });
    const failed = errorOf(answer);
    if (failed || answer.exit_code !== 0) throw new ApiError(500, failed?.text ?? answer.reason);
    return JSON.parse(answer.stdout) as number[];
}

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
        if (await listens(session, port)) return;
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
}

const served = new Map<string, number>();

// A web server for the folder; the same one again while it lives.
export async function serveFolder(session: string, folder: string): Promise<number> {
    const name = `${session} ${folder}`;
    const old = served.get(name);
    if (old && (await listens(session, old))) return old;
    const [port = 0] = await numbers(session, kFree);
    const argv = ["python3", "-m", "http.server", String(port)];
    await startServer(session, [...argv, "--bind", "127.0.0.1", "--directory", folder], port);
    served.set(name, port);
    return port;
}

// By host name where the browser can reach that; then the page there has an origin of its own.
export async function portAddress(session: string, port: number, path = ""): Promise<string> {
    const found = (await listPorts(session)).find((one) => one.port === port);
    const root = found?.href ?? `${at(session)}/ports/${port}/`;
    return openable(session, root + path, "ports");
}

// The rules for a frame: what has an origin of its own may keep cookies and storage there; a page
// below a path of this server must not, for the origin is this page's.
export function frameRules(address: string): string {
    const rules = "allow-scripts allow-forms allow-modals allow-popups allow-downloads";
    const own = new URL(address, window.location.href).origin !== window.location.origin;
    return own ? `${rules} allow-same-origin` : rules;
}

export async function openPort(session: string, port: number, path = ""): Promise<void> {
    window.open(await portAddress(session, port, path), "_blank", "noopener,noreferrer");
}
