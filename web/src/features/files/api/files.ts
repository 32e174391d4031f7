import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { fileAddress, filePath } from "@/lib/addresses";
import { ApiError, getJson, request, sendJson, type Schemas } from "@/lib/api";

export type FileView = Schemas["FileView"];
const at = (session: string) => `/v1/sessions/${encodeURIComponent(session)}`;

// `path` as the API has it: without the first slash, in percent.
export const folderQuery = (session: string, path: string) =>
    queryOptions({
        queryKey: ["session", session, "folder", path],
        queryFn: ({ signal }) =>
            getJson<Schemas["FileList"]>(`${at(session)}/files/${path}?limit=2000`, signal),
    });

export const artifactsQuery = (session: string) =>
    queryOptions({
        queryKey: ["session", session, "artifacts"],
        queryFn: ({ signal }) => getJson<Schemas["Artifacts"]>(`${at(session)}/artifacts`, signal),
    });

// Answers as a folder does, with the one entry.
async function stat(session: string, file: string, signal?: AbortSignal): Promise<FileView> {
    const path = `${fileAddress(session, file)}?stat=true`;
    const [entry] = (await getJson<Schemas["FileList"]>(path, signal)).entries;
    if (!entry) throw new ApiError(404, "");
    return entry;
}

export const statQuery = (session: string, file: string) =>
    queryOptions({
        queryKey: ["session", session, "stat", file],
        queryFn: ({ signal }) => stat(session, file, signal),
    });

const kPieceBytes = 256 * 1024;
export interface Piece {
    text: string;
    end: number;
    total: number;
    binary: boolean;
}

// A text in pieces, so that a file of a gigabyte shows its beginning at once. The end of a piece
// is moved back to a whole line.
export async function readPiece(
    address: string,
    from: number,
    signal?: AbortSignal,
): Promise<Piece> {
    const headers = { Range: `bytes=${from}-${from + kPieceBytes - 1}` };
    let response: Response;
    try {
        response = await request(address, { headers, signal });
    } catch (error) {
        // An empty file has no byte to give.
        if (error instanceof Error && "status" in error && error.status === 416) {
            return { text: "", end: 0, total: 0, binary: false };
        }
        throw error;
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    const range = /\/(\d+)$/.exec(response.headers.get("Content-Range") ?? "")?.[1];
    const total = range ? Number(range) : from + bytes.length;
    const binary = bytes.subarray(0, 8192).includes(0);
    let length = bytes.length;
    if (from + length < total) {
        const line = bytes.lastIndexOf(10);
        if (line > 0) length = line + 1;
    }
    const text = new TextDecoder().decode(bytes.subarray(0, length));
    return { text, end: from + length, total, binary };
}

export const contentQuery = (session: string, file: string) =>
    infiniteQueryOptions({
        queryKey: ["session", session, "content", file],
        queryFn: ({ pageParam, signal }) =>
            readPiece(fileAddress(session, file), pageParam, signal),
        initialPageParam: 0,
        getNextPageParam: (piece) => (!piece.binary && piece.end < piece.total ? piece.end : null),
    });

// Refused with 412 if somebody else changed the file since `etag` was read; an empty one: never.
// The server has no If-Match for writes, so a change in the very moment of saving is not seen.
export async function saveFile(
    session: string,
    file: string,
    text: string,
    etag: string,
): Promise<void> {
    if (etag) {
        const now = await stat(session, file);
        if (now.etag !== etag) throw new ApiError(412, "");
    }
    const headers = { "Content-Type": "application/octet-stream" };
    const path = `${fileAddress(session, file)}?parents=true`;
    await request(path, { method: "PUT", body: text, headers });
}

export async function makeFolder(session: string, path: string): Promise<void> {
    await request(`${at(session)}/folders/${filePath(path)}?parents=true`, { method: "PUT" });
}

export async function moveFile(session: string, from: string, to: string): Promise<void> {
    await sendJson("POST", `${at(session)}/move`, { from, to, parents: true });
}

export async function removeFile(session: string, file: string): Promise<void> {
    await request(`${fileAddress(session, file)}?recursive=true`, { method: "DELETE" });
}
