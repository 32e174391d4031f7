import { Link } from "@tanstack/react-router";
import { MapPinOff, Unplug } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { TopBar } from "@/app/top-bar";
import { Empty } from "@/components/ui/empty";
import { ErrorNotice } from "@/components/ui/notice";

export function NotFoundPage() {
    const { t } = useTranslation();
    return (
        <>
            <TopBar />
            <Nothing icon={<MapPinOff size={22} />} title={t("notFound.title")}>
                {t("notFound.text")}
            </Nothing>
        </>
    );
}

// A chat or a session that was deleted, or never was.
export function GonePage({ title, text }: { title: string; text: string }) {
    return (
        <>
            <TopBar />
            <Nothing icon={<Unplug size={22} />} title={title}>
                {text}
            </Nothing>
        </>
    );
}

function Nothing(props: { icon: ReactNode; title: string; children: string }) {
    const { t } = useTranslation();
    return (
        <div className="grid flex-1 place-items-center">
            <Empty icon={props.icon} title={props.title} text={props.children}>
                <div className="mt-3 flex flex-wrap justify-center gap-2 text-13">
                    <Link
                        to="/ui"
                        className="rounded-lg bg-accent px-3 py-1.5 font-medium text-accent-ink"
                    >
                        {t("rail.newChat")}
                    </Link>
                    <Link
                        to="/ui/sessions"
                        className="rounded-lg border border-line bg-panel px-3 py-1.5 hover:bg-soft"
                    >
                        {t("rail.sessions")}
                    </Link>
                </div>
            </Empty>
        </div>
    );
}

export function FailedPage({ error }: { error: unknown }) {
    return (
        <div className="p-6">
            <ErrorNotice error={error} onRetry={() => location.reload()} />
        </div>
    );
}
