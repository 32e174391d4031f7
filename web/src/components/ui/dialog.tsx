// The browser's own dialog: it traps focus, closes with Escape and needs no style of its own.
import { X } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/ui/button";

interface DialogProps {
    title: string;
    onClose: () => void;
    children: ReactNode;
    wide?: boolean;
}

export function Dialog({ title, onClose, children, wide }: DialogProps) {
    const { t } = useTranslation();
    const element = useRef<HTMLDialogElement>(null);
    useEffect(() => {
        const dialog = element.current;
        if (dialog && !dialog.open) {
            dialog.showModal();
            // The browser takes the first button, which closes it, and whose tooltip would take the
            // first Escape. A field is what the dialog is there for.
            const field = dialog.querySelector<HTMLElement>("input:not([type=checkbox]), textarea");
            (field ?? dialog).focus();
        }
        return () => dialog?.close();
    }, []);
    return (
        <dialog
            ref={element}
            tabIndex={-1}
            aria-label={title}
            onCancel={(event) => {
                event.preventDefault();
                onClose();
            }}
            onClick={(event) => {
                if (event.target === element.current) onClose();
            }}
            className={`appear w-[calc(100vw-24px)] rounded-2xl border border-line bg-panel p-0 shadow-high outline-none
                ${wide ? "max-w-4xl" : "max-w-md"}`}
        >
            <div className="flex items-center gap-2 px-5 pt-4">
                <h2 className="min-w-0 flex-1 truncate text-16 font-semibold">{title}</h2>
                <IconButton label={t("common.close")} small onClick={onClose}>
                    <X size={16} />
                </IconButton>
            </div>
            <div className="px-5 pt-2 pb-5">{children}</div>
        </dialog>
    );
}

interface ConfirmProps {
    title: string;
    text: string;
    action: string;
    onConfirm: () => void;
    onClose: () => void;
}

export function Confirm({ title, text, action, onConfirm, onClose }: ConfirmProps) {
    const { t } = useTranslation();
    return (
        <Dialog title={title} onClose={onClose}>
            <p className="text-14 text-ink-2">{text}</p>
            <div className="mt-5 flex justify-end gap-2">
                <Button onClick={onClose}>{t("common.cancel")}</Button>
                <Button
                    kind="danger"
                    onClick={() => {
                        onClose();
                        onConfirm();
                    }}
                >
                    {action}
                </Button>
            </div>
        </Dialog>
    );
}

interface AskTextProps {
    title: string;
    label: string;
    value: string;
    action: string;
    onSubmit: (value: string) => void;
    onClose: () => void;
}

export function AskText({ title, label, value, action, onSubmit, onClose }: AskTextProps) {
    const { t } = useTranslation();
    return (
        <Dialog title={title} onClose={onClose}>
            <form
                onSubmit={(event) => {
                    event.preventDefault();
                    const entered = String(
                        new FormData(event.currentTarget).get("value") ?? "",
                    ).trim();
                    if (!entered) return;
                    onClose();
                    onSubmit(entered);
                }}
            >
                <label className="text-13 text-ink-2" htmlFor="ask-text">
                    {label}
                </label>
                <input
                    id="ask-text"
                    name="value"
                    defaultValue={value}
                    autoFocus
                    maxLength={200}
                    autoComplete="off"
                    onFocus={(event) => event.currentTarget.select()}
                    className="mt-1 h-9 w-full rounded-lg border border-line bg-bg px-3 text-14
                        focus-visible:border-accent"
                />
                <div className="mt-5 flex justify-end gap-2">
                    <Button onClick={onClose}>{t("common.cancel")}</Button>
                    <Button kind="primary" type="submit">
                        {action}
                    </Button>
                </div>
            </form>
        </Dialog>
    );
}
