import * as Dropdown from "@radix-ui/react-dropdown-menu";
import type { ReactElement, ReactNode } from "react";

// Not modal: a modal menu locks scrolling with a style element, which the page's policy refuses.
export function Menu({ trigger, children }: { trigger: ReactElement; children: ReactNode }) {
    return (
        <Dropdown.Root modal={false}>
            <Dropdown.Trigger asChild>{trigger}</Dropdown.Trigger>
            <Dropdown.Portal>
                <Dropdown.Content
                    align="end"
                    sideOffset={4}
                    collisionPadding={8}
                    className="appear z-40 min-w-44 rounded-xl border border-line bg-panel p-1 shadow-high"
                >
                    {children}
                </Dropdown.Content>
            </Dropdown.Portal>
        </Dropdown.Root>
    );
}

interface ItemProps {
    icon?: ReactNode;
    danger?: boolean;
    disabled?: boolean;
    onSelect: () => void;
    children: ReactNode;
}

export function MenuItem({ icon, danger, disabled, onSelect, children }: ItemProps) {
    return (
        <Dropdown.Item
            onSelect={onSelect}
            disabled={disabled ?? false}
            className={`flex h-8 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 text-14 outline-none
                data-[disabled]:opacity-50 data-[highlighted]:bg-soft ${danger ? "text-bad" : "text-ink"}`}
        >
            {icon}
            {children}
        </Dropdown.Item>
    );
}

export function MenuLine() {
    return <Dropdown.Separator className="my-1 h-px bg-line" />;
}
