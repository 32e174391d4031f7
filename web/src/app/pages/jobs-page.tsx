import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ListTodo, Play, RotateCcw, Square } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TopBar } from "@/app/top-bar";
import { FoldedText } from "@/components/code-view";
import { Card, Facts, PageBody, TableFrame } from "@/components/page";
import { Button } from "@/components/ui/button";
import { Empty } from "@/components/ui/empty";
import { ErrorNotice, Notice } from "@/components/ui/notice";
import { StateChip } from "@/components/ui/state-dot";
import {
    cancelJob,
    isOver,
    jobListQuery,
    jobQuery,
    kKinds,
    submitJob,
    type Job,
    type Kind,
} from "@/features/jobs/api/jobs";
import { useJobLog } from "@/features/jobs/use-job-log";
import { formatDuration, formatTime } from "@/lib/format";
import { useClock } from "@/lib/use-clock";

const route = getRouteApi("/ui/jobs/$jobId");
const kExamples: Record<Kind, string> = {
    python: 'import time\n\nfor step in range(1, 6):\n    print("step", step, flush=True)\n    time.sleep(1)\n',
    shell: "uname -a\ndf -h /work\n",
    javascript: "console.log([1, 2, 3].map((n) => n * n));\n",
    typescript: "const squares: number[] = [1, 2, 3].map((n) => n * n);\nconsole.log(squares);\n",
};

function useSubmit() {
    const navigate = useNavigate();
    const client = useQueryClient();
    return useMutation({
        mutationFn: ({ kind, code }: { kind: Kind; code: string }) => submitJob(kind, code),
        onSuccess: (job) => {
            void client.invalidateQueries({ queryKey: ["jobs"] });
            void navigate({ to: "/ui/jobs/$jobId", params: { jobId: job.id } });
        },
    });
}

export function JobsPage() {
    const { t } = useTranslation();
    const list = useInfiniteQuery(jobListQuery);
    const submit = useSubmit();
    const [kind, setKind] = useState<Kind>("python");
    const [code, setCode] = useState(kExamples.python);
    const jobs = list.data?.pages.flatMap((page) => page.jobs) ?? [];
    const choose = (next: Kind) => {
        // What somebody wrote stays; an example gives way to the next.
        if (Object.values(kExamples).includes(code) || code.trim() === "") setCode(kExamples[next]);
        setKind(next);
    };
    return (
        <>
            <TopBar>
                <h1 className="px-1 text-15 font-semibold">{t("rail.jobs")}</h1>
            </TopBar>
            <PageBody>
                <form
                    className="overflow-hidden rounded-xl border border-line bg-panel shadow-low focus-within:border-accent"
                    onSubmit={(event) => {
                        event.preventDefault();
                        if (code.trim()) submit.mutate({ kind, code });
                    }}
                >
                    <textarea
                        value={code}
                        onChange={(event) => setCode(event.target.value)}
                        aria-label={t("jobs.code")}
                        spellCheck={false}
                        rows={Math.min(Math.max(code.split("\n").length, 5), 18)}
                        onKeyDown={(event) => {
                            if (
                                event.key === "Enter" &&
                                (event.metaKey || event.ctrlKey) &&
                                code.trim()
                            )
                                submit.mutate({ kind, code });
                        }}
                        className="block w-full resize-y bg-transparent px-4 py-3 font-mono text-[12.5px] leading-relaxed"
                    />
                    <div className="flex flex-wrap items-center gap-2 border-t border-soft px-3 py-2">
                        <div
                            role="group"
                            aria-label={t("jobs.language")}
                            className="flex flex-wrap gap-1"
                        >
                            {kKinds.map((one) => (
                                <button
                                    key={one}
                                    type="button"
                                    aria-pressed={kind === one}
                                    onClick={() => choose(one)}
                                    className="h-7 rounded-lg px-2.5 text-12 text-ink-2 hover:bg-soft aria-pressed:bg-accent-soft aria-pressed:text-accent"
                                >
                                    {t(`jobs.${one}`)}
                                </button>
                            ))}
                        </div>
                        <span className="flex-1" />
                        <Button
                            small
                            kind="primary"
                            type="submit"
                            disabled={!code.trim() || submit.isPending}
                        >
                            <Play size={13} />
                            {t("jobs.submit")}
                        </Button>
                    </div>
                </form>
                {submit.isError && <ErrorNotice error={submit.error} />}
                {list.isError && (
                    <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
                )}
                {list.isPending && [0, 1].map((key) => <div key={key} className="skeleton h-12" />)}
                {list.isSuccess && jobs.length === 0 && (
                    <Empty
                        icon={<ListTodo size={22} />}
                        title={t("jobs.empty")}
                        text={t("jobs.emptyText")}
                    />
                )}
                {jobs.length > 0 && (
                    <div className="overflow-hidden rounded-xl border border-line bg-panel">
                        <TableFrame
                            head={[
                                { label: t("jobs.job") },
                                { label: t("jobs.language") },
                                { label: t("sessions.state") },
                                { label: t("jobs.took"), className: "number" },
                                { label: t("sessions.made"), className: "max-md:hidden" },
                            ]}
                        >
                            {jobs.map((job) => (
                                <tr key={job.id} className="hover:bg-soft/60">
                                    <td className="w-full max-w-0 min-w-40">
                                        <Link
                                            to="/ui/jobs/$jobId"
                                            params={{ jobId: job.id }}
                                            className="block truncate font-mono text-12 hover:text-accent"
                                        >
                                            {job.id}
                                        </Link>
                                        {job.error && (
                                            <span className="block truncate text-12 text-bad">
                                                {job.error}
                                            </span>
                                        )}
                                    </td>
                                    <td>{job.kind}</td>
                                    <td>
                                        <StateChip state={job.state} />
                                    </td>
                                    <td className="number whitespace-nowrap">
                                        <Took job={job} />
                                    </td>
                                    <td className="whitespace-nowrap text-ink-2 max-md:hidden">
                                        {formatTime(job.created_at)}
                                    </td>
                                </tr>
                            ))}
                        </TableFrame>
                    </div>
                )}
                {list.hasNextPage && (
                    <Button small className="self-start" onClick={() => void list.fetchNextPage()}>
                        {t("rail.more")}
                    </Button>
                )}
            </PageBody>
        </>
    );
}

