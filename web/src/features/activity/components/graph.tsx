// A line over time, without a library: some two hundred points.
interface GraphProps {
    label: string;
    value: string;
    // Between 0 and 1, at times between 0 and 1; null is a gap.
    points: readonly { x: number; y: number | null }[];
    foot: string;
}

const kWidth = 300;
const kHeight = 64;

export function Graph({ label, value, points, foot }: GraphProps) {
    const spots = points.flatMap(({ x, y }) =>
        y === null
            ? []
            : [`${(x * kWidth).toFixed(1)},${(kHeight - y * (kHeight - 4)).toFixed(1)}`],
    );
    const first = spots[0]?.split(",")[0];
    const last = spots.at(-1)?.split(",")[0];
    return (
        <figure className="min-w-0 flex-1 overflow-hidden rounded-[10px] border border-line bg-panel">
            <figcaption className="flex items-baseline gap-2 px-3 pt-2 text-12 text-ink-2">
                <span className="flex-1">{label}</span>
                <b className="tabular text-15 font-semibold text-ink">{value}</b>
            </figcaption>
            <svg
                viewBox={`0 0 ${kWidth} ${kHeight}`}
                preserveAspectRatio="none"
                role="img"
                aria-label={`${label}: ${value}`}
                className="mt-1 block h-16 w-full text-accent"
            >
                {[0.25, 0.5, 0.75].map((part) => (
                    <line
                        key={part}
                        x1="0"
                        x2={kWidth}
                        y1={kHeight * part}
                        y2={kHeight * part}
                        stroke="var(--line-soft)"
                        vectorEffect="non-scaling-stroke"
                    />
                ))}
                {spots.length === 1 && (
                    <polyline
                        points={`${kWidth - 8},${spots[0]?.split(",")[1]} ${kWidth},${spots[0]?.split(",")[1]}`}
                        stroke="currentColor"
                        strokeWidth="3"
                        vectorEffect="non-scaling-stroke"
                    />
                )}
                {spots.length > 1 && (
                    <>
                        <polygon
                            points={`${first},${kHeight} ${spots.join(" ")} ${last},${kHeight}`}
                            fill="currentColor"
                            opacity="0.12"
                        />
                        <polyline
                            points={spots.join(" ")}
                            fill="none"
                            stroke="currentColor"
                            strokeWidth="1.5"
                            vectorEffect="non-scaling-stroke"
                        />
                    </>
                )}
            </svg>
            <p className="tabular border-t border-soft px-3 py-1 text-12 text-ink-3">{foot}</p>
        </figure>
    );
}
