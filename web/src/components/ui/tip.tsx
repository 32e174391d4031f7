import * as Tooltip from "@radix-ui/react-tooltip";
import type { ReactElement } from "react";

export function Tip({ text, children }: { text: string; children: ReactElement }) {
    return (
        <Tooltip.Root>
            <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
            <Tooltip.Portal>
                <Tooltip.Content
                    sideOffset={6}
                    collisionPadding={8}
                    className="appear z-50 max-w-72 rounded-md bg-ink px-2 py-1 text-12 text-bg"
                >
                    {text}
                </Tooltip.Content>
            </Tooltip.Portal>
        </Tooltip.Root>
    );
}
