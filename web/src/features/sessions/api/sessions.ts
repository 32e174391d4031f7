import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { getJson, request, sendJson, type Schemas } from "@/lib/api";
import type { Session } from "@/lib/session-query";

export const kStates = ["hot", "warm", "cold", "starting", "failed"] as const;
const at = (id: string) => `/v1/sessions/${encodeURIComponent(id)}`;

export const sessionListQuery = (state: string) =>
    infiniteQueryOptions({
        queryKey: ["sessions", state],
        queryFn: ({ pageParam, signal }) => {
            const query = new URLSearchParams({ limit: "100" });
            if (state) query.set("state", state);
            if (pageParam) query.set("cursor", pageParam);
            return getJson<Schemas["SessionList"]>(`/v1/sessions?${query}`, signal);
        },
        initialPageParam: "",
        getNextPageParam: (page) => page.next_cursor ?? null,
        refetchInterval: 5000,
    });

export const templatesQuery = queryOptions({
    queryKey: ["templates"],
    queryFn: ({ signal }) => getJson<Schemas["TemplateList"]>("/v1/templates", signal),
    staleTime: 60_000,
});

export type Action = "pause" | "resume" | "evict" | "restart";

export const act = (id: string, action: Action) => sendJson<unknown>("POST", `${at(id)}/${action}`);
export type NewSession = Partial<Omit<Schemas["CreateSession"], "limits">> & {
    limits?: Partial<Schemas["LimitsBody"]>;
};
export const createSession = (wish: NewSession) => sendJson<Session>("POST", "/v1/sessions", wish);
export const deleteSession = async (id: string) =>
    void (await request(at(id), { method: "DELETE" }));
export const forkSession = (id: string) =>
    sendJson<Schemas["SessionList"]>("POST", `${at(id)}/fork`, { count: 1 });
