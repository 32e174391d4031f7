// Who may use this server.
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { KeyRound, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TopBar } from "@/app/top-bar";
import { PageBody, TableFrame } from "@/components/page";
import { Button, IconButton } from "@/components/ui/button";
import { Confirm } from "@/components/ui/dialog";
import { Empty } from "@/components/ui/empty";
import { ErrorNotice } from "@/components/ui/notice";
import { keyListQuery, revokeKey, type Key } from "@/features/keys/api";
import { NewKey } from "@/features/keys/components/new-key";
import { formatTime } from "@/lib/format";
import { tokenStore } from "@/lib/token";

export function KeysPage() {
    const { t } = useTranslation();
    const client = useQueryClient();
    const list = useInfiniteQuery(keyListQuery);
    const [making, setMaking] = useState(false);
    const [revoking, setRevoking] = useState<Key | null>(null);
    const revoke = useMutation({
        mutationFn: (id: string) => revokeKey(id),
        onSettled: () => client.invalidateQueries({ queryKey: ["keys"] }),
    });
    const keys = list.data?.pages.flatMap((page) => page.keys) ?? [];
    return (
        <>
            <TopBar>
                <h1 className="px-1 text-15 font-semibold">{t("rail.keys")}</h1>
            </TopBar>
            <PageBody>
                <div className="flex items-center gap-3">
                    <p className="min-w-0 flex-1 text-13 text-ink-2">{t("keys.about")}</p>
                    {/* The first one is made on the server's machine. */}
                    {tokenStore.get() && (
                        <Button small kind="primary" onClick={() => setMaking(true)}>
                            <Plus size={14} />
                            {t("keys.new")}
                        </Button>
                    )}
                </div>
                {(list.error ?? revoke.error) && (
                    <ErrorNotice
                        error={list.error ?? revoke.error}
                        onRetry={() => void list.refetch()}
                    />
                )}
                {list.isPending && <div className="skeleton h-12" />}
                {list.isSuccess && keys.length === 0 && (
                    <Empty
                        icon={<KeyRound size={22} />}
                        title={t("keys.empty")}
                        text={t("keys.emptyText")}
                        code={t("keys.emptyCode")}
                    />
                )}
                {keys.length > 0 && (
                    <div className="overflow-hidden rounded-xl border border-line bg-panel">
                        <TableFrame
                            head={[
                                { label: t("keys.name") },
                                { label: t("keys.owner") },
                                { label: t("keys.scopes"), className: "max-md:hidden" },
                                { label: t("sessions.used") },
                                { label: t("keys.ends"), className: "max-md:hidden" },
                                { label: t("sessions.actions"), hidden: true },
                            ]}
                        >
                            {keys.map((key) => (
                                <KeyRow
                                    key={key.id}
                                    shown={key}
                                    onRevoke={() => setRevoking(key)}
                                />
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
            {making && <NewKey onClose={() => setMaking(false)} />}
            {revoking && (
                <Confirm
                    title={t("keys.revoke")}
                    text={t("keys.revokeText", { name: revoking.name || revoking.id })}
                    action={t("keys.revoke")}
                    onConfirm={() => revoke.mutate(revoking.id)}
                    onClose={() => setRevoking(null)}
                />
            )}
        </>
    );
}

function KeyRow({ shown, onRevoke }: { shown: Key; onRevoke: () => void }) {
    const { t } = useTranslation();
    const name = shown.name || shown.id;
    return (
        <tr className={shown.revoked_at ? "text-ink-3" : ""}>
            <td>
                <span className="block font-medium" dir="auto">
                    {shown.name || t("keys.unnamed")}
                </span>
                <span className="block font-mono text-12 text-ink-3">{shown.id}</span>
            </td>
            <td>{shown.owner}</td>
            <td className="font-mono text-12 max-md:hidden">{shown.scopes.join(", ")}</td>
            <td className="tabular whitespace-nowrap text-ink-2">
                {shown.last_used_at ? formatTime(shown.last_used_at) : "–"}
            </td>
            <td className="tabular whitespace-nowrap text-ink-2 max-md:hidden">
                {shown.revoked_at
                    ? t("keys.revoked")
                    : shown.expires_at
                      ? formatTime(shown.expires_at)
                      : t("keys.never")}
            </td>
            <td className="w-8">
                {!shown.revoked_at && (
                    <IconButton small label={t("keys.revokeOne", { name })} onClick={onRevoke}>
                        <Trash2 size={14} />
                    </IconButton>
                )}
            </td>
        </tr>
    );
}
