// Addresses of files in a session that the browser opens by itself: images, downloads, terminals.
// With keys on they carry a token for that session, which ends after ten minutes.
import { sendJson, type Schemas } from "@/lib/api";
import { tokenStore } from "@/lib/token";

type Opens = "files" | "terminal" | "ports";
interface Kept {
    token: string;
    until: number;
}

const kSeconds = 600;
const kept = new Map<string, Promise<Kept>>();

async function mint(session: string, opens: Opens): Promise<Kept> {
    const path = `/v1/sessions/${encodeURIComponent(session)}/tokens`;
    const body = { scopes: [opens], seconds: kSeconds };
    const made = await sendJson<Schemas["TokenView"]>("POST", path, body);
    return { token: made.token, until: Date.now() + (kSeconds - 60) * 1000 };
}

async function tokenFor(session: string, opens: Opens): Promise<string> {
    const name = `${session} ${opens}`;
    const found = await kept.get(name)?.catch(() => undefined);
    if (found && found.until > Date.now()) return found.token;
    const made = mint(session, opens);
    kept.set(name, made);
    return (await made).token;
}

// The address as it is while no token is in use.
export async function openable(session: string, address: string, opens: Opens): Promise<string> {
    if (!tokenStore.get()) return address;
    const token = await tokenFor(session, opens);
    return `${address}${address.includes("?") ? "&" : "?"}token=${encodeURIComponent(token)}`;
}

// A path in a sandbox, as the file routes have it: without the first slash, in percent.
export function filePath(path: string): string {
    return path.replace(/^\/+/, "").split("/").map(encodeURIComponent).join("/");
}

export function fileAddress(session: string, path: string): string {
    return `/v1/sessions/${encodeURIComponent(session)}/files/${filePath(path)}`;
}

// Hands the address to the browser's own download.
export function startDownload(address: string, name: string): void {
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
}

export async function downloadFile(session: string, path: string): Promise<void> {
    const address = await openable(session, `${fileAddress(session, path)}?download=true`, "files");
    startDownload(address, path.split("/").pop() ?? "file");
}
