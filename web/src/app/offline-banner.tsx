import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Sparkles, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { infoQuery, isOffline } from "@/app/info";
import { IconButton } from "@/components/ui/button";
import { recall, remember } from "@/lib/storage";

const kHidden = "atoll.offlineBanner";

// No language model is set: says who answers, and how to set one.
export function OfflineBanner() {
    const { t } = useTranslation();
    const info = useQuery(infoQuery);
    const [hidden, setHidden] = useState(() => recall(kHidden) === "hidden");
    if (hidden || !isOffline(info.data)) return null;
    return (
        <div
            role="note"
            className="flex items-start gap-3 rounded-xl border border-line bg-panel py-2 pr-2 pl-3.5 text-13 text-ink-2"
        >
            <Sparkles size={15} className="mt-1 flex-none text-accent" />
            <p className="min-w-0 flex-1 py-0.5">
                <span className="font-medium text-ink">{t("offline.title")}</span>{" "}
                {t("offline.text")}{" "}
                <Link to="/ui/settings" className="font-medium text-accent hover:underline">
                    {t("offline.choose")}
                </Link>
            </p>
            <IconButton
                small
                label={t("offline.hide")}
                onClick={() => {
                    remember(kHidden, "hidden");
                    setHidden(true);
                }}
            >
                <X size={14} />
            </IconButton>
        </div>
    );
}
