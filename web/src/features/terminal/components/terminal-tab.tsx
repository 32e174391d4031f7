// Shells in tabs. A shell ends when its tab is closed, or when the workspace is left.
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/ui/button";
import { TerminalView } from "./terminal-view";

let next = 1;

interface TerminalTabProps {
    session: string;
    // Another tab of the workspace may be on top; the shells go on.
    visible: boolean;
}

export default function TerminalTab({ session, visible }: TerminalTabProps) {
    const { t } = useTranslation();
    const [shells, setShells] = useState<readonly number[]>(() => [next++]);
    const [shown, setShown] = useState(shells[0] ?? 0);
    const add = () => {
        const key = next++;
        setShells([...shells, key]);
        setShown(key);
    };
    const close = (key: number) => {
        const rest = shells.filter((one) => one !== key);
        setShells(rest);
        if (shown === key) setShown(rest.at(-1) ?? 0);
    };
    return (
        <div className="flex min-h-0 flex-1 flex-col">
            <div className="flex h-10 flex-none items-center gap-1 px-3">
                {shells.map((key, index) => (
                    <span
                        key={key}
                        className={`flex h-7 items-center rounded-lg pl-2.5 text-12 ${shown === key ? "bg-soft text-ink" : "text-ink-2"}`}
                    >
                        <button type="button" onClick={() => setShown(key)}>
                            {t("terminal.shell", { number: index + 1 })}
                        </button>
                        <button
                            type="button"
                            aria-label={t("terminal.close", { number: index + 1 })}
                            onClick={() => close(key)}
                            className="ml-1 grid size-6 place-items-center rounded text-ink-3 hover:text-ink"
                        >
                            <X size={12} />
                        </button>
                    </span>
                ))}
                <IconButton small label={t("terminal.new")} onClick={add}>
                    <Plus size={14} />
                </IconButton>
            </div>
            {shells.length === 0 && (
                <p className="px-4 py-3 text-13 text-ink-2">{t("terminal.none")}</p>
            )}
            {shells.map((key) => (
                <TerminalView key={key} session={session} hidden={!visible || shown !== key} />
            ))}
        </div>
    );
}
