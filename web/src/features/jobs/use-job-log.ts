// A job's log as it grows: server-sent events, taken up again after the last chunk that was seen.
import { useEffect, useState } from "react";
import { ApiError, request } from "@/lib/api";
import { eventsOf } from "@/lib/sse";
import { logAddress, type LogChunk } from "./api/jobs";

export interface JobLog {
    chunks: readonly LogChunk[];
    error: unknown;
}

const kPauseMs = 1000;

export function useJobLog(id: string): JobLog {
    const [log, setLog] = useState<JobLog>({ chunks: [], error: null });
    useEffect(() => {
        const abort = new AbortController();
        let lastId = "";
        let chunks: readonly LogChunk[] = [];
        const read = async () => {
            while (!abort.signal.aborted) {
                const headers: Record<string, string> = { Accept: "text/event-stream" };
                if (lastId) headers["Last-Event-ID"] = lastId;
                try {
                    const response = await request(logAddress(id), {
                        headers,
                        signal: abort.signal,
                    });
                    for await (const event of eventsOf(response)) {
                        if (event.name === "ended") return;
                        if (event.id) lastId = event.id;
                        chunks = [...chunks, JSON.parse(event.data) as LogChunk];
                        setLog({ chunks, error: null });
                    }
                } catch (error) {
                    if (abort.signal.aborted) return;
                    if (error instanceof ApiError && error.status !== 0) {
                        setLog({ chunks, error });
                        return;
                    }
                }
                await new Promise((resolve) => setTimeout(resolve, kPauseMs));
            }
        };
        void read();
        return () => abort.abort();
    }, [id]);
    return log;
}
