import {
    infiniteQueryOptions,
    queryOptions,
    useMutation,
    useQueryClient,
    type InfiniteData,
} from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { toast } from "@/components/ui/toasts";
import { getJson, request, sendJson, type Schemas } from "@/lib/api";
import { sentenceOfError } from "@/lib/describe-error";
import { liveTurns } from "../live-turns";
import { chatOf } from "../versions";

export type Thread = Schemas["ThreadView"];
type ThreadList = Schemas["ThreadList"];

const kPage = 100;
const kHistoryPage = 1000;
// At which turn a chat opens, if not at its end: read once.
export const opening = new Map<string, number>();
const at = (id: string) => `/v1/threads/${encodeURIComponent(id)}`;

export const threadListQuery = infiniteQueryOptions({
    queryKey: ["threads"],
    queryFn: ({ pageParam, signal }) => {
        const cursor = pageParam ? `&cursor=${encodeURIComponent(pageParam)}` : "";
        return getJson<ThreadList>(`/v1/threads?limit=${kPage}${cursor}`, signal);
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? null,
});

export const threadQuery = (id: string) =>
    queryOptions({
        queryKey: ["thread", id],
        queryFn: ({ signal }) => getJson<Thread>(at(id), signal),
        refetchInterval: 15_000,
    });

export const statusQuery = (id: string) =>
    queryOptions({
        queryKey: ["thread", id, "status"],
        queryFn: ({ signal }) => {
            const path = `/thread/${encodeURIComponent(id)}/status`;
            return getJson<Schemas["ThreadStatus"]>(path, signal);
        },
    });

// All of it, in as many pages as it takes: the server cuts them where they get large.
async function wholeHistory(id: string, signal: AbortSignal) {
    const path = `/thread/${encodeURIComponent(id)}/history?all=true&limit=${kHistoryPage}`;
    const messages: Schemas["HistoryMessage"][] = [];
    let cursor: string | undefined;
    do {
        const from: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
        const page = await getJson<Schemas["HistoryAnswer"]>(path + from, signal);
        messages.push(...page.messages);
        cursor = page.next_cursor;
    } while (cursor);
    return { thread_id: id, messages };
}

export const historyQuery = (id: string) =>
    queryOptions({
        queryKey: ["thread", id, "history"],
        queryFn: ({ signal }) => wholeHistory(id, signal),
    });

export const versionsQuery = (id: string) =>
    queryOptions({
        queryKey: ["thread", id, "versions"],
        queryFn: ({ signal }) => getJson<Schemas["VersionList"]>(`${at(id)}/versions`, signal),
    });

// An empty model is the server's.
export function createThread(
    fileIds: readonly string[],
    model: string,
    temporary: boolean,
): Promise<Thread> {
    return sendJson<Thread>("POST", "/thread/new", { file_ids: fileIds, model, temporary });
}

// Also of one that is not there any more.
export const isTemporary = (id: string) => id.startsWith("tt-");

function changeThreads(
    data: InfiniteData<ThreadList> | undefined,
    change: (threads: Thread[]) => Thread[],
): InfiniteData<ThreadList> | undefined {
    if (!data) return data;
    const pages = data.pages.map((page) => ({ ...page, threads: change(page.threads) }));
    return { ...data, pages };
}

// Versions of a chat have its title.
function isOneChat(all: readonly Thread[], one: Thread, id: string): boolean {
    const other = all.find((thread) => thread.thread_id === id);
    return chatOf(one) === (other ? chatOf(other) : id);
}

export function useRenameThread() {
    const { t } = useTranslation();
    const client = useQueryClient();
    return useMutation({
        mutationFn: ({ id, title }: { id: string; title: string }) =>
            sendJson<Thread>("PATCH", at(id), { title }),
        onMutate: ({ id, title }) => {
            client.setQueryData(threadListQuery.queryKey, (data) =>
                changeThreads(data, (all) =>
                    all.map((one) => (isOneChat(all, one, id) ? { ...one, title } : one)),
                ),
            );
        },
        onError: (error) => {
            toast(sentenceOfError(error, t), { bad: true });
        },
        onSettled: () => {
            void client.invalidateQueries({ queryKey: ["threads"] });
            void client.invalidateQueries({
                predicate: ({ queryKey: key }) => key[0] === "thread" && key.length === 2,
            });
        },
    });
}

// The thread keeps it, whichever page asks next.
export function useChooseModel(id: string) {
    const { t } = useTranslation();
    const client = useQueryClient();
    const key = threadQuery(id).queryKey;
    return useMutation({
        mutationFn: (model: string) => sendJson<Thread>("PATCH", at(id), { model }),
        onMutate: (model) =>
            client.setQueryData(key, (thread) => (thread ? { ...thread, model } : thread)),
        onError: (error) => {
            toast(sentenceOfError(error, t), { bad: true });
        },
        onSettled: () => client.invalidateQueries({ queryKey: key, exact: true }),
    });
}

// Goes on from the end of a turn in a chat of its own, which opens.
export function useForkThread(thread: Thread | undefined) {
    const { t } = useTranslation();
    const client = useQueryClient();
    const navigate = useNavigate();
    return useMutation({
        mutationFn: (turn: number | null) => {
            const title = t("chat.branchOf", { title: thread?.title ?? "" }).slice(0, 200);
            const body = turn === null ? { title } : { title, turn };
            return sendJson<Thread>("POST", `${at(thread?.thread_id ?? "")}/fork`, body);
        },
        onSuccess: async ({ thread_id: threadId }) => {
            void client.invalidateQueries({ queryKey: ["threads"] });
            await navigate({ to: "/ui/t/$threadId", params: { threadId } });
            toast(t("chat.branched"));
        },
        onError: (error) => {
            toast(sentenceOfError(error, t), { bad: true });
        },
    });
}

// Asks a question anew at the place of turn `turn`, in a version of the chat that ends before it.
export function useAskVersion(thread: Thread) {
    const { t } = useTranslation();
    const client = useQueryClient();
    const navigate = useNavigate();
    const id = thread.thread_id;
    return useMutation({
        mutationFn: ({ turn }: { turn: number; question: string }) =>
            sendJson<Thread>("POST", `${at(id)}/fork`, { turn: turn - 1, version: true }),
        onSuccess: async (made, { turn, question }) => {
            const threadId = made.thread_id;
            // What they share is on the screen already.
            const files = thread.files ? { files: thread.files } : {};
            client.setQueryData(threadQuery(threadId).queryKey, { ...made, ...files });
            const history = client.getQueryData(historyQuery(id).queryKey);
            if (history) {
                const messages = history.messages.filter((message) => message.turn < turn);
                client.setQueryData(historyQuery(threadId).queryKey, { ...history, messages });
            }
            liveTurns.ask(threadId, question);
            for (const key of [["threads"], versionsQuery(id).queryKey]) {
                void client.invalidateQueries({ queryKey: key });
            }
            await navigate({ to: "/ui/t/$threadId", params: { threadId }, search: true });
        },
        onError: (error) => {
            toast(sentenceOfError(error, t), { bad: true });
        },
    });
}

// Another version, at the question at which they part.
export function useOpenVersion() {
    const client = useQueryClient();
    const navigate = useNavigate();
    return useCallback(
        async (threadId: string, turn: number) => {
            await Promise.all([
                client.prefetchQuery(threadQuery(threadId)),
                client.prefetchQuery(historyQuery(threadId)),
                client.prefetchQuery(versionsQuery(threadId)),
            ]);
            opening.set(threadId, turn);
            await navigate({ to: "/ui/t/$threadId", params: { threadId }, search: true });
        },
        [client, navigate],
    );
}

// With all its versions.
export async function deleteThread(id: string): Promise<void> {
    await request(`${at(id)}?versions=true`, { method: "DELETE" });
}

export async function exportThread(id: string, format: "markdown" | "ipynb"): Promise<Blob> {
    const response = await request(`${at(id)}/export?format=${format}`);
    return await response.blob();
}
