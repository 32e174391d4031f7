// One sentence for each way a request can fail, and the server's own words below it.
import type { TFunction } from "i18next";
import { ApiError, retryAt } from "@/lib/api";

export interface Described {
    title: string;
    detail: string;
}

export function describeError(error: unknown, t: TFunction): Described {
    if (!(error instanceof ApiError)) {
        const detail = error instanceof Error ? error.message : String(error);
        return { title: t("error.page"), detail };
    }
    const detail = error.message;
    switch (error.status) {
        case 0:
            return { title: t("error.noServer"), detail: t("error.noServerHelp") };
        case 401:
            return { title: t("error.unauthorized"), detail };
        case 403:
            return { title: t("error.forbidden"), detail };
        case 404:
        case 410:
            return { title: t("error.gone"), detail };
        case 413:
            return { title: t("error.tooLarge"), detail };
        case 429: {
            const until = retryAt(error);
            const seconds = Math.ceil((until - Date.now()) / 1000);
            if (until === 0) return { title: t("error.tooMany"), detail };
            const title =
                seconds > 0 ? t("error.tooManyWait", { seconds }) : t("error.tooManyOver");
            return { title, detail };
        }
        case 502:
        case 503:
        case 504:
            return { title: t("error.unavailable"), detail };
        case 507:
            return { title: t("error.full"), detail };
        default:
            return error.status >= 500
                ? { title: t("error.server"), detail }
                : { title: detail || t("error.refused"), detail: "" };
    }
}

// In one line, for toasts.
export function sentenceOfError(error: unknown, t: TFunction): string {
    const { title, detail } = describeError(error, t);
    if (!detail) return title;
    return /[.。]$/.test(title) ? `${title} ${detail}` : `${title}${t("error.stop")}${detail}`;
}
