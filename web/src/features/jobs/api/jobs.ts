import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { getJson, sendJson, type Schemas } from "@/lib/api";

export type Job = Schemas["JobView"];
export type LogChunk = Schemas["LogChunkView"];
export const kKinds = ["python", "shell", "javascript", "typescript"] as const;
export type Kind = (typeof kKinds)[number];
const at = (id: string) => `/v1/jobs/${encodeURIComponent(id)}`;
export const isOver = (state: string) => ["succeeded", "failed", "cancelled"].includes(state);

export const jobListQuery = infiniteQueryOptions({
    queryKey: ["jobs"],
    queryFn: ({ pageParam, signal }) => {
        const cursor = pageParam ? `&cursor=${encodeURIComponent(pageParam)}` : "";
        return getJson<Schemas["JobList"]>(`/v1/jobs?limit=50${cursor}`, signal);
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? null,
    refetchInterval: (query) =>
        query.state.data?.pages.some((page) => page.jobs.some((job) => !isOver(job.state)))
            ? 1500
            : 10_000,
});

export const jobQuery = (id: string) =>
    queryOptions({
        queryKey: ["job", id],
        queryFn: ({ signal }) => getJson<Job>(at(id), signal),
        refetchInterval: (query) =>
            query.state.data && isOver(query.state.data.state) ? false : 1000,
    });

export const submitJob = (kind: Kind, code: string) =>
    sendJson<Job>("POST", "/v1/jobs", { kind, code });
export const cancelJob = (id: string) => sendJson<Job>("POST", `${at(id)}/cancel`);
export const logAddress = (id: string) => `${at(id)}/logs`;
