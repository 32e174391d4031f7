// Files of a session.
import { AtollError, isApiError } from "./errors.js";
import { type SandboxPath, decoded, encoded, part } from "./paths.js";
import type { Transport } from "./transport.js";
import type { Extracted, FileChange, FileInfo } from "./types.js";

type Listed = { entries: Omit<FileInfo, "exact">[]; next_after?: string };
type Content = string | Uint8Array | Blob | ReadableStream<Uint8Array>;

const PAGE = 1000;

function shown(entry: Omit<FileInfo, "exact">): FileInfo {
    return { ...entry, exact: entry.path, path: decoded(entry.path) };
}

export class Files {
    constructor(
        private readonly transport: Transport,
        private readonly session: string,
    ) {}

    /** A file's bytes. */
    async read(path: SandboxPath): Promise<Uint8Array> {
        const response = await this.get(path);
        return new Uint8Array(await response.arrayBuffer());
    }

    /** A file as text. */
    async readText(path: SandboxPath): Promise<string> {
        return (await this.get(path)).text();
    }

    /** A file, piece by piece. */
    async readStream(path: SandboxPath): Promise<ReadableStream<Uint8Array>> {
        return (await this.get(path)).body ?? new ReadableStream();
    }

    /** Stores a file, whole or not at all; folders above it are made. */
    async write(
        path: SandboxPath,
        content: Content,
        options: { parents?: boolean; mode?: string } = {},
    ): Promise<FileInfo> {
        const body = typeof content === "string" ? new TextEncoder().encode(content) : content;
        return shown(
            await this.transport.json(this.at("files", path), {
                method: "PUT",
                query: { parents: true, ...options },
                body: body as BodyInit,
                safe: true,
            }),
        );
    }

    /** What is in a folder, by name. */
    async list(path: SandboxPath = "/session"): Promise<FileInfo[]> {
        const found: FileInfo[] = [];
        for (let after: string | undefined; ;) {
            const response = await this.transport.send(this.at("files", path), {
                query: { limit: PAGE, after },
            });
            if (response.headers.get("X-Atoll-Type") !== "directory") {
                await response.body?.cancel();
                throw new AtollError("that is a file, not a folder; read() gets it");
            }
            const page = (await response.json()) as Listed;
            found.push(...page.entries.map(shown));
            after = page.next_after;
            if (after === undefined) return found;
        }
    }

    /** About a file, a folder or a link (not what it leads to). */
    async stat(path: SandboxPath): Promise<FileInfo> {
        const page = await this.transport.json<Listed>(this.at("files", path), {
            query: { stat: true },
        });
        const [entry] = page.entries;
        if (!entry) throw new AtollError("the server described nothing");
        return shown(entry);
    }

    async exists(path: SandboxPath): Promise<boolean> {
        try {
            await this.stat(path);
            return true;
        } catch (error) {
            if (isApiError(error, "not_found")) return false;
            throw error;
        }
    }

    /** Makes a folder, with those above it. */
    async makeFolder(path: SandboxPath): Promise<FileInfo> {
        return shown(
            await this.transport.json(this.at("folders", path), {
                method: "PUT",
                query: { parents: true },
                safe: true,
            }),
        );
    }

    async move(
        from: SandboxPath,
        to: SandboxPath,
        options: { parents?: boolean; overwrite?: boolean } = {},
    ): Promise<FileInfo> {
        const json = { parents: true, ...options, from: encoded(from), to: encoded(to) };
        return shown(await this.transport.json(this.of("move"), { method: "POST", json }));
    }

    /** Removes a file, or with `recursive` a folder and all that is in it. */
    remove(path: SandboxPath, options: { recursive?: boolean } = {}): Promise<void> {
        return this.transport.nothing(this.at("files", path), { method: "DELETE", query: options });
    }

    /** A folder as an archive: tar, tar.gz, tar.zst or zip. */
    async archive(path: SandboxPath, format = "tar.gz"): Promise<ReadableStream<Uint8Array>> {
        const query = { archive: format };
        const response = await this.transport.send(this.at("files", path), { query });
        return response.body ?? new ReadableStream();
    }

    /** Unpacks an archive (tar, zip or 7z) that is sent along. */
    unpack(
        archive: Content,
        into: SandboxPath,
        options: { strip?: number; overwrite?: boolean } = {},
    ): Promise<Extracted> {
        return this.transport.json(this.of("unpack"), {
            method: "POST",
            query: { ...options, into: encoded(into) },
            body: archive as BodyInit,
        });
    }

    /** Unpacks an archive that is in the session. */
    extract(
        archive: SandboxPath,
        into: SandboxPath,
        options: { strip?: number; overwrite?: boolean } = {},
    ): Promise<Extracted> {
        const json = { ...options, archive: encoded(archive), into: encoded(into) };
        return this.transport.json(this.of("extract"), { method: "POST", json });
    }

    /** Changes in a folder, as they happen; ends when you leave the loop. */
    async *watch(
        path: SandboxPath = "/session",
        options: { recursive?: boolean; signal?: AbortSignal } = {},
    ): AsyncGenerator<FileChange, void, undefined> {
        const query = { path: encoded(path), recursive: options.recursive ?? true };
        const request = { query, signal: options.signal };
        const events = this.transport.events(this.of("watch"), request, () => false, false);
        for await (const event of events) {
            if (event.name === "change") {
                const change = JSON.parse(event.data) as Omit<FileChange, "exact">;
                yield { ...change, exact: change.path, path: decoded(change.path) };
            } else if (event.name === "overflow") {
                yield { what: "overflow", path: "/", exact: "", directory: true };
            }
        }
    }

    private async get(path: SandboxPath): Promise<Response> {
        const response = await this.transport.send(this.at("files", path), {});
        if (response.headers.get("X-Atoll-Type") === "directory") {
            await response.body?.cancel();
            throw new AtollError("that is a folder; list() shows what is in it");
        }
        return response;
    }

    private of(what: string): string {
        return `/v1/sessions/${part(this.session)}/${what}`;
    }

    private at(what: string, path: SandboxPath): string {
        return `${this.of(what)}/${encoded(path)}`;
    }
}
