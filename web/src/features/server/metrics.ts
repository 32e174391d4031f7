// Reads Prometheus' text format as far as the overview needs it: name, labels, value.
export interface Sample {
    name: string;
    labels: Record<string, string>;
    value: number;
}

const kLine = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/;
const kLabel = /([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g;

export function parseMetrics(text: string): Sample[] {
    const samples: Sample[] = [];
    for (const line of text.split("\n")) {
        if (line.startsWith("#")) continue;
        const found = kLine.exec(line);
        if (!found?.[1]) continue;
        const labels: Record<string, string> = {};
        for (const label of (found[2] ?? "").matchAll(kLabel))
            labels[label[1] ?? ""] = label[2] ?? "";
        samples.push({ name: found[1], labels, value: Number(found[3]) });
    }
    return samples;
}

export function sumOf(
    samples: readonly Sample[],
    name: string,
    wanted: (sample: Sample) => boolean = () => true,
): number {
    return samples.reduce(
        (sum, one) => (one.name === name && wanted(one) ? sum + one.value : sum),
        0,
    );
}

export interface RouteRow {
    name: string;
    count: number;
    errors: number;
    meanMs: number;
}

// Requests by route, the most used first.
export function routeRows(samples: readonly Sample[]): RouteRow[] {
    const rows = new Map<string, { count: number; errors: number; seconds: number }>();
    for (const { name, labels, value } of samples) {
        if (!name.startsWith("atoll_http_request_seconds_")) continue;
        const key = `${labels.method ?? ""} ${labels.route ?? ""}`;
        const row = rows.get(key) ?? { count: 0, errors: 0, seconds: 0 };
        if (name.endsWith("_count")) {
            row.count += value;
            if (/^[45]/.test(labels.status ?? "")) row.errors += value;
        }
        if (name.endsWith("_sum")) row.seconds += value;
        rows.set(key, row);
    }
    return [...rows.entries()]
        .filter(([, row]) => row.count > 0)
        .map(([name, row]) => ({
            name,
            count: row.count,
            errors: row.errors,
            meanMs: (row.seconds * 1000) / row.count,
        }))
        .sort((a, b) => b.count - a.count);
}
