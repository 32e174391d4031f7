import type { ReactNode } from "react";
import { CopyButton } from "@/components/ui/copy-button";

interface EmptyProps {
    icon: ReactNode;
    title: string;
    text: string;
    // Lines that would fill it.
    code?: string;
    children?: ReactNode;
}

// An empty state teaches how to fill it.
export function Empty({ icon, title, text, code, children }: EmptyProps) {
    return (
        <div className="mx-auto flex max-w-sm flex-col items-center gap-1.5 px-6 py-12 text-center">
            <span className="mb-1 grid size-11 place-items-center rounded-full bg-accent-soft text-accent">
                {icon}
            </span>
            <h2 className="text-15 font-medium">{title}</h2>
            <p className="text-13 text-ink-2">{text}</p>
            {code && (
                <div className="mt-3 flex w-full items-start rounded-[10px] border border-line bg-code text-left">
                    <pre
                        tabIndex={0}
                        className="min-w-0 flex-1 overflow-x-auto px-3 py-2 font-mono text-12"
                    >
                        {code}
                    </pre>
                    <CopyButton text={code} />
                </div>
            )}
            {children}
        </div>
    );
}
