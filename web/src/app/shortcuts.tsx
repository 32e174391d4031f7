// The keys of the keyboard, on the settings page and wherever ? is pressed.
import { useTranslation } from "react-i18next";
import { Details } from "@/components/page";

const kShortcuts = [
    ["Ctrl K", "settings.keySearch"],
    ["Enter", "settings.keySend"],
    ["Shift Enter", "settings.keyLine"],
    ["Esc", "settings.keyStop"],
    ["↑", "settings.keyEdit"],
    ["Tab", "settings.keyComplete"],
    ["?", "settings.keyList"],
] as const;

export function Shortcuts() {
    const { t } = useTranslation();
    const mac = /Mac/.test(navigator.platform);
    return (
        <Details
            rows={kShortcuts.map(([key, what]) => [
                t(what),
                <kbd
                    key={key}
                    className="rounded border border-line bg-code px-1.5 py-0.5 font-mono text-12"
                >
                    {mac ? key.replace("Ctrl ", "⌘") : key}
                </kbd>,
            ])}
        />
    );
}
