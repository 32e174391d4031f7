// A frame or an array of the kernel in the grid. The version makes the kernel look at it anew.
import { ChevronLeft, RefreshCw } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/ui/button";
import { load } from "@/lib/load";

const DataGrid = lazy(load(() => import("@/components/data-grid/data-grid")));

interface VariableGridProps {
    session: string;
    name: string;
    onClose: () => void;
}

export function VariableGrid({ session, name, onClose }: VariableGridProps) {
    const { t } = useTranslation();
    const [version, setVersion] = useState(() => String(Date.now()));
    return (
        <section aria-label={name} className="flex min-h-0 flex-1 flex-col">
            <div className="flex h-10 flex-none items-center gap-1 border-b border-line bg-rail px-2 text-13">
                <IconButton small label={t("variables.back")} onClick={onClose}>
                    <ChevronLeft size={15} />
                </IconButton>
                <b className="min-w-0 flex-1 truncate font-mono font-semibold">{name}</b>
                <IconButton
                    small
                    label={t("common.refresh")}
                    onClick={() => setVersion(String(Date.now()))}
                >
                    <RefreshCw size={14} />
                </IconButton>
            </div>
            <Suspense fallback={<div className="skeleton m-4 h-40" />}>
                <DataGrid session={session} source={{ variable: name }} version={version} />
            </Suspense>
        </section>
    );
}
