import { queryOptions } from "@tanstack/react-query";
import { getJson, type Schemas } from "@/lib/api";

// A provider that cannot be reached costs the choice, not the chat.
export const availableModelsQuery = queryOptions({
    queryKey: ["models", "available"],
    queryFn: ({ signal }) => getJson<Schemas["AvailableModels"]>("/v1/models/available", signal),
    retry: false,
    staleTime: 20_000,
});
