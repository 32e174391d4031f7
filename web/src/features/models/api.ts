import { queryOptions } from "@tanstack/react-query";
import { ApiError, getJson, sendJson, type Schemas } from "@/lib/api";

export type ModelSettings = Schemas["ModelSettingsView"];
export type ModelChange = Schemas["PatchModelSettings"];
export type LocalServer = Schemas["LocalModelServer"];

// Of those who may not see it there is nothing to ask again.
const isRefused = (error: unknown) => error instanceof ApiError && error.status === 403;

export const modelSettingsQuery = queryOptions({
    queryKey: ["model-settings"],
    queryFn: ({ signal }) => getJson<ModelSettings>("/v1/model-settings", signal),
    retry: (count, error) => count < 2 && !isRefused(error),
});

export const availableQuery = queryOptions({
    queryKey: ["models", "available"],
    queryFn: ({ signal }) => getJson<Schemas["AvailableModels"]>("/v1/models/available", signal),
    retry: false,
    staleTime: 20_000,
});

// A POST, for the server asks around; kept until somebody looks again.
export const localServersQuery = queryOptions({
    queryKey: ["models", "local"],
    queryFn: async () => {
        const found = await sendJson<Schemas["LocalModelServers"]>("POST", "/v1/models/probe");
        return found.servers;
    },
    retry: false,
    staleTime: 60_000,
});

export const changeModel = (change: ModelChange) =>
    sendJson<ModelSettings>("PATCH", "/v1/model-settings", change);
export const forgetModel = () => sendJson<ModelSettings>("DELETE", "/v1/model-settings");
