import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { getJson, request, type Schemas } from "@/lib/api";
import { parseMetrics } from "../metrics";

export const healthQuery = queryOptions({
    queryKey: ["health"],
    queryFn: ({ signal }) => getJson<Schemas["Health"]>("/healthz", signal),
    refetchInterval: 10_000,
});

export const metricsQuery = queryOptions({
    queryKey: ["metrics"],
    queryFn: async ({ signal }) =>
        parseMetrics(await (await request("/metrics", { signal })).text()),
    refetchInterval: 5000,
});

export const auditQuery = infiniteQueryOptions({
    queryKey: ["audit"],
    queryFn: ({ pageParam, signal }) => {
        const cursor = pageParam ? `&cursor=${encodeURIComponent(pageParam)}` : "";
        return getJson<Schemas["AuditList"]>(`/v1/audit?limit=25${cursor}`, signal);
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? null,
});
