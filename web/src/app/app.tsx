import * as Tooltip from "@radix-ui/react-tooltip";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { KeyGate } from "@/app/key-gate";
import { router } from "@/app/router";
import { Toasts } from "@/components/ui/toasts";
import { ApiError } from "@/lib/api";

const client = new QueryClient({
    defaultOptions: {
        queries: {
            staleTime: 5000,
            // A server that is starting, or a network that is away for a moment. What the server
            // refused it will refuse again.
            retry: (count, error) =>
                error instanceof ApiError && [0, 502, 503, 504].includes(error.status) && count < 2,
            networkMode: "always",
        },
        mutations: { networkMode: "always" },
    },
});

export function App() {
    return (
        <QueryClientProvider client={client}>
            <Tooltip.Provider delayDuration={400}>
                <RouterProvider router={router} />
                <KeyGate />
                <Toasts />
            </Tooltip.Provider>
        </QueryClientProvider>
    );
}
