import { Menu as MenuIcon, Moon, Sun } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useOpenRail } from "@/app/layout";
import { IconButton } from "@/components/ui/button";
import { setLanguage } from "@/lib/i18n";
import { toggleTheme, useTheme } from "@/lib/theme";

// At the top of every page: its title, its own buttons, and at the right corner the language.
export function TopBar({ children, actions }: { children?: ReactNode; actions?: ReactNode }) {
    const { t } = useTranslation();
    const openRail = useOpenRail();
    const theme = useTheme();
    return (
        <header className="flex h-[52px] flex-none items-center gap-2 border-b border-soft px-3 sm:px-5">
            <IconButton label={t("rail.open")} className="sm:hidden" onClick={openRail}>
                <MenuIcon size={18} />
            </IconButton>
            <div className="flex min-w-0 flex-1 items-center gap-2">{children}</div>
            {actions}
            <IconButton
                label={theme === "dark" ? t("theme.light") : t("theme.dark")}
                onClick={toggleTheme}
            >
                {theme === "dark" ? <Sun size={16} /> : <Moon size={16} />}
            </IconButton>
            <LanguageSwitch />
        </header>
    );
}

function LanguageSwitch() {
    const { t, i18n } = useTranslation();
    const look =
        "h-full px-2 text-12 font-medium aria-pressed:bg-accent-soft aria-pressed:text-accent text-ink-3";
    return (
        <div
            role="group"
            aria-label={t("language.label")}
            className="flex h-7 flex-none overflow-hidden rounded-lg border border-line bg-panel whitespace-nowrap"
        >
            <button
                type="button"
                lang="en"
                aria-pressed={i18n.language === "en"}
                className={look}
                onClick={() => setLanguage("en")}
            >
                {t("language.en")}
            </button>
            <button
                type="button"
                lang="zh"
                aria-pressed={i18n.language === "zh"}
                className={look}
                onClick={() => setLanguage("zh")}
            >
                {t("language.zh")}
            </button>
        </div>
    );
}
