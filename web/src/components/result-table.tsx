// A small table that code answered with, whole in the page.
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "@/components/ui/copy-button";
import type { Schemas } from "@/lib/api";
import { formatNumber } from "@/lib/format";

type TableData = Schemas["TableData"];

const kRowsShown = 10;

function cellText(value: unknown): string {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return formatNumber(value, 6);
    return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function csvOf(table: TableData): string {
    const quoted = (value: unknown) => {
        const text =
            value === null || value === undefined
                ? ""
                : typeof value === "object"
                  ? JSON.stringify(value)
                  : String(value);
        return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const rows = [table.columns, ...(table.rows as unknown[][])];
    return rows.map((row) => row.map(quoted).join(",")).join("\n") + "\n";
}

export function ResultTable({ table }: { table: TableData }) {
    const { t } = useTranslation();
    const [all, setAll] = useState(false);
    const rows = table.rows as unknown[][];
    const shown = all ? rows : rows.slice(0, kRowsShown);
    const numeric = table.columns.map((_, column) =>
        rows.every((row) => row[column] === null || typeof row[column] === "number"),
    );
    return (
        <div className="overflow-hidden rounded-[10px] border border-line bg-panel">
            <div className="max-h-[480px] overflow-auto" tabIndex={0}>
                <table className="data-table">
                    <thead className="sticky top-0 bg-rail">
                        <tr>
                            {table.columns.map((name, column) => (
                                <th
                                    key={column}
                                    scope="col"
                                    className={numeric[column] ? "number" : ""}
                                >
                                    {name}
                                </th>
                            ))}
                        </tr>
                    </thead>
                    <tbody>
                        {shown.map((row, index) => (
                            <tr key={index}>
                                {table.columns.map((_, column) => (
                                    <td key={column} className={numeric[column] ? "number" : ""}>
                                        {cellText(row[column])}
                                    </td>
                                ))}
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
            <div className="flex items-center gap-2 border-t border-soft py-0.5 pr-1.5 pl-2.5 text-12 text-ink-3">
                <span className="tabular flex-1">
                    {shown.length < table.total_rows
                        ? t("table.someRows", {
                              shown: formatNumber(shown.length),
                              count: table.total_rows,
                              total: formatNumber(table.total_rows),
                          })
                        : t("table.rows", {
                              count: table.total_rows,
                              total: formatNumber(table.total_rows),
                          })}
                </span>
                {rows.length > kRowsShown && (
                    <button
                        type="button"
                        className="px-1.5 text-accent hover:underline"
                        onClick={() => setAll(!all)}
                    >
                        {all
                            ? t("code.fold")
                            : t("table.showAll", { rows: formatNumber(rows.length) })}
                    </button>
                )}
                <CopyButton text={csvOf(table)} label={t("table.copyCsv")} />
            </div>
        </div>
    );
}
