import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { infoQuery } from "@/app/info";
import { TopBar } from "@/app/top-bar";
import { Card, Details, Facts, PageBody, TableFrame } from "@/components/page";
import { Button } from "@/components/ui/button";
import { ErrorNotice, Notice } from "@/components/ui/notice";
import { auditQuery, healthQuery, metricsQuery } from "@/features/server/api/server";
import { routeRows, sumOf } from "@/features/server/metrics";
import { ApiError } from "@/lib/api";
import { formatBytes, formatDuration, formatNumber, formatPercent, formatTime } from "@/lib/format";

export function ServerPage() {
    const { t } = useTranslation();
    const info = useQuery(infoQuery);
    const health = useQuery(healthQuery);
    const metrics = useQuery(metricsQuery);
    const samples = metrics.data ?? [];
    const refused = metrics.error instanceof ApiError && metrics.error.status === 403;
    const changes = (name: string) =>
        sumOf(samples, "atoll_session_changes_total", (one) => one.labels.change === name);
    return (
        <>
            <TopBar>
                <h1 className="px-1 text-15 font-semibold">{t("rail.server")}</h1>
            </TopBar>
            <PageBody>
                {info.isError && (
                    <ErrorNotice error={info.error} onRetry={() => void info.refetch()} />
                )}
                {health.data && health.data.status !== "ok" && (
                    <Notice title={t("server.degraded")}>{health.data.sentence}</Notice>
                )}
                {info.isPending && <div className="skeleton h-24" />}
                {info.data && (
                    <Facts
                        rows={[
                            [t("server.hot"), formatNumber(info.data.sessions_hot)],
                            [t("server.warm"), formatNumber(info.data.sessions_warm)],
                            [t("server.pool"), formatNumber(info.data.sandboxes_ready)],
                            ...(metrics.data
                                ? ([
                                      [
                                          t("server.jobs"),
                                          formatNumber(sumOf(samples, "atoll_jobs_running")),
                                      ],
                                      [
                                          t("server.memory"),
                                          formatBytes(sumOf(samples, "atoll_memory_bytes")),
                                      ],
                                      [
                                          t("server.hostFree"),
                                          formatPercent(
                                              sumOf(samples, "atoll_host_memory_free_ratio"),
                                          ),
                                      ],
                                  ] as const)
                                : []),
                        ]}
                        large
                    />
                )}
                {info.data && (
                    <Card title={t("server.about")}>
                        <Details
                            rows={[
                                [t("server.version"), info.data.version],
                                [t("server.walls"), info.data.walls],
                                [t("server.runtimes"), info.data.runtimes.join(", ")],
                                [t("server.networks"), info.data.networks.join(", ")],
                                [
                                    t("server.datasets"),
                                    info.data.datasets.join(", ") || t("server.none"),
                                ],
                                [t("server.model"), info.data.model_note || info.data.model],
                            ]}
                        />
                    </Card>
                )}
                {metrics.isError && !refused && (
                    <ErrorNotice error={metrics.error} onRetry={() => void metrics.refetch()} />
                )}
                {refused && <Notice kind="info" title={t("server.noMetrics")} />}
                {metrics.data && (
                    <>
                        <Card title={t("server.life")}>
                            <Facts
                                rows={[
                                    [t("server.created"), formatNumber(changes("created"))],
                                    [t("server.frozen"), formatNumber(changes("frozen"))],
                                    [t("server.thawed"), formatNumber(changes("thawed"))],
                                    [t("server.evicted"), formatNumber(changes("evicted"))],
                                    [t("server.restored"), formatNumber(changes("restored"))],
                                    [
                                        t("server.evictedForMemory"),
                                        formatNumber(changes("evicted_for_memory")),
                                    ],
                                ]}
                                flat
                            />
                        </Card>
                        <Requests samples={samples} />
                    </>
                )}
                <Audit />
            </PageBody>
        </>
    );
}

function Requests({ samples }: { samples: Parameters<typeof routeRows>[0] }) {
    const { t } = useTranslation();
    const rows = routeRows(samples).slice(0, 12);
    return (
        <Card title={t("server.requests")}>
            <TableFrame
                head={[
                    { label: t("server.route") },
                    { label: t("server.count"), className: "number" },
                    { label: t("server.errors"), className: "number" },
                    { label: t("server.mean"), className: "number" },
                ]}
            >
                {rows.map((row) => (
                    <tr key={row.name}>
                        <td className="font-mono text-12">{row.name}</td>
                        <td className="number">{formatNumber(row.count)}</td>
                        <td className={`number ${row.errors > 0 ? "text-bad" : "text-ink-3"}`}>
                            {formatNumber(row.errors)}
                        </td>
                        <td className="number">{formatDuration(row.meanMs)}</td>
                    </tr>
                ))}
            </TableFrame>
        </Card>
    );
}

function Audit() {
    const { t } = useTranslation();
    const list = useInfiniteQuery(auditQuery);
    const records = list.data?.pages.flatMap((page) => page.records) ?? [];
    // A key without the scope: the rest of the page is for it, this is not.
    if (list.error instanceof ApiError && [401, 403].includes(list.error.status))
        return <Notice kind="info" title={t("server.noAudit")} />;
    if (list.isError) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />;
    return (
        <Card title={t("server.audit")}>
            {list.isSuccess && records.length === 0 && (
                <p className="px-4 py-3 text-13 text-ink-3">{t("server.noRecords")}</p>
            )}
            {records.length > 0 && (
                <TableFrame
                    head={[
                        { label: t("server.when") },
                        { label: t("server.who") },
                        { label: t("server.what") },
                        { label: t("server.object") },
                        { label: t("server.outcome") },
                    ]}
                >
                    {records.map((one) => (
                        <tr key={one.sequence}>
                            <td className="tabular whitespace-nowrap text-ink-2">
                                {formatTime(one.time)}
                            </td>
                            <td>{one.owner || "–"}</td>
                            <td className="font-mono text-12">{one.action}</td>
                            <td
                                className="max-w-60 truncate font-mono text-12 text-ink-2"
                                title={one.object}
                            >
                                {one.object}
                            </td>
                            <td className={one.outcome === "ok" ? "text-hot" : "text-bad"}>
                                {one.outcome}
                            </td>
                        </tr>
                    ))}
                </TableFrame>
            )}
            {list.hasNextPage && (
                <Button small className="m-3" onClick={() => void list.fetchNextPage()}>
                    {t("rail.more")}
                </Button>
            )}
        </Card>
    );
}
