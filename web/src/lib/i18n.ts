// English and Chinese. The choice is remembered; the first one is the browser's.
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import en from "@/locales/en.json";
import zh from "@/locales/zh.json";
import { recall, remember } from "@/lib/storage";

export type Language = "en" | "zh";
const kStored = "atoll.language";

declare module "i18next" {
    interface CustomTypeOptions {
        resources: { translation: typeof en };
    }
}

function firstLanguage(): Language {
    const stored = recall(kStored);
    if (stored === "en" || stored === "zh") return stored;
    return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

void i18next.use(initReactI18next).init({
    resources: { en: { translation: en }, zh: { translation: zh } },
    lng: firstLanguage(),
    fallbackLng: "en",
    interpolation: { escapeValue: false }, // React escapes
});

function mark(): void {
    document.documentElement.lang = i18next.language === "zh" ? "zh-CN" : "en";
}
mark();
i18next.on("languageChanged", mark);

export function setLanguage(language: Language): void {
    remember(kStored, language);
    void i18next.changeLanguage(language);
}

export default i18next;
