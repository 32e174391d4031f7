import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Braces, RefreshCw, RotateCcw, Table2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/ui/button";
import { Confirm } from "@/components/ui/dialog";
import { Empty } from "@/components/ui/empty";
import { ErrorNotice } from "@/components/ui/notice";
import { ApiError, getJson, type Schemas } from "@/lib/api";
import { formatBytes, formatNumber } from "@/lib/format";
import { kThreadContext, restartKernel } from "@/lib/kernel";
import { VariableGrid } from "./variable-grid";

const at = (session: string) =>
    `/v1/sessions/${encodeURIComponent(session)}/contexts/${kThreadContext}`;

// Seldom what somebody looks for; frames and arrays are, and come first.
const kPlumbing = /^(module|.*\.module|.*function|.*method|type|.*\.type|.*ABCMeta)$/;

// What the grid can show.
const isTable = (one: Schemas["VariableView"]) =>
    /(^|\.)(DataFrame|Series|Table|RecordBatch)$/.test(one.type) ||
    (/ndarray$/.test(one.type) && [1, 2].includes(one.shape?.length ?? 0));

const variablesQuery = (session: string) =>
    queryOptions({
        queryKey: ["session", session, "variables"],
        queryFn: async ({ signal }): Promise<Schemas["VariableList"]> => {
            try {
                return await getJson(`${at(session)}/variables?limit=500`, signal);
            } catch (error) {
                // No code has run yet, so there is no kernel.
                if (error instanceof ApiError && error.status === 404)
                    return { variables: [], total: 0 };
                throw error;
            }
        },
    });

interface VariablesProps {
    session: string;
    // The variable that shows as a table.
    opened: string;
    onOpen: (name: string) => void;
}

export default function VariablesTab({ session, opened, onOpen }: VariablesProps) {
    const { t } = useTranslation();
    const client = useQueryClient();
    const list = useQuery(variablesQuery(session));
    const [asking, setAsking] = useState(false);
    const [all, setAll] = useState(false);
    const restart = useMutation({
        mutationFn: () => restartKernel(session, kThreadContext),
        onSettled: () => client.invalidateQueries({ queryKey: ["session", session, "variables"] }),
    });
    if (list.isPending)
        return (
            <div className="p-4">
                {[0, 1, 2].map((key) => (
                    <div key={key} className="skeleton mb-2 h-8" />
                ))}
            </div>
        );
    if (list.isError)
        return (
            <div className="p-4">
                <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
            </div>
        );
    const { variables } = list.data;
    if (opened) return <VariableGrid session={session} name={opened} onClose={() => onOpen("")} />;
    const shown = variables
        .filter((one) => all || !kPlumbing.test(one.type))
        .sort((a, b) => Number(!!b.shape) - Number(!!a.shape));
    const total = shown.length;
    return (
        <div className="flex min-h-0 flex-1 flex-col">
            <div className="flex h-10 flex-none items-center gap-0.5 pr-2 pl-4 text-12 text-ink-3">
                <span className="flex-1">
                    {t("variables.count", { count: total, total: formatNumber(total) })}
                </span>
                <label className="mr-1 flex items-center gap-1.5">
                    <input
                        type="checkbox"
                        checked={all}
                        onChange={(event) => setAll(event.target.checked)}
                        className="accent-accent"
                    />
                    {t("variables.all")}
                </label>
                <IconButton small label={t("common.refresh")} onClick={() => void list.refetch()}>
                    <RefreshCw size={14} />
                </IconButton>
                <IconButton
                    small
                    label={t("variables.restart")}
                    disabled={restart.isPending}
                    onClick={() => setAsking(true)}
                >
                    <RotateCcw size={14} />
                </IconButton>
            </div>
            {restart.isError && (
                <div className="px-4 pb-2">
                    <ErrorNotice error={restart.error} />
                </div>
            )}
            {shown.length === 0 ? (
                <Empty
                    icon={<Braces size={22} />}
                    title={t("variables.empty")}
                    text={t("variables.emptyText")}
                />
            ) : (
                <ul className="min-h-0 flex-1 overflow-auto border-t border-line" tabIndex={0}>
                    {shown.map((one) => (
                        <li key={one.name} className="border-b border-soft px-4 py-2">
                            <div className="flex items-baseline gap-2 font-mono text-[12.5px]">
                                {isTable(one) ? (
                                    <button
                                        type="button"
                                        title={t("variables.open", { name: one.name })}
                                        onClick={() => onOpen(one.name)}
                                        className="flex min-w-0 items-center gap-1.5 font-semibold hover:text-accent"
                                    >
                                        <Table2 size={13} className="flex-none text-accent" />
                                        <span className="truncate">{one.name}</span>
                                    </button>
                                ) : (
                                    <b className="min-w-0 truncate font-semibold" title={one.name}>
                                        {one.name}
                                    </b>
                                )}
                                <span className="flex-none text-12 text-accent" title={one.type}>
                                    {one.type.split(".").pop()}
                                </span>
                                {one.shape && (
                                    <span className="tabular flex-none text-12 text-ink-2">
                                        {one.shape.map((side) => formatNumber(side)).join(" × ")}
                                    </span>
                                )}
                                <span className="flex-1" />
                                <span className="tabular flex-none font-sans text-12 text-ink-3">
                                    {formatBytes(one.size_bytes)}
                                </span>
                            </div>
                            <pre
                                className={`overflow-x-auto font-mono text-12 text-ink-2 ${one.shape ? "max-h-40" : "line-clamp-2 break-all whitespace-pre-wrap"}`}
                            >
                                {one.preview}
                            </pre>
                        </li>
                    ))}
                </ul>
            )}
            {asking && (
                <Confirm
                    title={t("variables.restart")}
                    text={t("variables.restartText")}
                    action={t("variables.restart")}
                    onConfirm={() => restart.mutate()}
                    onClose={() => setAsking(false)}
                />
            )}
        </div>
    );
}
