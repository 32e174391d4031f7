// A table of any length: only the rows on the screen are in the page, and only the pages that are
// looked at are fetched. Sorting and filtering happen in the sandbox.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp, ChevronLeft, ChevronRight, Filter, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/ui/button";
import { ErrorNotice, Notice } from "@/components/ui/notice";
import { formatNumber } from "@/lib/format";
import { PageStore } from "./page-store";
import {
    GridLost,
    GridRefusal,
    fetchPages,
    headQuery,
    kPageRows,
    wholeQuery,
    type Column,
    type Page,
    type Sort,
    type Source,
    type View,
} from "./pages";

const kRowHeight = 28;
// Browsers end at some 33 million pixels: what lies beyond is reached in steps.
const kWindowRows = 1_000_000;

interface DataGridProps {
    session: string;
    source: Source;
    version: string;
    onSheet?: (sheet: string) => void;
    // What to show in its place when the file is no table.
    instead?: ReactNode;
}

export default function DataGrid({ session, source, version, onSheet, instead }: DataGridProps) {
    const { t } = useTranslation();
    const [sort, setSort] = useState<Sort | null>(null);
    const [filtering, setFiltering] = useState(false);
    const [texts, setTexts] = useState<Record<number, string>>({});
    const filters = useSettled(texts);
    const view: View = useMemo(
        () => ({ session, source, version, sort, filters }),
        [session, source, version, sort, filters],
    );
    const head = useQuery({ ...headQuery(view), placeholderData: keepPreviousData });
    const isHeadWhole = head.data?.whole ?? false;
    const whole = useQuery({ ...wholeQuery(view), enabled: head.isSuccess && !isHeadWhole });
    const [columns, setColumns] = useState<Page | null>(null);
    useEffect(() => {
        if (head.data && !head.isPlaceholderData) setColumns(head.data);
    }, [head.data, head.isPlaceholderData]);
    const error = head.error ?? whole.error;
    const first = whole.data ?? head.data ?? columns;
    if (error && !columns) {
        return (
            <>
                <div className="p-4">
                    <GridError error={error} onRetry={() => void head.refetch()} />
                </div>
                {instead}
            </>
        );
    }
    if (!first) return <GridSkeleton />;
    const change = (column: number, text: string) =>
        setTexts(({ [column]: _, ...rest }) => (text ? { ...rest, [column]: text } : rest));
    return (
        <>
            <div className="flex h-9 flex-none items-center gap-1 border-b border-soft pr-2 pl-4 text-12 text-ink-3">
                <span className="tabular min-w-0 flex-1 truncate" role="status">
                    <Count page={first} settled={isHeadWhole || whole.isSuccess} />
                </span>
                {first.sheets.length > 1 && onSheet && "file" in source && (
                    <select
                        aria-label={t("grid.sheet")}
                        value={source.sheet || first.sheets[0]}
                        onChange={(event) => onSheet(event.target.value)}
                        className="h-7 max-w-40 rounded-lg border border-line bg-panel px-1.5 text-12 text-ink-2"
                    >
                        {first.sheets.map((name) => (
                            <option key={name}>{name}</option>
                        ))}
                    </select>
                )}
                <IconButton
                    small
                    label={filtering ? t("grid.noFilter") : t("grid.filter")}
                    aria-pressed={filtering}
                    className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
                    onClick={() => {
                        setFiltering(!filtering);
                        setTexts({});
                    }}
                >
                    {filtering ? <X size={14} /> : <Filter size={14} />}
                </IconButton>
            </div>
            {error && (
                <div className="px-4 py-2">
                    <GridError error={error} onRetry={() => void head.refetch()} />
                </div>
            )}
            <Rows
                key={JSON.stringify([source, version, sort, filters])}
                view={view}
                head={head.isPlaceholderData || error ? null : first}
                columns={(columns ?? first).columns}
                sample={(columns ?? first).rows}
                sort={sort}
                onSort={setSort}
                filters={filtering ? texts : null}
                onFilter={change}
            />
        </>
    );
}

// What is typed counts when typing pauses: each filter reads the whole column.
function useSettled(texts: Record<number, string>): [number, string][] {
    const [settled, setSettled] = useState<[number, string][]>([]);
    useEffect(() => {
        const timer = setTimeout(() => {
            const next = Object.entries(texts).map(([at, text]): [number, string] => [+at, text]);
            setSettled((old) => (JSON.stringify(old) === JSON.stringify(next) ? old : next));
        }, 300);
        return () => clearTimeout(timer);
    }, [texts]);
    return settled;
}

