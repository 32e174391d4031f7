import { infiniteQueryOptions } from "@tanstack/react-query";
import { getJson, request, sendJson, type Schemas } from "@/lib/api";

export type Key = Schemas["KeyView"];
export const kScopes = [
    "sessions:read",
    "sessions:write",
    "run",
    "files",
    "jobs",
    "threads",
    "metrics",
    "admin",
] as const;

export const keyListQuery = infiniteQueryOptions({
    queryKey: ["keys"],
    queryFn: ({ pageParam, signal }) => {
        const cursor = pageParam ? `&cursor=${encodeURIComponent(pageParam)}` : "";
        return getJson<Schemas["KeyList"]>(`/v1/keys?limit=100${cursor}`, signal);
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? null,
});

export type NewKey = Partial<Schemas["CreateKey"]>;
export const createKey = (key: NewKey) => sendJson<Key>("POST", "/v1/keys", key);
export const revokeKey = async (id: string) =>
    void (await request(`/v1/keys/${encodeURIComponent(id)}`, { method: "DELETE" }));
