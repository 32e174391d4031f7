import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Tip } from "@/components/ui/tip";

type Kind = "primary" | "plain" | "ghost" | "danger";
const kLooks: Record<Kind, string> = {
    primary: "bg-accent text-accent-ink border-accent font-medium hover:brightness-110",
    plain: "bg-panel text-ink border-line hover:bg-soft",
    ghost: "border-transparent text-ink-2 hover:bg-soft hover:text-ink",
    danger: "bg-panel text-bad border-line hover:bg-bad-soft",
};
const kBase =
    "inline-flex items-center justify-center gap-2 rounded-lg border transition-colors " +
    "select-none disabled:opacity-50 disabled:pointer-events-none";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
    kind?: Kind;
    small?: boolean;
}

export function Button({ kind = "plain", small, className = "", ...rest }: ButtonProps) {
    const size = small ? "h-7 px-2.5 text-13" : "h-9 px-3 text-14";
    return (
        <button
            type="button"
            className={`${kBase} ${kLooks[kind]} ${size} ${className}`}
            {...rest}
        />
    );
}

export interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
    label: string;
    kind?: Kind;
    small?: boolean;
    children: ReactNode;
}

// An icon never stands alone: its label is its name and its tooltip.
export function IconButton(props: IconButtonProps) {
    const { label, kind = "ghost", small, className = "", children, ...rest } = props;
    const size = small ? "size-7" : "size-8";
    return (
        <Tip text={label}>
            <button
                type="button"
                aria-label={label}
                className={`${kBase} ${kLooks[kind]} ${size} flex-none ${className}`}
                {...rest}
            >
                {children}
            </button>
        </Tip>
    );
}
