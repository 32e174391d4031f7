import { useQuery, useQueryClient } from "@tanstack/react-query";
import { FileText } from "lucide-react";
import { useCallback, useEffect, useMemo, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { DropZone } from "@/components/drop-zone";
import { ErrorNotice } from "@/components/ui/notice";
import { toast } from "@/components/ui/toasts";
import { sentenceOfError } from "@/lib/describe-error";
import { formatBytes } from "@/lib/format";
import {
    historyQuery,
    opening,
    statusQuery,
    useAskVersion,
    useChooseModel,
    useForkThread,
    useOpenVersion,
    versionsQuery,
    type Thread,
} from "../api/threads";
import { useAttachments } from "../hooks/use-attachments";
import { useDraft } from "../hooks/use-draft";
import { liveTurns, useLiveTurn } from "../live-turns";
import { hasEnded, merged } from "../merged";
import { turnsFromHistory } from "../turn";
import { placesOf } from "../versions";
import { Composer } from "./composer";
import { Conversation } from "./conversation";
import { ModelPicker } from "./model-picker";

interface ThreadPageProps {
    thread: Thread;
    banner: ReactNode;
    onFile: (path: string) => void;
}

export function ThreadPage({ thread, banner, onFile }: ThreadPageProps) {
    const id = thread.thread_id;
    const { t } = useTranslation();
    const client = useQueryClient();
    const live = useLiveTurn(id);
    const running = live?.state === "running";
    const history = useQuery(historyQuery(id));
    // Asked once: a turn may have been begun before a reload, or in another tab.
    const status = useQuery({ ...statusQuery(id), staleTime: 0 });
    const uploads = useAttachments(thread.session_id);
    const [text, setText] = useDraft(id);

    useEffect(() => {
        if (!status.data?.busy || !history.isSuccess) return;
        const messages = client.getQueryData(historyQuery(id).queryKey)?.messages ?? [];
        const asked = messages.findLast((message) => message.role === "user");
        liveTurns.follow(id, Date.parse(asked?.at ?? ""));
    }, [client, id, status.data?.busy, history.isSuccess]);
    useEffect(
        () =>
            liveTurns.onAsked((asked) => {
                if (asked.thread === id) liveTurns.join(asked);
            }),
        [id],
    );
    useEffect(
        () =>
            liveTurns.onEnd((ended) => {
                if (ended !== id) return;
                for (const key of [["thread", id], ["threads"], ["session", thread.session_id]]) {
                    void client.invalidateQueries({ queryKey: key });
                }
            }),
        [client, id, thread.session_id],
    );

    const past = useMemo(() => turnsFromHistory(history.data?.messages ?? []), [history.data]);
    const lastPast = past.at(-1);
    // Once history has the turn to its end, history tells it.
    useEffect(() => {
        if (
            live?.state === "done" &&
            lastPast &&
            live.number > 0 &&
            lastPast.number >= live.number &&
            hasEnded(lastPast)
        ) {
            liveTurns.drop(id);
        }
    }, [id, live, lastPast]);
    const open = status.isPending || (status.data?.busy ?? false);
    const turns = useMemo(() => merged(past, live, open), [past, live, open]);
    const choose = useChooseModel(id);
    const { mutate: branch } = useForkThread(thread);
    const versions = useQuery(versionsQuery(id));
    const count = turns.at(-1)?.number ?? 0;
    const places = useMemo(
        () => placesOf(id, count, versions.data?.versions ?? []),
        [id, count, versions.data],
    );
    const { mutate: askVersion, isPending: versionIsMade } = useAskVersion(thread);
    const askAt = useCallback(
        (turn: number, question: string) => askVersion({ turn, question }),
        [askVersion],
    );
    const openVersion = useOpenVersion();
    const [first] = useState(() => opening.get(id) ?? 0);
    useEffect(() => void opening.delete(id), [id]);

    const ask = useCallback(
        (question: string) => {
            if (liveTurns.get(id)?.state === "running") return;
            liveTurns.ask(id, question);
        },
        [id],
    );
    const send = () => {
        const names = uploads.attachments.map((one) => `/data/${one.file.name}`);
        const files =
            names.length > 0 ? `\n\n${t("chat.filesLine", { files: names.join(", ") })}` : "";
        ask(text + files);
        setText("");
        uploads.clear();
        void client.invalidateQueries({ queryKey: ["session", thread.session_id] });
    };
    const stop = useCallback(() => {
        liveTurns
            .stop(id)
            .catch((error: unknown) => toast(sentenceOfError(error, t), { bad: true }));
    }, [id, t]);
    const head = (
        <>
            {banner}
            {(thread.files ?? []).length > 0 && (
                <ul className="flex flex-wrap justify-end gap-2">
                    {thread.files?.map((file) => (
                        <li key={file.path}>
                            <button
                                type="button"
                                onClick={() => onFile(file.path)}
                                className="flex items-center gap-2 rounded-lg
                                border border-line bg-panel px-2.5 py-1 text-13 hover:border-accent"
                            >
                                <FileText size={14} className="text-ink-3" />
                                <span dir="auto">{file.path.split("/").pop()}</span>
                                <span className="tabular text-ink-3">{formatBytes(file.size)}</span>
                            </button>
                        </li>
                    ))}
                </ul>
            )}
            {history.isPending && !live && <HistorySkeleton />}
            {history.isError && (
                <ErrorNotice error={history.error} onRetry={() => void history.refetch()} />
            )}
        </>
    );
    return (
        <DropZone
            label={t("files.dropHere")}
            onFiles={uploads.add}
            className="flex min-h-0 min-w-0 flex-1 flex-col"
        >
            <Conversation
                key={id}
                turns={turns}
                session={thread.session_id}
                busy={running || versionIsMade}
                head={head}
                places={places}
                first={first}
                onAgain={ask}
                onAskAt={askAt}
                onVersion={openVersion}
                onBranch={branch}
                onStop={stop}
            />
            <div className="px-3 pb-3 sm:px-6 sm:pb-4">
                <div className="mx-auto max-w-[760px]">
                    <Composer
                        text={text}
                        onText={setText}
                        uploads={uploads}
                        // A question must not overtake the choice of its model.
                        waiting={choose.isPending}
                        autoFocus
                        onSend={send}
                        onStop={running ? stop : null}
                        onRecall={() => {
                            const last = turns.at(-1);
                            if (last) setText(last.question);
                        }}
                    >
                        <ModelPicker
                            model={thread.model}
                            onModel={(model) => choose.mutate(model)}
                            disabled={running || choose.isPending}
                        />
                    </Composer>
                </div>
            </div>
        </DropZone>
    );
}

function HistorySkeleton() {
    return (
        <div aria-hidden className="flex flex-col gap-4">
            <div className="skeleton h-10 w-2/3 self-end" />
            <div className="skeleton h-28 w-full" />
            <div className="skeleton h-5 w-5/6" />
            <div className="skeleton h-5 w-3/5" />
        </div>
    );
}
