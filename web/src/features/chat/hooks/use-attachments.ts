// Files on their way to the server, each with its progress, its end, and a retry if it failed.
import { useCallback, useRef, useState } from "react";
import type { Schemas } from "@/lib/api";
import { fileAddress } from "@/lib/addresses";
import { upload } from "@/lib/upload";

export interface Attachment {
    key: number;
    file: File;
    fraction: number;
    state: "sending" | "done" | "failed";
    error: unknown;
    // Of the upload, for a thread that is yet to be made.
    fileId: string;
}

let next = 1;

// With a session, files go to its /data; without, to /upload.
async function send(
    file: File,
    session: string,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
) {
    if (session) {
        const path = `${fileAddress(session, `/data/${file.name}`)}?parents=true`;
        await upload({ method: "PUT", path, body: file, onProgress, signal });
        return "";
    }
    const body = new FormData();
    body.append("files", file, file.name);
    const options = { method: "POST", path: "/upload", body, onProgress, signal };
    return (await upload<Schemas["UploadAnswer"]>(options)).file_id;
}

export function useAttachments(session: string) {
    const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
    const aborts = useRef(new Map<number, AbortController>());

    const change = useCallback((key: number, to: Partial<Attachment>) => {
        setAttachments((all) => all.map((one) => (one.key === key ? { ...one, ...to } : one)));
    }, []);

    const start = useCallback(
        (key: number, file: File) => {
            const abort = new AbortController();
            aborts.current.set(key, abort);
            change(key, { state: "sending", fraction: 0, error: null });
            send(file, session, (fraction) => change(key, { fraction }), abort.signal).then(
                (fileId) => change(key, { state: "done", fraction: 1, fileId }),
                (error: unknown) => {
                    if (!abort.signal.aborted) change(key, { state: "failed", error });
                },
            );
        },
        [change, session],
    );

    const add = useCallback(
        (files: Iterable<File>) => {
            for (const file of files) {
                const key = next++;
                const one: Attachment = {
                    key,
                    file,
                    fraction: 0,
                    state: "sending",
                    error: null,
                    fileId: "",
                };
                setAttachments((all) => [...all, one]);
                start(key, file);
            }
        },
        [start],
    );

    const remove = useCallback((key: number) => {
        aborts.current.get(key)?.abort();
        setAttachments((all) => all.filter((one) => one.key !== key));
    }, []);

    const clear = useCallback(() => setAttachments([]), []);
    return { attachments, add, remove, retry: start, clear };
}