function Took({ job }: { job: Job }) {
    const running = job.state === "running";
    const now = useClock(running, 500);
    if (!job.started_at) return "–";
    const end = job.ended_at ? new Date(job.ended_at).getTime() : now;
    return formatDuration(Math.max(0, end - new Date(job.started_at).getTime()));
}

export function JobPage() {
    const { t } = useTranslation();
    const { jobId } = route.useParams();
    const client = useQueryClient();
    const query = useQuery(jobQuery(jobId));
    const log = useJobLog(jobId);
    const submit = useSubmit();
    const cancel = useMutation({
        mutationFn: () => cancelJob(jobId),
        onSettled: () => client.invalidateQueries({ queryKey: ["job", jobId] }),
    });
    const job = query.data;
    const text = log.chunks
        .map((chunk) => chunk.text)
        .join("")
        .trimEnd();
    const actions =
        job &&
        (isOver(job.state) ? (
            <Button
                small
                disabled={submit.isPending || !job.code}
                onClick={() => submit.mutate({ kind: job.kind as Kind, code: job.code ?? "" })}
            >
                <RotateCcw size={13} />
                {t("jobs.again")}
            </Button>
        ) : (
            <Button
                small
                kind="danger"
                disabled={cancel.isPending || job.cancel_requested}
                onClick={() => cancel.mutate()}
            >
                <Square size={12} />
                {t("jobs.cancel")}
            </Button>
        ));
    return (
        <>
            <TopBar actions={actions}>
                <Link to="/ui/jobs" className="text-14 text-ink-3 hover:text-ink">
                    {t("rail.jobs")}
                </Link>
                <span className="text-ink-3" aria-hidden>
                    /
                </span>
                <h1 className="min-w-0 truncate font-mono text-13 font-semibold">{jobId}</h1>
                {job && <StateChip state={job.state} />}
            </TopBar>
            <PageBody>
                {query.isError && (
                    <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
                )}
                {query.isPending && <div className="skeleton h-32" />}
                {job && (
                    <>
                        {job.error && <Notice title={t("jobs.failed")}>{job.error}</Notice>}
                        {cancel.isError && <ErrorNotice error={cancel.error} />}
                        {submit.isError && <ErrorNotice error={submit.error} />}
                        <Facts
                            rows={[
                                [t("jobs.language"), job.kind],
                                [t("jobs.took"), <Took key="took" job={job} />],
                                [t("jobs.attempts"), String(job.attempts)],
                                [t("jobs.exit"), job.exit_code ?? "–"],
                                [t("sessions.made"), formatTime(job.created_at)],
                            ]}
                        />
                        <Card title={t("jobs.code")}>
                            <FoldedText
                                text={(job.code ?? "").trimEnd()}
                                lines={16}
                                language={job.kind}
                                className="bg-code"
                            />
                        </Card>
                        <Card title={t("jobs.output")}>
                            <div aria-live="polite">
                                {log.error != null && (
                                    <div className="p-3">
                                        <ErrorNotice error={log.error} />
                                    </div>
                                )}
                                {text ? (
                                    <FoldedText text={text} lines={200} from="end" />
                                ) : (
                                    <p className="px-4 py-3 text-13 text-ink-3">
                                        {isOver(job.state)
                                            ? t("processes.silent")
                                            : t("jobs.waiting")}
                                    </p>
                                )}
                            </div>
                        </Card>
                    </>
                )}
            </PageBody>
        </>
    );
}
