import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/lib/api";
import { formatBytes, formatPercent } from "@/lib/format";
import { recordUsage, type Sample } from "../samples";
import { Graph } from "./graph";

const kSpanMs = 5 * 60_000;

interface GraphsProps {
    session: Schemas["SessionView"];
    // When the session was asked for.
    at: number;
}

// Memory and processor over the last five minutes, against the session's limits. Where it may use
// all processors, against one of them, or more if it used more.
export default function UsageGraphs({ session, at }: GraphsProps) {
    const { t } = useTranslation();
    const [samples, setSamples] = useState<readonly Sample[]>([]);
    const { usage, limits } = session;
    useEffect(() => setSamples(recordUsage(session.id, at, usage)), [session.id, at, usage]);
    const now = samples.at(-1);
    const begin = (now?.at ?? at) - kSpanMs;
    const recent = samples.filter((one) => one.at >= begin);
    const peak = Math.max(usage?.memory_peak_bytes ?? 0, ...recent.map((one) => one.memory), 1);
    const memoryMax = limits?.memory_bytes_max ?? 0;
    const most = Math.max(memoryMax, peak);
    const used = Math.max(1, Math.ceil(Math.max(0, ...recent.map((one) => one.cpu ?? 0))));
    const cpus = limits?.cpus_max || used;
    const x = (one: Sample) => (one.at - begin) / kSpanMs;
    return (
        <div className="flex flex-none flex-wrap gap-3 border-b border-soft p-4">
            <Graph
                label={t("activity.memory")}
                value={usage ? formatBytes(usage.memory_bytes) : "–"}
                points={recent.map((one) => ({ x: x(one), y: one.memory / most }))}
                foot={[
                    t("activity.peak", { size: formatBytes(peak > 1 ? peak : 0) }),
                    ...(memoryMax ? [t("activity.limit", { size: formatBytes(memoryMax) })] : []),
                ].join(" · ")}
            />
            <Graph
                label={t("activity.cpu")}
                value={now?.cpu == null || !usage ? "–" : formatPercent(now.cpu)}
                points={recent.map((one) => ({
                    x: x(one),
                    y: one.cpu === null ? null : Math.min(1, one.cpu / cpus),
                }))}
                foot={t("activity.ofCpus", { count: cpus })}
            />
        </div>
    );
}
