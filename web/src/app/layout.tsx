// The frame of every page: the rail, the page, and what is true everywhere (no network, no server).
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { Activity, BookOpen, Boxes, KeyRound, ListTodo, Plus, Settings } from "lucide-react";
import { createContext, useContext, useEffect, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { infoQuery } from "@/app/info";
import { Shortcuts } from "@/app/shortcuts";
import { Logo } from "@/components/logo";
import { Dialog } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import { ThreadList } from "@/features/chat/components/thread-list";
import { ApiError } from "@/lib/api";

const RailContext = createContext<() => void>(() => undefined);
// Opens the rail where it is a drawer.
export const useOpenRail = () => useContext(RailContext);

export function Layout() {
    const { t } = useTranslation();
    const [open, setOpen] = useState(false);
    const [listing, setListing] = useState(false);
    const location = useLocation();
    useEffect(() => setOpen(false), [location.pathname]);
    useEffect(() => {
        const onKey = (event: KeyboardEvent) => {
            if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
                event.preventDefault();
                setOpen(true);
                document.getElementById("search-threads")?.focus();
            }
            if (event.key === "Escape") setOpen(false);
            const isTyped =
                event.target instanceof Element &&
                event.target.closest("input, textarea, select, dialog, [contenteditable]");
            if (event.key === "?" && !isTyped) setListing(true);
        };
        addEventListener("keydown", onKey);
        return () => removeEventListener("keydown", onKey);
    }, []);
    return (
        <RailContext.Provider value={() => setOpen(true)}>
            <div className="flex h-dvh overflow-hidden">
                <a
                    href="#page"
                    className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-panel focus:p-2"
                >
                    {t("rail.skip")}
                </a>
                {open && (
                    <div
                        className="fixed inset-0 z-20 bg-black/40 sm:hidden"
                        onClick={() => setOpen(false)}
                    />
                )}
                <aside
                    className={`z-30 flex w-64 flex-none flex-col border-r border-line bg-rail px-2.5 py-3.5 transition-transform
                    max-sm:fixed max-sm:inset-y-0 max-sm:left-0 max-sm:w-72 max-lg:w-56
                    ${open ? "" : "max-sm:invisible max-sm:-translate-x-full"}`}
                >
                    <Link
                        to="/ui"
                        className="flex items-center gap-2.5 rounded-lg px-2 pt-0.5 pb-3 text-16 font-semibold tracking-tight"
                    >
                        <Logo />
                        {t("app.name")}
                    </Link>
                    <Link
                        to="/ui"
                        className="flex h-9 items-center justify-center gap-2 rounded-lg bg-accent text-14 font-medium
                        text-accent-ink transition hover:brightness-110"
                    >
                        <Plus size={16} />
                        {t("rail.newChat")}
                    </Link>
                    <ThreadList />
                    <nav aria-label={t("rail.pages")} className="mt-2 border-t border-line pt-2">
                        <RailLink to="/ui/sessions" icon={<Boxes size={16} />}>
                            {t("rail.sessions")}
                        </RailLink>
                        <RailLink to="/ui/jobs" icon={<ListTodo size={16} />}>
                            {t("rail.jobs")}
                        </RailLink>
                        <RailLink to="/ui/server" icon={<Activity size={16} />}>
                            {t("rail.server")}
                        </RailLink>
                        <RailLink to="/ui/keys" icon={<KeyRound size={16} />}>
                            {t("rail.keys")}
                        </RailLink>
                        <RailLink to="/ui/settings" icon={<Settings size={16} />}>
                            {t("rail.settings")}
                        </RailLink>
                        <a href="/docs/" className={kRailLink}>
                            <BookOpen size={16} />
                            {t("rail.docs")}
                        </a>
                    </nav>
                </aside>
                <main id="page" className="flex min-w-0 flex-1 flex-col">
                    <Connection />
                    <Outlet />
                </main>
                {listing && (
                    <Dialog title={t("settings.shortcuts")} onClose={() => setListing(false)}>
                        <Shortcuts />
                    </Dialog>
                )}
            </div>
        </RailContext.Provider>
    );
}

const kRailLink = "flex h-8 items-center gap-2.5 rounded-lg px-2 text-14 text-ink-2 hover:bg-soft";

function RailLink(props: {
    to: "/ui/sessions" | "/ui/jobs" | "/ui/server" | "/ui/keys" | "/ui/settings";
    icon: ReactNode;
    children: ReactNode;
}) {
    return (
        <Link
            to={props.to}
            activeProps={{ className: "bg-panel text-ink shadow-[inset_0_0_0_1px_var(--line)]" }}
            className={kRailLink}
        >
            {props.icon}
            {props.children}
        </Link>
    );
}

// In one place for all pages: the browser has no network, or nobody answers.
function Connection() {
    const { t } = useTranslation();
    const [online, setOnline] = useState(navigator.onLine);
    useEffect(() => {
        const change = () => setOnline(navigator.onLine);
        addEventListener("online", change);
        addEventListener("offline", change);
        return () => {
            removeEventListener("online", change);
            removeEventListener("offline", change);
        };
    }, []);
    const info = useQuery(infoQuery);
    const away = info.error instanceof ApiError && info.error.status === 0;
    if (online && !away) return null;
    return (
        <div className="px-4 pt-3">
            <Notice
                title={online ? t("error.noServer") : t("error.offline")}
                action={{ label: t("common.retry"), onClick: () => void info.refetch() }}
            >
                {online ? t("error.noServerHelp") : t("error.offlineHelp")}
            </Notice>
        </div>
    );
}
