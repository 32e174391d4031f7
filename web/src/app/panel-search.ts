// What is open in the workspace panel, as it stands in the address.
export const kTabs = [
    "files",
    "gallery",
    "terminal",
    "console",
    "variables",
    "ports",
    "activity",
] as const;
export type Tab = (typeof kTabs)[number];
export interface PanelSearch {
    panel?: Tab;
    file?: string;
    variable?: string;
}

export function panelSearch(search: Record<string, unknown>): PanelSearch {
    const found: PanelSearch = {};
    const panel = kTabs.find((tab) => tab === search.panel);
    if (panel) found.panel = panel;
    if (typeof search.file === "string" && search.file) found.file = search.file;
    if (typeof search.variable === "string" && search.variable) found.variable = search.variable;
    return found;
}
