// A place in a conversation that holds its turn only while that is near the screen, and otherwise
// its height. So thousands of turns scroll like a few.
import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import type { Turn } from "../turn";

type Listener = (near: boolean, height: number) => void;

// One observer for all slots of a conversation.
export class SlotObserver {
    private readonly listeners = new Map<Element, Listener>();
    private observer: IntersectionObserver | null = null;

    start(root: Element): () => void {
        const observer = new IntersectionObserver(
            (entries) => {
                for (const { target, isIntersecting, boundingClientRect } of entries)
                    this.listeners.get(target)?.(isIntersecting, boundingClientRect.height);
            },
            // Some screens, so that what comes is there before it is seen.
            { root, rootMargin: "200% 0px" },
        );
        this.observer = observer;
        for (const element of this.listeners.keys()) observer.observe(element);
        return () => observer.disconnect();
    }

    watch(element: Element, listener: Listener): () => void {
        this.listeners.set(element, listener);
        this.observer?.observe(element);
        return () => {
            this.listeners.delete(element);
            this.observer?.unobserve(element);
        };
    }
}

// In pixels, before it was ever shown. Only the scroll bar hangs on it.
export function guessedHeight(turn: Turn): number {
    const lines = (text: string, width: number) =>
        text.split("\n").reduce((sum, line) => sum + Math.ceil((line.length + 1) / width), 0);
    let height = 80 + 24 * lines(turn.question, 80);
    for (const part of turn.parts) {
        if (part.kind === "text") height += 14 + 25 * lines(part.text, 95);
        else if (part.kind === "run") height += 60 + 20 * Math.min(lines(part.code, 95), 15);
        else if (part.kind === "image" || part.kind === "result") height += 420;
        else if (part.kind === "table") height += 70 + 33 * Math.min(part.table.rows.length, 10);
        else height += 50;
    }
    return height;
}

interface TurnSlotProps {
    turn: Turn;
    observer: SlotObserver;
    // Shown wherever it is: it streams, or is the last one.
    pinned: boolean;
    children: ReactNode;
}

export function TurnSlot({ turn, observer, pinned, children }: TurnSlotProps) {
    const box = useRef<HTMLDivElement>(null);
    const [near, setNear] = useState(pinned);
    const [height, setHeight] = useState(0);
    useEffect(() => {
        const element = box.current;
        if (!element) return;
        return observer.watch(element, (isNear, now) => {
            // Whoever works in it, or has marked some of it, does not lose it.
            const isUsed =
                element.contains(document.activeElement) ||
                getSelection()?.containsNode(element, true);
            if (!isNear && isUsed) return;
            if (!isNear && now > 0) setHeight(now);
            setNear(isNear);
        });
    }, [observer]);
    const isShown = near || pinned;
    const guessed = useMemo(() => guessedHeight(turn), [turn]);
    return (
        <div
            ref={box}
            style={isShown ? undefined : { height: height || guessed }}
            className="flex-none"
        >
            {isShown && children}
        </div>
    );
}
