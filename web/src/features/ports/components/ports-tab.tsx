// Web servers in the sandbox, each with a preview and an address of its own.
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ExternalLink, Network, Play, RefreshCw } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/ui/button";
import { Empty } from "@/components/ui/empty";
import { ErrorNotice } from "@/components/ui/notice";
import { frameRules, listPorts, openPort, portAddress, startServer } from "@/lib/ports";

const kExamplePort = 8000;
const kExample = `from http.server import ThreadingHTTPServer, SimpleHTTPRequestHandler
server = ThreadingHTTPServer(("127.0.0.1", ${kExamplePort}), SimpleHTTPRequestHandler)
server.serve_forever()`;

// Not asked again by itself: that would wake a frozen session, and keep it awake.
const portsQuery = (session: string) =>
    queryOptions({
        queryKey: ["session", session, "ports"],
        queryFn: () => listPorts(session),
    });

export default function PortsTab({ session }: { session: string }) {
    const { t } = useTranslation();
    const client = useQueryClient();
    const list = useQuery(portsQuery(session));
    const [shown, setShown] = useState(0);
    const refresh = () => client.invalidateQueries({ queryKey: ["session", session, "ports"] });
    const start = useMutation({
        mutationFn: () => startServer(session, ["python3", "-c", kExample], kExamplePort),
        onSuccess: () => setShown(kExamplePort),
        onSettled: refresh,
    });
    if (list.isPending) return <div className="skeleton m-4 h-12" />;
    const ports = (list.data ?? []).map((one) => one.port);
    const port = ports.includes(shown) ? shown : 0;
    return (
        <div className="flex min-h-0 flex-1 flex-col">
            <div className="flex min-h-10 flex-none flex-wrap items-center gap-1.5 border-b border-soft py-1 pr-2 pl-4 text-12 text-ink-3">
                <span className="flex-1">
                    {t("ports.count", { count: ports.length, ports: ports.length })}
                </span>
                <IconButton small label={t("common.refresh")} onClick={() => void list.refetch()}>
                    <RefreshCw size={14} />
                </IconButton>
            </div>
            {(list.error ?? start.error) && (
                <div className="p-4">
                    <ErrorNotice
                        error={list.error ?? start.error}
                        onRetry={() => void list.refetch()}
                    />
                </div>
            )}
            {ports.length === 0 ? (
                <Empty
                    icon={<Network size={22} />}
                    title={t("ports.empty")}
                    text={t("ports.emptyText")}
                    code={kExample}
                >
                    <Button
                        small
                        kind="primary"
                        className="mt-2"
                        disabled={start.isPending}
                        onClick={() => start.mutate()}
                    >
                        <Play size={13} />
                        {t("ports.run")}
                    </Button>
                </Empty>
            ) : (
                <ul className="flex-none border-b border-line">
                    {ports.map((one) => (
                        <li
                            key={one}
                            className="flex items-center gap-2 border-b border-soft px-4 py-1.5 text-13 last:border-0"
                        >
                            <span className="tabular flex-1 font-mono">:{one}</span>
                            <Button
                                small
                                aria-pressed={port === one}
                                className="aria-pressed:border-accent aria-pressed:text-accent"
                                onClick={() => setShown(port === one ? 0 : one)}
                            >
                                {t("ports.preview")}
                            </Button>
                            <IconButton
                                small
                                label={t("ports.open", { port: one })}
                                onClick={() => void openPort(session, one)}
                            >
                                <ExternalLink size={14} />
                            </IconButton>
                        </li>
                    ))}
                </ul>
            )}
            {port > 0 && <PortFrame key={port} session={session} port={port} />}
        </div>
    );
}

function PortFrame({ session, port }: { session: string; port: number }) {
    const { t } = useTranslation();
    const address = useQuery({
        queryKey: ["session", session, "port", port],
        queryFn: () => portAddress(session, port),
        staleTime: 300_000,
    });
    if (address.isPending) return <div className="skeleton m-4 h-40" />;
    if (address.isError)
        return (
            <div className="p-4">
                <ErrorNotice error={address.error} onRetry={() => void address.refetch()} />
            </div>
        );
    return (
        <iframe
            title={t("ports.frame", { port })}
            src={address.data}
            sandbox={frameRules(address.data)}
            referrerPolicy="no-referrer"
            className="min-h-0 w-full flex-1 border-0 bg-white"
        />
    );
}
