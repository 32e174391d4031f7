import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { TopBar } from "@/app/top-bar";
import { ErrorNotice } from "@/components/ui/notice";

export function NotFoundPage() {
    const { t } = useTranslation();
    return (
        <>
            <TopBar />
            <div className="grid flex-1 place-items-center px-6 text-center">
                <div>
                    <h1 className="text-16 font-semibold">{t("notFound.title")}</h1>
                    <p className="mt-1 text-14 text-ink-2">{t("notFound.text")}</p>
                    <Link to="/ui" className="mt-4 inline-block text-14 text-accent underline">
                        {t("rail.newChat")}
                    </Link>
                </div>
            </div>
        </>
    );
}

export function FailedPage({ error }: { error: unknown }) {
    return (
        <div className="p-6">
            <ErrorNotice error={error} onRetry={() => location.reload()} />
        </div>
    );
}
