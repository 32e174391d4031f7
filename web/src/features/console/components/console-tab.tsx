// Python on the kernel of the chat: the same variables.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Eraser, Play, RotateCcw, Square, SquareTerminal } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/ui/button";
import { Confirm } from "@/components/ui/dialog";
import { Empty } from "@/components/ui/empty";
import { ErrorNotice } from "@/components/ui/notice";
import { interrupt, kThreadContext, restartKernel } from "@/lib/kernel";
import { sessionQuery } from "@/lib/session-query";
import { clearConsole, isRunning, runInConsole, useConsole } from "../store";
import { ConsoleInput } from "./console-input";
import { EntryView } from "./entry-view";

const kExample = `import pandas as pd
df = pd.DataFrame({"city": ["Bern", "Basel"], "people": [137, 178]})
df.plot.bar(x="city")`;

export default function ConsoleTab({ session }: { session: string }) {
    const { t } = useTranslation();
    const client = useQueryClient();
    const entries = useConsole(session);
    const running = entries.some(isRunning);
    const memoryMax = useQuery(sessionQuery(session)).data?.limits?.memory_bytes_max ?? 0;
    const [asking, setAsking] = useState(false);
    const end = useRef<HTMLDivElement>(null);
    const count = entries.length;
    const last = entries.at(-1);
    useEffect(() => {
        void end.current?.scrollIntoView({ block: "nearest" });
    }, [count, last]);
    const changed = () => {
        void client.invalidateQueries({ queryKey: ["session", session] });
    };
    const stop = useMutation({ mutationFn: () => interrupt(session, kThreadContext) });
    const restart = useMutation({
        mutationFn: () => restartKernel(session, kThreadContext),
        onSettled: changed,
    });
    const run = (code: string) => void runInConsole(session, code).then(changed);
    return (
        <div className="flex min-h-0 flex-1 flex-col">
            <div className="flex h-10 flex-none items-center gap-0.5 border-b border-soft pr-2 pl-4 text-12 text-ink-3">
                <span className="min-w-0 flex-1 truncate">{t("console.about")}</span>
                <IconButton
                    small
                    label={t("console.stop")}
                    disabled={!running}
                    onClick={() => stop.mutate()}
                >
                    <Square size={13} />
                </IconButton>
                <IconButton
                    small
                    label={t("console.clear")}
                    disabled={running || count === 0}
                    onClick={() => clearConsole(session)}
                >
                    <Eraser size={14} />
                </IconButton>
                <IconButton small label={t("variables.restart")} onClick={() => setAsking(true)}>
                    <RotateCcw size={14} />
                </IconButton>
            </div>
            <div className="min-h-0 flex-1 overflow-y-auto" tabIndex={0} aria-live="polite">
                {count === 0 && (
                    <Empty
                        icon={<SquareTerminal size={22} />}
                        title={t("console.empty")}
                        text={t("console.emptyText")}
                        code={kExample}
                    >
                        <Button small kind="primary" className="mt-2" onClick={() => run(kExample)}>
                            <Play size={13} />
                            {t("ports.run")}
                        </Button>
                    </Empty>
                )}
                {entries.map((entry) => (
                    <EntryView
                        key={entry.id}
                        entry={entry}
                        memoryMax={memoryMax}
                        onRestart={() => restart.mutate()}
                    />
                ))}
                {(stop.error ?? restart.error) && (
                    <div className="p-3">
                        <ErrorNotice error={stop.error ?? restart.error} />
                    </div>
                )}
                <div ref={end} />
            </div>
            <ConsoleInput
                session={session}
                busy={running}
                history={entries.map((one) => one.code)}
                onRun={run}
            />
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
