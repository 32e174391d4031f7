import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
    BarChart3,
    FileSearch,
    LineChart,
    ListOrdered,
    MessageCircleDashed,
    Table2,
    UploadCloud,
} from "lucide-react";
import { useRef, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { DropZone } from "@/components/drop-zone";
import { ErrorNotice } from "@/components/ui/notice";
import { createThread } from "../api/threads";
import { useAttachments } from "../hooks/use-attachments";
import { useDraft } from "../hooks/use-draft";
import { liveTurns } from "../live-turns";
import { Composer } from "./composer";
import { ModelPicker } from "./model-picker";

const kSamples = [
    ["byRegion", BarChart3],
    ["byMonth", LineChart],
    ["topMerchants", ListOrdered],
    ["missing", FileSearch],
] as const;

export function NewChat({ banner }: { banner: ReactNode }) {
    const { t } = useTranslation();
    const navigate = useNavigate();
    const client = useQueryClient();
    const uploads = useAttachments("");
    const picker = useRef<HTMLInputElement>(null);
    const [text, setText] = useDraft("new");
    const [waiting, setWaiting] = useState(false);
    const [model, setModel] = useState("");
    const [temporary, setTemporary] = useState(false);
    const [error, setError] = useState<unknown>(null);

    const begin = async (question: string, fileIds: string[]) => {
        setWaiting(true);
        setError(null);
        try {
            const thread = await createThread(fileIds, model, temporary);
            setText("");
            client.setQueryData(["thread", thread.thread_id], thread);
            liveTurns.ask(thread.thread_id, question);
            await navigate({ to: "/ui/t/$threadId", params: { threadId: thread.thread_id } });
            void client.invalidateQueries({ queryKey: ["threads"] });
        } catch (failure) {
            setError(failure);
            setWaiting(false);
        }
    };
    const send = () =>
        void begin(
            text,
            uploads.attachments.map((one) => one.fileId),
        );
    const hasFiles = uploads.attachments.length > 0;
    return (
        <DropZone
            label={t("files.drop")}
            onFiles={uploads.add}
            className="flex min-h-0 min-w-0 flex-1 flex-col"
        >
            <div className="min-h-0 flex-1 overflow-y-auto px-4 sm:px-6">
                <div className="mx-auto flex min-h-full max-w-[760px] flex-col justify-center gap-5 py-8">
                    <h1 className="text-center text-[26px] leading-tight font-semibold tracking-tight">
                        {t("newChat.title")}
                    </h1>
                    {temporary ? (
                        <p
                            role="note"
                            className="flex items-start gap-3 rounded-xl border border-dashed border-ink-3/60 px-3.5 py-2.5
                                text-13 text-ink-2"
                        >
                            <MessageCircleDashed size={15} className="mt-0.5 flex-none" />
                            {t("temporary.text")}
                        </p>
                    ) : (
                        banner
                    )}
                    {!hasFiles && (
                        <button
                            type="button"
                            onClick={() => picker.current?.click()}
                            className="flex flex-col items-center gap-1.5 rounded-2xl border-2 border-dashed border-ink-3/40
                                bg-panel px-6 py-8 text-ink-2 transition-colors hover:border-accent hover:bg-accent-soft"
                        >
                            <UploadCloud size={26} className="text-accent" />
                            <span className="font-medium text-ink">{t("newChat.drop")}</span>
                            <span className="text-13 text-ink-3">{t("newChat.kinds")}</span>
                        </button>
                    )}
                    <input
                        ref={picker}
                        type="file"
                        multiple
                        hidden
                        onChange={(event) => {
                            uploads.add(event.target.files ?? []);
                            event.target.value = "";
                        }}
                    />
                    {error != null && <ErrorNotice error={error} onRetry={send} />}
                    <Composer
                        text={text}
                        onText={setText}
                        uploads={uploads}
                        waiting={waiting}
                        autoFocus
                        onSend={send}
                        onStop={null}
                    >
                        <ModelPicker model={model} onModel={setModel} disabled={waiting} />
                        <TemporarySwitch
                            on={temporary}
                            onChange={setTemporary}
                            disabled={waiting}
                        />
                    </Composer>
                    {!hasFiles && (
                        <section aria-label={t("newChat.sample")}>
                            <p className="mb-2 flex items-center gap-2 text-13 text-ink-2">
                                <Table2 size={15} className="text-accent" />
                                {t("newChat.sample")}
                            </p>
                            <div className="grid gap-2 sm:grid-cols-2">
                                {kSamples.map(([name, Icon]) => (
                                    <button
                                        key={name}
                                        type="button"
                                        disabled={waiting}
                                        onClick={() => void begin(t(`newChat.${name}`), [])}
                                        className="flex items-center gap-3 rounded-xl border border-line bg-panel px-3.5 py-2.5
                                            text-left text-14 text-ink-2 transition-colors hover:border-accent hover:text-ink
                                            disabled:opacity-50"
                                    >
                                        <Icon size={16} className="flex-none text-ink-3" />
                                        {t(`newChat.${name}`)}
                                    </button>
                                ))}
                            </div>
                        </section>
                    )}
                </div>
            </div>
        </DropZone>
    );
}

interface TemporarySwitchProps {
    on: boolean;
    onChange: (on: boolean) => void;
    disabled: boolean;
}

function TemporarySwitch({ on, onChange, disabled }: TemporarySwitchProps) {
    const { t } = useTranslation();
    return (
        <button
            type="button"
            role="switch"
            aria-checked={on}
            disabled={disabled}
            title={t("temporary.text")}
            onClick={() => onChange(!on)}
            className="flex h-8 items-center gap-1.5 rounded-lg px-2 text-12 text-ink-2 hover:bg-soft hover:text-ink
                aria-checked:bg-accent-soft aria-checked:text-accent"
        >
            <MessageCircleDashed size={15} className="flex-none" />
            {t("temporary.switch")}
        </button>
    );
}
