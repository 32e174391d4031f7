import {
    infiniteQueryOptions,
    queryOptions,
    useMutation,
    useQueryClient,
    type InfiniteData,
} from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { toast } from "@/components/ui/toasts";
import { getJson, request, sendJson, type Schemas } from "@/lib/api";
import { sentenceOfError } from "@/lib/describe-error";

export type Thread = Schemas["ThreadView"];
type ThreadList = Schemas["ThreadList"];

const kPage = 100;
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

export const historyQuery = (id: string) =>
    queryOptions({
        queryKey: ["thread", id, "history"],
        queryFn: ({ signal }) => {
            const path = `/thread/${encodeURIComponent(id)}/history?all=true`;
            return getJson<Schemas["HistoryAnswer"]>(path, signal);
        },
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

export function useRenameThread() {
    const { t } = useTranslation();
    const client = useQueryClient();
    return useMutation({
        mutationFn: ({ id, title }: { id: string; title: string }) =>
            sendJson<Thread>("PATCH", at(id), { title }),
        onMutate: ({ id, title }) => {
            client.setQueryData(threadListQuery.queryKey, (data) =>
                changeThreads(data, (all) =>
                    all.map((one) => (one.thread_id === id ? { ...one, title } : one)),
                ),
            );
        },
        onError: (error) => {
            toast(sentenceOfError(error, t), { bad: true });
        },
        onSettled: (_, __, { id }) => {
            void client.invalidateQueries({ queryKey: ["threads"] });
            void client.invalidateQueries({ queryKey: ["thread", id], exact: true });
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

export async function deleteThread(id: string): Promise<void> {
    await request(at(id), { method: "DELETE" });
}

export async function exportThread(id: string, format: "markdown" | "ipynb"): Promise<Blob> {
    const response = await request(`${at(id)}/export?format=${format}`);
    return await response.blob();
}
