// What went wrong, where it happened: what it is, what to do, and the one button that helps.
import { AlertTriangle, Info } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/ui/button";
import { retryAt } from "@/lib/api";
import { describeError } from "@/lib/describe-error";
import { useClock } from "@/lib/use-clock";

interface NoticeProps {
    kind?: "bad" | "info";
    title: string;
    children?: ReactNode;
    action?: { label: string; onClick: () => void; disabled?: boolean } | undefined;
}

export function Notice({ kind = "bad", title, children, action }: NoticeProps) {
    const bad = kind === "bad";
    const Icon = bad ? AlertTriangle : Info;
    const look = bad ? "border-bad/35 bg-bad-soft" : "border-line bg-panel";
    return (
        <div
            role={bad ? "alert" : "status"}
            className={`flex items-start gap-3 rounded-xl border px-3.5 py-2.5 text-14 ${look}`}
        >
            <Icon size={16} className={`mt-0.5 flex-none ${bad ? "text-bad" : "text-accent"}`} />
            <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
                <div className="font-medium">{title}</div>
                {children && <div className="text-13 text-ink-2">{children}</div>}
            </div>
            {action && (
                <Button small disabled={action.disabled} onClick={action.onClick}>
                    {action.label}
                </Button>
            )}
        </div>
    );
}

interface ErrorProps {
    error: unknown;
    onRetry?: (() => void) | undefined;
}

// For narrow places, beside a page that tells more.
export function ErrorLine({ error, onRetry }: ErrorProps) {
    const { t } = useTranslation();
    return (
        <p role="status" className="px-2 pt-3 text-13 text-ink-2">
            {describeError(error, t).title}{" "}
            <button type="button" onClick={onRetry} className="text-accent hover:underline">
                {t("common.retry")}
            </button>
        </p>
    );
}

export function ErrorNotice({ error, onRetry }: ErrorProps) {
    const { t } = useTranslation();
    // The title counts down.
    const waits = retryAt(error) > Date.now();
    useClock(waits, 500);
    const { title, detail } = describeError(error, t);
    const action = onRetry
        ? { label: t("common.retry"), onClick: onRetry, disabled: waits }
        : undefined;
    return (
        <Notice title={title} action={action}>
            {detail}
        </Notice>
    );
}
