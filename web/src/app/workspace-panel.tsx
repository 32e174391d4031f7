// The panel beside a conversation: resizable, its width remembered.
import { X } from "lucide-react";
import { useState, type KeyboardEvent, type PointerEvent } from "react";
import { useTranslation } from "react-i18next";
import type { PanelSearch } from "@/app/panel-search";
import { Workspace } from "@/app/workspace";
import { IconButton } from "@/components/ui/button";
import { recall, remember } from "@/lib/storage";

const kWidth = "atoll.panelWidth";
const kMin = 340;

function clamped(width: number): number {
    return Math.round(Math.min(Math.max(width, kMin), Math.max(kMin, innerWidth - 620)));
}

interface PanelProps {
    session: string;
    search: PanelSearch;
    onChange: (to: PanelSearch) => void;
    onClose: () => void;
}

export function WorkspacePanel({ session, search, onChange, onClose }: PanelProps) {
    const { t } = useTranslation();
    const [width, setWidth] = useState(() => clamped(Number(recall(kWidth)) || 480));
    const change = (to: number) => {
        const next = clamped(to);
        setWidth(next);
        remember(kWidth, String(next));
    };
    const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
        event.preventDefault();
        const handle = event.currentTarget;
        handle.setPointerCapture(event.pointerId);
        const start = event.clientX + width;
        const move = (to: globalThis.PointerEvent) => change(start - to.clientX);
        handle.addEventListener("pointermove", move);
        handle.addEventListener(
            "lostpointercapture",
            () => handle.removeEventListener("pointermove", move),
            { once: true },
        );
    };
    const onKeyDown = (event: KeyboardEvent) => {
        if (event.key === "ArrowLeft") change(width + 24);
        if (event.key === "ArrowRight") change(width - 24);
    };
    return (
        <aside
            aria-label={t("panel.label")}
            style={{ "--panel-width": `${width}px` } as React.CSSProperties}
            className="relative z-10 flex w-(--panel-width) flex-none flex-col border-l border-line bg-panel
                max-[1100px]:absolute max-[1100px]:inset-y-0 max-[1100px]:right-0 max-[1100px]:w-[min(560px,100%)]
                max-[1100px]:shadow-high"
        >
            <div
                role="separator"
                tabIndex={0}
                aria-orientation="vertical"
                aria-label={t("panel.resize")}
                aria-valuenow={width}
                onPointerDown={onPointerDown}
                onKeyDown={onKeyDown}
                className="absolute inset-y-0 -left-1 z-10 w-2 cursor-col-resize hover:bg-accent/30 max-[1100px]:hidden"
            />
            <Workspace
                session={session}
                search={search}
                onChange={onChange}
                end={
                    <IconButton label={t("panel.close")} onClick={onClose}>
                        <X size={16} />
                    </IconButton>
                }
            />
        </aside>
    );
}
