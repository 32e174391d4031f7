// Which model answers in this chat. There is something to choose only where the server lists more
// than one and lets questions choose.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { availableModelsQuery } from "../api/models";

interface ModelPickerProps {
    // Empty: the server's.
    model: string;
    onModel: (model: string) => void;
    disabled: boolean;
}

export function ModelPicker({ model, onModel, disabled }: ModelPickerProps) {
    const { t } = useTranslation();
    const { data } = useQuery(availableModelsQuery);
    if (!data?.questions_may_choose) return null;
    const names = [...new Set([data.model, ...data.models])];
    if (names.length < 2) return null;
    // A model that the provider no longer has does not answer: the server's does.
    const shown = names.includes(model) ? model : data.model;
    return (
        <select
            aria-label={t("composer.model")}
            title={t("composer.model")}
            value={shown}
            disabled={disabled}
            onChange={(event) => onModel(event.target.value)}
            className="h-8 max-w-44 min-w-0 truncate rounded-lg border border-transparent bg-transparent px-1.5 text-12
                text-ink-2 hover:border-line hover:text-ink sm:max-w-60"
        >
            {names.map((name) => (
                <option key={name} value={name}>
                    {name}
                </option>
            ))}
        </select>
    );
}