function Count({ page, settled }: { page: Page; settled: boolean }) {
    const { t } = useTranslation();
    const size = {
        count: page.total,
        rows: formatNumber(page.total),
        columns: formatNumber(page.all_columns),
    };
    const parts = [settled && !page.cut ? t("grid.all", size) : t("grid.some", size)];
    if (!settled) parts.push(t("grid.counting"));
    if (page.cut) parts.push(t("grid.cut"));
    if (page.skipped > 0)
        parts.push(t("grid.skipped", { count: page.skipped, lines: formatNumber(page.skipped) }));
    if (page.all_columns > page.columns.length)
        parts.push(t("grid.someColumns", { columns: formatNumber(page.columns.length) }));
    return parts.join(" · ");
}

function GridError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
    const { t } = useTranslation();
    if (error instanceof GridRefusal)
        return <Notice title={t("grid.refused")}>{error.message}</Notice>;
    if (error instanceof GridLost) {
        const action = { label: t("common.retry"), onClick: onRetry };
        return (
            <Notice title={t("grid.lost")} action={action}>
                {error.reason === "memory" ? t("grid.lostMemory") : error.reason}
            </Notice>
        );
    }
    return <ErrorNotice error={error} onRetry={onRetry} />;
}

interface RowsProps {
    view: View;
    head: Page | null;
    columns: readonly Column[];
    sample: Page["rows"];
    sort: Sort | null;
    onSort: (sort: Sort | null) => void;
    filters: Record<number, string> | null;
    onFilter: (column: number, text: string) => void;
}

function Rows({ view, head, columns, sample, sort, onSort, filters, onFilter }: RowsProps) {
    const { t } = useTranslation();
    const scroller = useRef<HTMLDivElement>(null);
    const [base, setBase] = useState(0);
    const total = head?.total ?? 0;
    const count = Math.min(kWindowRows, total - base);
    const virtual = useVirtualizer({
        count: Math.max(count, 0),
        getScrollElement: () => scroller.current,
        estimateSize: () => kRowHeight,
        overscan: 12,
    });
    const items = virtual.getVirtualItems();
    const from = Math.floor((base + (items[0]?.index ?? 0)) / kPageRows);
    const to = Math.floor((base + (items.at(-1)?.index ?? 0)) / kPageRows);
    const pages = usePages(view, head, from, to);
    const isReading = items.some((item) => !pages.get(Math.floor((base + item.index) / kPageRows)));
    const widths = useMemo(
        () =>
            columns.map(({ name }, at) => {
                const cells = sample.slice(0, 60).map((row) => row[at]?.length ?? 4);
                return Math.min(Math.max(Math.max(name.length + 3, ...cells) * 7.8 + 22, 72), 320);
            }),
        [columns, sample],
    );
    const index = String(Math.max(total, 99)).length * 8 + 22;
    const width = widths.reduce((sum, one) => sum + one, index);
    return (
        <>
            {pages.error != null && (
                <div className="px-4 py-2">
                    <GridError error={pages.error} onRetry={() => pages.retry()} />
                </div>
            )}
            <div
                ref={scroller}
                tabIndex={0}
                role="region"
                aria-label={t("grid.label")}
                aria-busy={!head || (isReading && pages.error === null)}
                className={`min-h-0 flex-1 overflow-auto font-mono text-[12.5px] outline-none ${head ? "" : "opacity-50"}`}
            >
                <div style={{ width, minWidth: "100%" }} role="table" aria-rowcount={total + 1}>
                    <div
                        role="rowgroup"
                        className="sticky top-0 z-10 border-b border-line bg-rail text-ink-2"
                    >
                        <div role="row" className="flex h-[30px] items-stretch font-semibold">
                            <span
                                role="columnheader"
                                style={{ width: index }}
                                className="flex-none px-2.5 py-1 text-right font-normal text-ink-3"
                            >
                                {t("grid.row")}
                            </span>
                            {columns.map((column, at) => (
                                <HeadCell
                                    key={at}
                                    column={column}
                                    width={widths[at] ?? 72}
                                    order={sort?.[0] === at ? (sort[1] ? "down" : "up") : null}
                                    onClick={() => onSort(nextSort(sort, at))}
                                />
                            ))}
                        </div>
                        {filters && (
                            <div role="row" className="flex pb-1.5">
                                <span role="cell" style={{ width: index }} className="flex-none" />
                                {columns.map((column, at) => (
                                    <span
                                        role="cell"
                                        key={at}
                                        style={{ width: widths[at] }}
                                        className="flex-none px-1"
                                    >
                                        <input
                                            value={filters[at] ?? ""}
                                            aria-label={t("grid.filterOf", { column: column.name })}
                                            placeholder={
                                                column.kind === "number"
                                                    ? t("grid.filterNumber")
                                                    : t("grid.filterText")
                                            }
                                            spellCheck={false}
                                            onChange={(event) => onFilter(at, event.target.value)}
                                            className="h-6 w-full rounded border border-line bg-panel px-1.5 font-mono text-12 focus-visible:border-accent"
                                        />
                                    </span>
                                ))}
                            </div>
                        )}
                    </div>
                    <div
                        role="rowgroup"
                        style={{ height: virtual.getTotalSize() }}
                        className="relative"
                    >
                        {items.map((item) => {
                            const at = base + item.index;
                            const row = pages.get(Math.floor(at / kPageRows))?.[at % kPageRows];
                            return (
                                <div
                                    role="row"
                                    key={item.key}
                                    aria-rowindex={at + 2}
                                    style={{
                                        transform: `translateY(${item.start}px)`,
                                        height: kRowHeight,
                                    }}
                                    className="absolute inset-x-0 top-0 flex items-center border-b border-soft hover:bg-soft"
                                >
                                    <span
                                        role="rowheader"
                                        style={{ width: index }}
                                        className="tabular flex-none px-2.5 text-right text-ink-3"
                                    >
                                        {at + 1}
                                    </span>
                                    {columns.map((column, key) => (
                                        <Cell
                                            key={key}
                                            width={widths[key] ?? 72}
                                            numeric={column.kind === "number"}
                                            value={row ? (row[key] ?? null) : undefined}
                                        />
                                    ))}
                                </div>
                            );
                        })}
                    </div>
                </div>
                {head && total === 0 && (
                    <p className="px-4 py-3 font-sans text-13 text-ink-2">{t("grid.noRows")}</p>
                )}
            </div>
            {total > kWindowRows && (
                <div className="tabular flex flex-none items-center gap-1 border-t border-soft px-3 py-1 text-12 text-ink-3">
                    <IconButton
                        small
                        label={t("grid.before")}
                        disabled={base === 0}
                        onClick={() => setBase(base - kWindowRows)}
                    >
                        <ChevronLeft size={14} />
                    </IconButton>
                    {`${formatNumber(base + 1)} – ${formatNumber(base + count)}`}
                    <IconButton
                        small
                        label={t("grid.after")}
                        disabled={base + kWindowRows >= total}
                        onClick={() => setBase(base + kWindowRows)}
                    >
                        <ChevronRight size={14} />
                    </IconButton>
                </div>
            )}
        </>
    );
}

