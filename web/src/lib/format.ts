// Numbers, sizes, times and durations in the page's language, by Intl.
import i18n from "@/lib/i18n";

const formatters = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();

function numberFormat(options: Intl.NumberFormatOptions): Intl.NumberFormat {
    const key = `n${i18n.language}${JSON.stringify(options)}`;
    let found = formatters.get(key) as Intl.NumberFormat | undefined;
    if (!found) {
        found = new Intl.NumberFormat(i18n.language, options);
        formatters.set(key, found);
    }
    return found;
}

function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
    const key = `d${i18n.language}${JSON.stringify(options)}`;
    let found = formatters.get(key) as Intl.DateTimeFormat | undefined;
    if (!found) {
        found = new Intl.DateTimeFormat(i18n.language, options);
        formatters.set(key, found);
    }
    return found;
}

export function formatNumber(value: number, digits = 0): string {
    return numberFormat({ maximumFractionDigits: digits }).format(value);
}

export function formatPercent(fraction: number): string {
    return numberFormat({ style: "percent", maximumFractionDigits: 0 }).format(fraction);
}

const kSizeUnits = ["B", "kB", "MB", "GB", "TB"];

// Decimal units, as file managers and the tables of providers have them.
export function formatBytes(bytes: number): string {
    let value = bytes;
    let unit = 0;
    while (value >= 1000 && unit < kSizeUnits.length - 1) {
        value /= 1000;
        unit += 1;
    }
    const digits = unit === 0 || value >= 100 ? 0 : 1;
    return `${formatNumber(value, digits)} ${kSizeUnits[unit]}`;
}

// 3 ms, 0.21 s, 12.4 s, 3:07 min
export function formatDuration(ms: number): string {
    if (ms > 0 && ms < 100) return `${formatNumber(ms, ms < 1 ? 1 : 0)} ms`;
    if (ms < 1000) return `${formatNumber(ms / 1000, 2)} s`;
    if (ms < 60_000) return `${formatNumber(ms / 1000, 1)} s`;
    const seconds = Math.floor(ms / 1000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} min`;
}

export function formatTime(iso: string): string {
    const date = new Date(iso);
    if (Number.isNaN(date.getTime())) return "";
    const sameDay = date.toDateString() === new Date().toDateString();
    return sameDay
        ? dateFormat({ hour: "2-digit", minute: "2-digit" }).format(date)
        : dateFormat({ dateStyle: "medium", timeStyle: "short" }).format(date);
}

// For axes. A day as it is written, wherever the reader is.
export function formatDay(ms: number): string {
    return dateFormat({ dateStyle: "medium", timeZone: "UTC" }).format(ms);
}

// For axes: few digits, and thousands as a letter.
export function formatShort(value: number): string {
    return numberFormat({ notation: "compact", maximumSignificantDigits: 4 }).format(value);
}
