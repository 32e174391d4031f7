// Short words at the foot of the page: what was done, with Undo where it can be, or what failed.
import { X } from "lucide-react";
import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/ui/button";

interface Toast {
    id: number;
    text: string;
    bad: boolean;
    action?: { label: string; onClick: () => void };
}

let toasts: readonly Toast[] = [];
let next = 1;
const listeners = new Set<() => void>();

function change(to: readonly Toast[]): void {
    toasts = to;
    for (const listener of listeners) listener();
}

function dismiss(id: number): void {
    change(toasts.filter((one) => one.id !== id));
}

export function toast(text: string, options: Partial<Omit<Toast, "id" | "text">> = {}): () => void {
    const id = next++;
    change([...toasts.slice(-2), { id, text, bad: false, ...options }]);
    setTimeout(() => dismiss(id), options.bad ? 10_000 : 6000);
    return () => dismiss(id);
}

function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

export function Toasts() {
    const { t } = useTranslation();
    const shown = useSyncExternalStore(subscribe, () => toasts);
    return (
        <div
            role="status"
            aria-live="polite"
            className="pointer-events-none fixed inset-x-0 bottom-5 z-50 flex flex-col items-center gap-2 px-3"
        >
            {shown.map((one) => (
                <div
                    key={one.id}
                    className={`appear pointer-events-auto flex max-w-lg items-center gap-3 rounded-xl
                    border bg-panel py-2 pr-2 pl-4 text-14 shadow-high ${one.bad ? "border-bad/50" : "border-line"}`}
                >
                    <span className="min-w-0 [overflow-wrap:anywhere]">{one.text}</span>
                    {one.action && (
                        <Button
                            small
                            onClick={() => {
                                one.action?.onClick();
                                dismiss(one.id);
                            }}
                        >
                            {one.action.label}
                        </Button>
                    )}
                    <IconButton small label={t("common.close")} onClick={() => dismiss(one.id)}>
                        <X size={14} />
                    </IconButton>
                </div>
            ))}
        </div>
    );
}