// Up, down, as it was.
function nextSort(sort: Sort | null, column: number): Sort | null {
    if (sort?.[0] !== column) return [column, false];
    return sort[1] ? null : [column, true];
}

function HeadCell(props: {
    column: Column;
    width: number;
    order: "up" | "down" | null;
    onClick: () => void;
}) {
    const { column, width, order, onClick } = props;
    const Arrow = order === "down" ? ArrowDown : ArrowUp;
    return (
        <span
            role="columnheader"
            aria-sort={order ? (order === "up" ? "ascending" : "descending") : "none"}
            style={{ width }}
            className="flex-none"
        >
            <button
                type="button"
                title={column.name}
                onClick={onClick}
                className={`flex h-full w-full items-center gap-1 px-2.5 hover:bg-soft ${column.kind === "number" ? "justify-end" : ""}`}
            >
                <span className="truncate">{column.name}</span>
                {order && <Arrow size={12} className="flex-none text-accent" />}
            </button>
        </span>
    );
}

// undefined: not here yet; null: the table has nothing there.
function Cell(props: { width: number; numeric: boolean; value: string | null | undefined }) {
    const { width, numeric, value } = props;
    const look = value === undefined ? "text-line" : value === null ? "text-ink-3" : "";
    return (
        <span
            role="cell"
            style={{ width }}
            title={value ?? ""}
            className={`flex-none truncate px-2.5 ${numeric ? "tabular text-right" : ""} ${look}`}
        >
            {value === undefined ? "…" : value === null ? "–" : value}
        </span>
    );
}

// The pages of a view, of which the first came with its head.
function usePages(view: View, head: Page | null, from: number, to: number): PageStore {
    const store = useMemo(() => {
        const count = Math.ceil((head?.total ?? 0) / kPageRows);
        const made = new PageStore((...range) => fetchPages(view, ...range), kPageRows, count);
        if (head) made.put(0, head.rows);
        return made;
    }, [view, head]);
    useSyncExternalStore(store.subscribe, store.snapshot);
    useEffect(() => store.want(from, to), [store, from, to]);
    return store;
}

function GridSkeleton() {
    return (
        <div aria-hidden className="p-4">
            <div className="skeleton mb-3 h-7" />
            {[0, 1, 2, 3, 4, 5].map((key) => (
                <div key={key} className="skeleton mb-2 h-5" />
            ))}
        </div>
    );
}
