import { queryOptions } from "@tanstack/react-query";
import { getJson, type Schemas } from "@/lib/api";

// What the server is; asked again now and then, so that one that went away is noticed.
export const infoQuery = queryOptions({
    queryKey: ["info"],
    queryFn: ({ signal }) => getJson<Schemas["Info"]>("/v1/info", signal),
    refetchInterval: (query) => (query.state.status === "error" ? 3000 : 20_000),
});

export const isOffline = (info: Schemas["Info"] | undefined) =>
    info?.model.startsWith("offline/") ?? false;
