// Rows of a delimited file, only those on the screen in the page.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "@/lib/format";

const kRowHeight = 28;
const kNumber = /^\s*[-+]?[\d.,]+(e[-+]?\d+)?\s*%?$/i;
// Columns beyond this are cut: a row of ten thousand cells would freeze the page.
const kColumnsMax = 200;

interface GridProps {
    rows: string[][];
    complete: boolean;
    // Near the end of what is loaded: more, please.
    onEnd: () => void;
}

export function Grid({ rows, complete, onEnd }: GridProps) {
    const { t } = useTranslation();
    const scroller = useRef<HTMLDivElement>(null);
    const head = useMemo(() => (rows[0] ?? []).slice(0, kColumnsMax), [rows]);
    const count = Math.max(rows.length - 1, 0);
    const virtual = useVirtualizer({
        count,
        getScrollElement: () => scroller.current,
        estimateSize: () => kRowHeight,
        overscan: 12,
    });
    const columns = useMemo(
        () =>
            head.map((name, column) => {
                const sample = rows.slice(1, 60).map((row) => row[column] ?? "");
                const longest = Math.max(name.length, ...sample.map((value) => value.length), 3);
                const filled = sample.filter((value) => value !== "");
                const numeric = filled.length > 0 && filled.every((value) => kNumber.test(value));
                return { name, numeric, width: Math.min(Math.max(longest * 7.8 + 22, 64), 320) };
            }),
        [head, rows],
    );
    const lastShown = virtual.getVirtualItems().at(-1)?.index ?? 0;
    const wantsMore = !complete && count > 0 && lastShown > count - 200;
    useEffect(() => {
        if (wantsMore) onEnd();
    }, [wantsMore, onEnd]);
    const index = String(count).length * 8 + 22;
    const width = columns.reduce((sum, column) => sum + column.width, index);
    return (
        <>
            <div
                ref={scroller}
                tabIndex={0}
                role="region"
                aria-label={t("grid.label")}
                className="min-h-0 flex-1 overflow-auto font-mono text-[12.5px] outline-none"
            >
                <div
                    style={{ width, minWidth: "100%" }}
                    role="table"
                    aria-rowcount={complete ? count + 1 : -1}
                >
                    <div
                        role="row"
                        className="sticky top-0 z-10 flex h-[30px] items-center border-b border-line bg-rail font-semibold text-ink-2"
                    >
                        <span
                            role="columnheader"
                            style={{ width: index }}
                            className="flex-none px-2.5 text-right text-ink-3"
                        >
                            {t("grid.row")}
                        </span>
                        {columns.map((column, key) => (
                            <span
                                role="columnheader"
                                key={key}
                                style={{ width: column.width }}
                                title={column.name}
                                className={`flex-none truncate px-2.5 ${column.numeric ? "text-right" : ""}`}
                            >
                                {column.name}
                            </span>
                        ))}
                    </div>
                    <div style={{ height: virtual.getTotalSize() }} className="relative">
                        {virtual.getVirtualItems().map((item) => {
                            const row = rows[item.index + 1] ?? [];
                            return (
                                <div
                                    role="row"
                                    key={item.key}
                                    aria-rowindex={item.index + 2}
                                    style={{
                                        transform: `translateY(${item.start}px)`,
                                        height: kRowHeight,
                                    }}
                                    className="absolute inset-x-0 top-0 flex items-center border-b border-soft hover:bg-soft"
                                >
                                    <span
                                        style={{ width: index }}
                                        className="flex-none px-2.5 text-right text-ink-3"
                                    >
                                        {item.index + 1}
                                    </span>
                                    {columns.map((column, key) => (
                                        <span
                                            role="cell"
                                            key={key}
                                            style={{ width: column.width }}
                                            title={row[key] ?? ""}
                                            className={`flex-none truncate px-2.5 ${column.numeric ? "text-right" : ""}`}
                                        >
                                            {row[key] ?? ""}
                                        </span>
                                    ))}
                                </div>
                            );
                        })}
                    </div>
                </div>
            </div>
            <div className="tabular flex-none border-t border-soft px-4 py-1.5 text-12 text-ink-3">
                {complete
                    ? t("grid.all", {
                          rows: formatNumber(count),
                          columns: formatNumber(rows[0]?.length ?? 0),
                      })
                    : t("grid.some", {
                          rows: formatNumber(count),
                          columns: formatNumber(rows[0]?.length ?? 0),
                      })}
            </div>
        </>
    );
}
