// The blocks that pages of the operator are made of.
import type { ReactNode } from "react";

// Below the top bar: scrolls, and keeps to a width that can be read.
export function PageBody({ children, narrow }: { children: ReactNode; narrow?: boolean }) {
    return (
        <div className="min-h-0 flex-1 overflow-y-auto px-4 py-5 sm:px-6">
            <div className={`mx-auto flex flex-col gap-5 ${narrow ? "max-w-3xl" : "max-w-5xl"}`}>
                {children}
            </div>
        </div>
    );
}

interface CardProps {
    title: string;
    end?: ReactNode;
    children: ReactNode;
}

export function Card({ title, end, children }: CardProps) {
    return (
        <section className="overflow-hidden rounded-xl border border-line bg-panel">
            <div className="flex min-h-10 items-center gap-2 border-b border-soft py-1.5 pr-2 pl-4">
                <h2 className="flex-1 text-13 font-medium">{title}</h2>
                {end}
            </div>
            {children}
        </section>
    );
}

// Large values with small names.
interface FactsProps {
    rows: readonly (readonly [name: string, value: ReactNode])[];
    large?: boolean;
    flat?: boolean;
}

export function Facts({ rows, large, flat }: FactsProps) {
    return (
        <dl
            className={`grid grid-cols-2 gap-px bg-soft sm:grid-cols-3 lg:grid-cols-6 ${flat ? "" : "overflow-hidden rounded-xl border border-line"}`}
        >
            {rows.map(([name, value]) => (
                <div key={name} className="flex flex-col-reverse bg-panel px-4 py-3">
                    <dt className="text-12 text-ink-3">{name}</dt>
                    <dd
                        className={`tabular ${large ? "text-[22px] leading-7 font-semibold" : "text-15"}`}
                    >
                        {value}
                    </dd>
                </div>
            ))}
        </dl>
    );
}

// Names at the left, values at the right.
export function Details({
    rows,
}: {
    rows: readonly (readonly [name: string, value: ReactNode])[];
}) {
    return (
        <dl className="grid gap-x-6 gap-y-2 px-4 py-3 text-13 sm:grid-cols-[150px_1fr]">
            {rows.map(([name, value]) => (
                <div key={name} className="contents">
                    <dt className="text-ink-3">{name}</dt>
                    <dd className="[overflow-wrap:anywhere] max-sm:mb-2">{value}</dd>
                </div>
            ))}
        </dl>
    );
}

interface ColumnHead {
    label: string;
    // Its name is for those who cannot see the column.
    hidden?: boolean;
    className?: string;
}

// A table that scrolls sideways where it must; its rows are the caller's.
export function TableFrame({
    head,
    children,
}: {
    head: readonly ColumnHead[];
    children: ReactNode;
}) {
    return (
        <div className="overflow-x-auto" tabIndex={0}>
            <table className="data-table">
                <thead className="bg-rail">
                    <tr>
                        {head.map(({ label, hidden, className }) => (
                            <th key={label} scope="col" className={className}>
                                {hidden ? <span className="sr-only">{label}</span> : label}
                            </th>
                        ))}
                    </tr>
                </thead>
                <tbody>{children}</tbody>
            </table>
        </div>
    );
}
