import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { StateChip } from "@/components/ui/state-dot";
import { formatBytes, formatPercent } from "@/lib/format";
import { sessionQuery } from "@/lib/session-query";

// What the sandbox uses now. Asking for it does not wake it.
export function UsageBar({ session }: { session: string }) {
    const { t } = useTranslation();
    const query = useQuery(sessionQuery(session));
    const state = query.data?.state;
    const usage = state === "hot" || state === "warm" ? query.data?.usage : undefined;
    const limit = query.data?.limits?.memory_bytes_max ?? 0;
    const before = useRef<{ at: number; cpu: number } | null>(null);
    const [cpu, setCpu] = useState<number | null>(null);
    const cpuMs = usage?.cpu_ms;
    const at = query.dataUpdatedAt;
    useEffect(() => {
        if (cpuMs === undefined) {
            before.current = null;
            setCpu(null);
            return;
        }
        const last = before.current;
        before.current = { at, cpu: cpuMs };
        if (last && at > last.at && cpuMs >= last.cpu) setCpu((cpuMs - last.cpu) / (at - last.at));
    }, [at, cpuMs]);
    if (!query.data) return null;
    return (
        <div className="tabular flex h-10 flex-none items-center gap-3 border-t border-line px-4 text-12 text-ink-2">
            <StateChip state={query.data.state} />
            {usage ? (
                <>
                    {limit > 0 && (
                        <meter
                            min={0}
                            max={limit}
                            value={Math.min(usage.memory_bytes, limit)}
                            aria-label={t("activity.memory")}
                            className="usage-meter h-[5px] w-16 flex-none"
                        />
                    )}
                    <span className="truncate">
                        {limit > 0
                            ? t("usage.memoryOf", {
                                  now: formatBytes(usage.memory_bytes),
                                  limit: formatBytes(limit),
                              })
                            : t("usage.memory", {
                                  now: formatBytes(usage.memory_bytes),
                                  peak: formatBytes(usage.memory_peak_bytes),
                              })}
                    </span>
                    <span className="flex-1" />
                    <span className="max-[400px]:hidden">
                        {t("usage.processes", { count: usage.processes })}
                    </span>
                    {cpu !== null && <span>{t("usage.cpu", { share: formatPercent(cpu) })}</span>}
                </>
            ) : (
                <span className="truncate text-ink-3">
                    {query.data.state_note || t("usage.asleep")}
                </span>
            )}
        </div>
    );
}
