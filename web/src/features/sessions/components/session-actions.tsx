import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Archive, Copy, MoreHorizontal, Pause, Play, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/ui/button";
import { Confirm } from "@/components/ui/dialog";
import { Menu, MenuItem, MenuLine } from "@/components/ui/menu";
import { toast } from "@/components/ui/toasts";
import { sentenceOfError } from "@/lib/describe-error";
import type { Session } from "@/lib/session-query";
import { act, deleteSession, forkSession, type Action } from "../api/sessions";

interface ActionsProps {
    session: Session;
    onForked: (id: string) => void;
    onDeleted: () => void;
}

export function SessionActions({ session, onForked, onDeleted }: ActionsProps) {
    const { t } = useTranslation();
    const client = useQueryClient();
    const [asking, setAsking] = useState<"delete" | "restart" | null>(null);
    const settle = {
        onError: (error: unknown) => {
            toast(sentenceOfError(error, t), { bad: true });
        },
        onSettled: () => {
            void client.invalidateQueries({ queryKey: ["sessions"] });
            void client.invalidateQueries({ queryKey: ["session", session.id] });
        },
    };
    const change = useMutation({
        mutationFn: (action: Action) => act(session.id, action),
        ...settle,
    });
    const fork = useMutation({
        mutationFn: () => forkSession(session.id),
        ...settle,
        onSuccess: (made) => {
            const first = made.sessions[0];
            if (first) onForked(first.id);
        },
    });
    const remove = useMutation({
        mutationFn: () => deleteSession(session.id),
        ...settle,
        onSuccess: onDeleted,
        // Not asked for again: it is gone.
        onSettled: () => void client.invalidateQueries({ queryKey: ["sessions"] }),
    });
    const busy = change.isPending || fork.isPending || remove.isPending;
    const { state } = session;
    return (
        <>
            <Menu
                trigger={
                    <IconButton
                        small
                        label={t("sessions.menu", { name: session.name || session.id })}
                        disabled={busy}
                    >
                        <MoreHorizontal size={16} />
                    </IconButton>
                }
            >
                <MenuItem
                    icon={<Play size={15} />}
                    disabled={state === "hot"}
                    onSelect={() => change.mutate("resume")}
                >
                    {t("sessions.resume")}
                </MenuItem>
                <MenuItem
                    icon={<Pause size={15} />}
                    disabled={state !== "hot"}
                    onSelect={() => change.mutate("pause")}
                >
                    {t("sessions.pause")}
                </MenuItem>
                <MenuItem
                    icon={<Archive size={15} />}
                    disabled={state === "cold"}
                    onSelect={() => change.mutate("evict")}
                >
                    {t("sessions.evict")}
                </MenuItem>
                <MenuItem icon={<Copy size={15} />} onSelect={() => fork.mutate()}>
                    {t("sessions.fork")}
                </MenuItem>
                <MenuItem icon={<RotateCcw size={15} />} onSelect={() => setAsking("restart")}>
                    {t("sessions.restart")}
                </MenuItem>
                <MenuLine />
                <MenuItem icon={<Trash2 size={15} />} danger onSelect={() => setAsking("delete")}>
                    {t("common.delete")}
                </MenuItem>
            </Menu>
            {asking === "delete" && (
                <Confirm
                    title={t("sessions.deleteTitle")}
                    text={t("sessions.deleteText", { name: session.name || session.id })}
                    action={t("common.delete")}
                    onConfirm={() => remove.mutate()}
                    onClose={() => setAsking(null)}
                />
            )}
            {asking === "restart" && (
                <Confirm
                    title={t("sessions.restart")}
                    text={t("sessions.restartText")}
                    action={t("sessions.restart")}
                    onConfirm={() => change.mutate("restart")}
                    onClose={() => setAsking(null)}
                />
            )}
        </>
    );
}
