import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ChevronDown, ChevronRight, Cpu, Play, Square } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { FoldedText } from "@/components/code-view";
import { Button, IconButton } from "@/components/ui/button";
import { Empty } from "@/components/ui/empty";
import { ErrorNotice } from "@/components/ui/notice";
import { StateChip } from "@/components/ui/state-dot";
import { getJson, sendJson, type Schemas } from "@/lib/api";
import { formatTime } from "@/lib/format";

type Process = Schemas["ProcessView"];
const at = (session: string) => `/v1/sessions/${encodeURIComponent(session)}/processes`;
const lives = (one: Process) => one.state !== "ended";

const processesQuery = (session: string) =>
    queryOptions({
        queryKey: ["session", session, "processes"],
        queryFn: ({ signal }) => getJson<Schemas["ProcessList"]>(at(session), signal),
        // Only while something runs: asking would keep an idle session awake.
        refetchInterval: (query) => (query.state.data?.processes.some(lives) ? 2000 : false),
    });

export default function ProcessesTab({ session }: { session: string }) {
    const { t } = useTranslation();
    const client = useQueryClient();
    const list = useQuery(processesQuery(session));
    const [command, setCommand] = useState("");
    const [keepAwake, setKeepAwake] = useState(false);
    const refresh = () => client.invalidateQueries({ queryKey: ["session", session, "processes"] });
    const start = useMutation({
        mutationFn: () => sendJson("POST", at(session), { command, keep_awake: keepAwake }),
        onSuccess: () => setCommand(""),
        onSettled: refresh,
    });
    return (
        <div className="flex min-h-0 flex-1 flex-col">
            <form
                className="flex flex-none flex-wrap items-center gap-2 border-b border-soft px-4 py-3"
                onSubmit={(event) => {
                    event.preventDefault();
                    if (command.trim()) start.mutate();
                }}
            >
                <input
                    value={command}
                    onChange={(event) => setCommand(event.target.value)}
                    aria-label={t("processes.command")}
                    placeholder={t("processes.placeholder")}
                    spellCheck={false}
                    autoComplete="off"
                    className="h-8 min-w-40 flex-1 rounded-lg border border-line bg-bg px-2.5 font-mono text-12 focus-visible:border-accent"
                />
                <label className="flex items-center gap-1.5 text-12 text-ink-2">
                    <input
                        type="checkbox"
                        checked={keepAwake}
                        onChange={(event) => setKeepAwake(event.target.checked)}
                        className="accent-accent"
                    />
                    {t("processes.keepAwake")}
                </label>
                <Button
                    small
                    kind="primary"
                    type="submit"
                    disabled={!command.trim() || start.isPending}
                >
                    <Play size={13} />
                    {t("processes.start")}
                </Button>
            </form>
            {start.isError && (
                <div className="px-4 pt-3">
                    <ErrorNotice error={start.error} />
                </div>
            )}
            {list.isError && (
                <div className="p-4">
                    <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
                </div>
            )}
            {list.isPending && <div className="skeleton m-4 h-12" />}
            {list.data?.processes.length === 0 && (
                <Empty
                    icon={<Cpu size={22} />}
                    title={t("processes.empty")}
                    text={t("processes.emptyText")}
                    code={t("processes.emptyCode")}
                />
            )}
            <ul className="min-h-0 flex-1 overflow-y-auto">
                {list.data?.processes.map((one) => (
                    <Row
                        key={one.id}
                        session={session}
                        process={one}
                        onChange={() => void refresh()}
                    />
                ))}
            </ul>
        </div>
    );
}

// bash -c and its line: the line is what somebody typed.
function lineOf(argv: readonly string[]): string {
    const isLine = argv.length === 3 && /(^|\/)(ba)?sh$/.test(argv[0] ?? "") && argv[1] === "-c";
    return isLine ? (argv[2] ?? "") : argv.join(" ");
}

function Row({
    session,
    process,
    onChange,
}: {
    session: string;
    process: Process;
    onChange: () => void;
}) {
    const { t } = useTranslation();
    const [open, setOpen] = useState(false);
    const path = `${at(session)}/${encodeURIComponent(process.id)}`;
    const output = useQuery({
        queryKey: ["session", session, "output", process.id],
        queryFn: ({ signal }) => getJson<Schemas["OutputAnswer"]>(`${path}/output`, signal),
        enabled: open,
        refetchInterval: open && lives(process) ? 1000 : false,
    });
    const stop = useMutation({
        mutationFn: () => sendJson("POST", `${path}/signal`, { signal: "term" }),
        onSettled: onChange,
    });
    const Arrow = open ? ChevronDown : ChevronRight;
    const end =
        process.reason === "sandbox"
            ? t("processes.slept")
            : process.exit_code !== undefined
              ? t("processes.exit", { code: process.exit_code })
              : "";
    return (
        <li className="border-b border-soft">
            <div className="flex items-center gap-2 px-3 py-2 text-13">
                <button
                    type="button"
                    aria-expanded={open}
                    onClick={() => setOpen(!open)}
                    className="flex min-w-0 flex-1 items-center gap-2 text-left"
                >
                    <Arrow size={14} className="flex-none text-ink-3" />
                    <span className="min-w-0 flex-1">
                        <span className="block truncate font-mono text-12">
                            {lineOf(process.argv)}
                        </span>
                        <span className="tabular block truncate text-12 text-ink-3">
                            {formatTime(process.started_at)}
                            {end && ` · ${end}`}
                        </span>
                    </span>
                </button>
                <StateChip state={process.state} />
                {lives(process) && (
                    <IconButton
                        small
                        label={t("processes.stop")}
                        disabled={stop.isPending}
                        onClick={() => stop.mutate()}
                    >
                        <Square size={13} />
                    </IconButton>
                )}
            </div>
            {stop.isError && (
                <div className="px-3 pb-2">
                    <ErrorNotice error={stop.error} />
                </div>
            )}
            {open && output.isError && (
                <div className="px-3 pb-2">
                    <ErrorNotice error={output.error} onRetry={() => void output.refetch()} />
                </div>
            )}
            {open &&
                output.data &&
                (output.data.stdout + output.data.stderr === "" ? (
                    <p className="px-9 pb-2 text-12 text-ink-3">{t("processes.silent")}</p>
                ) : (
                    <>
                        {output.data.stdout && (
                            <FoldedText
                                text={output.data.stdout.trimEnd()}
                                lines={20}
                                from="end"
                                className="bg-code"
                            />
                        )}
                        {output.data.stderr && (
                            <FoldedText
                                text={output.data.stderr.trimEnd()}
                                lines={20}
                                from="end"
                                className="bg-bad-soft"
                            />
                        )}
                    </>
                ))}
        </li>
    );
}
