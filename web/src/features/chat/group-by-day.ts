interface Dated {
    updated_at: string;
}
export type Group = "today" | "yesterday" | "week" | "earlier";

// Groups in their order, without empty ones; inside a group the order stays.
export function groupByDay<T extends Dated>(all: readonly T[], now: Date): [Group, T[]][] {
    const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
    const day = 86_400_000;
    const groups: Record<Group, T[]> = { today: [], yesterday: [], week: [], earlier: [] };
    for (const one of all) {
        const time = new Date(one.updated_at).getTime();
        if (time >= midnight) groups.today.push(one);
        else if (time >= midnight - day) groups.yesterday.push(one);
        else if (time >= midnight - 6 * day) groups.week.push(one);
        else groups.earlier.push(one);
    }
    return (Object.entries(groups) as [Group, T[]][]).filter(([, members]) => members.length > 0);
}
