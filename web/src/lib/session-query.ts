// A session as several features look at it: its state, limits and use. Asking does not wake it.
import { queryOptions } from "@tanstack/react-query";
import { getJson, type Schemas } from "@/lib/api";

export type Session = Schemas["SessionView"];

export const sessionQuery = (id: string) =>
    queryOptions({
        queryKey: ["session", id],
        queryFn: ({ signal }) => getJson<Session>(`/v1/sessions/${encodeURIComponent(id)}`, signal),
        refetchInterval: 3000,
    });
