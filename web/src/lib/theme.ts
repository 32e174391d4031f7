// Light or dark. public/theme.js makes the first choice before the page is painted.
import { useSyncExternalStore } from "react";
import { remember } from "@/lib/storage";

export type Theme = "light" | "dark";
const listeners = new Set<() => void>();

function current(): Theme {
    return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

export function toggleTheme(): void {
    const next = current() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    remember("atoll.theme", next);
    for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

export function useTheme(): Theme {
    return useSyncExternalStore(subscribe, current);
}
