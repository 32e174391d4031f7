// A session without a chat: its name is enough; the rest is the server's choice unless said.
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import type { Schemas } from "@/lib/api";
import { templatesQuery, type NewSession as Wish } from "../api/sessions";

interface NewSessionProps {
    info: Schemas["Info"] | undefined;
    onSubmit: (wish: Wish) => void;
    onClose: () => void;
}

const kBox =
    "mt-1 h-9 w-full rounded-lg border border-line bg-bg px-3 text-14 focus-visible:border-accent";

export function NewSession({ info, onSubmit, onClose }: NewSessionProps) {
    const { t } = useTranslation();
    const { data: templates } = useQuery(templatesQuery);
    const [datasets, setDatasets] = useState<readonly string[]>([]);
    const submit = (event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const text = (name: string) => String(form.get(name) ?? "").trim();
        const memory = Number(text("memory"));
        const wish: Wish = { name: text("name") };
        if (text("template")) wish.template = text("template");
        if (text("network")) wish.network = text("network");
        if (memory > 0) wish.limits = { memory_bytes_max: memory * 1_000_000 };
        if (datasets.length > 0) wish.datasets = [...datasets];
        onClose();
        onSubmit(wish);
    };
    const toggle = (name: string) =>
        setDatasets((all) =>
            all.includes(name) ? all.filter((one) => one !== name) : [...all, name],
        );
    return (
        <Dialog title={t("sessions.new")} onClose={onClose}>
            <form onSubmit={submit} className="flex flex-col gap-3 text-13 text-ink-2">
                <label>
                    {t("sessions.name")}
                    <input
                        name="name"
                        autoFocus
                        maxLength={200}
                        autoComplete="off"
                        defaultValue={t("sessions.defaultName")}
                        onFocus={(event) => event.currentTarget.select()}
                        className={kBox}
                    />
                </label>
                <details>
                    <summary className="py-1 select-none">{t("sessions.options")}</summary>
                    <div className="flex flex-col gap-3 pt-2">
                        <label>
                            {t("sessions.template")}
                            <select name="template" className={kBox}>
                                <option value="">{t("sessions.optional")}</option>
                                {templates?.templates
                                    .filter((one) => one.ready)
                                    .map((one) => (
                                        <option key={one.name} value={one.name}>
                                            {one.name}
                                            {one.description && ` – ${one.description}`}
                                        </option>
                                    ))}
                            </select>
                        </label>
                        <label>
                            {t("sessions.network")}
                            <select name="network" className={kBox}>
                                <option value="">{t("sessions.optional")}</option>
                                {info?.networks.map((one) => (
                                    <option key={one}>{one}</option>
                                ))}
                            </select>
                        </label>
                        <label>
                            {t("sessions.memoryMax")}
                            <input
                                name="memory"
                                type="number"
                                min={64}
                                placeholder={t("sessions.optional")}
                                className={kBox}
                            />
                        </label>
                        {info && info.datasets.length > 0 && (
                            <fieldset>
                                <legend>{t("server.datasets")}</legend>
                                {info.datasets.map((name) => (
                                    <label key={name} className="mt-1 flex items-center gap-2">
                                        <input
                                            type="checkbox"
                                            checked={datasets.includes(name)}
                                            onChange={() => toggle(name)}
                                            className="accent-accent"
                                        />
                                        <code className="font-mono text-12">{`/data/${name}`}</code>
                                    </label>
                                ))}
                            </fieldset>
                        )}
                    </div>
                </details>
                <div className="mt-2 flex justify-end gap-2">
                    <Button onClick={onClose}>{t("common.cancel")}</Button>
                    <Button kind="primary" type="submit">
                        {t("sessions.create")}
                    </Button>
                </div>
            </form>
        </Dialog>
    );
}
