// The turns of a thread, and the place that the reader has in them: the page follows new text
// only if the reader was at the end.
import { ArrowDown } from "lucide-react";
import {
    memo,
    useCallback,
    useEffect,
    useLayoutEffect,
    useRef,
    useState,
    type ComponentProps,
    type ReactNode,
} from "react";
import { useTranslation } from "react-i18next";
import type { LiveTurn } from "../live-turns";
import type { Turn } from "../turn";
import type { Place } from "../versions";
import { SlotObserver, TurnSlot } from "./turn-slot";
import { TurnView } from "./turn-view";

interface ConversationProps {
    turns: readonly (Turn | LiveTurn)[];
    session: string;
    busy: boolean;
    places: ReadonlyMap<number, Place>;
    // The turn that is seen first; 0: the end.
    first: number;
    onAgain: (question: string) => void;
    onAskAt: (turn: number, question: string) => void;
    onVersion: (thread: string, turn: number) => void;
    onBranch: (turn: number) => void;
    onStop: () => void;
    head: ReactNode;
}

const kNearEnd = 60;
// The end is what is seen first.
const kPinned = 3;

type RowProps = ComponentProps<typeof TurnView> & { observer: SlotObserver; pinned: boolean };

const Row = memo(function Row({ observer, pinned, ...rest }: RowProps) {
    return (
        <TurnSlot turn={rest.turn} observer={observer} pinned={pinned}>
            <TurnView {...rest} />
        </TurnSlot>
    );
});

export function Conversation({
    turns,
    session,
    busy,
    places,
    first,
    onAgain,
    onAskAt,
    onVersion,
    onBranch,
    onStop,
    head,
}: ConversationProps) {
    const { t } = useTranslation();
    const scroller = useRef<HTMLDivElement>(null);
    const column = useRef<HTMLDivElement>(null);
    const follows = useRef(first === 0);
    const lastTop = useRef(0);
    const [away, setAway] = useState(false);
    const [observer] = useState(() => new SlotObserver());
    useEffect(() => (scroller.current ? observer.start(scroller.current) : undefined), [observer]);

    const toEnd = useCallback(() => {
        const box = scroller.current;
        if (box) box.scrollTop = box.scrollHeight;
        follows.current = true;
        setAway(false);
    }, []);
    const onScroll = () => {
        const box = scroller.current;
        if (!box) return;
        const near = box.scrollHeight - box.scrollTop - box.clientHeight < kNearEnd;
        const isUp = box.scrollTop < lastTop.current;
        lastTop.current = box.scrollTop;
        // An image that came meanwhile moves the end away, not the reader.
        if (!near && follows.current && !isUp) return;
        follows.current = near;
        setAway(!near);
    };
    // Text, images and folds all change the column's height.
    useLayoutEffect(() => {
        const content = column.current;
        if (!content) return;
        const observer = new ResizeObserver(() => {
            if (follows.current) toEnd();
        });
        observer.observe(content);
        return () => observer.disconnect();
    }, [toEnd]);
    const there = turns.some((turn) => turn.number === first);
    useLayoutEffect(() => {
        if (!there) return;
        column.current?.querySelector(`[data-turn="${first}"]`)?.scrollIntoView();
    }, [there, first]);
    // Who asks wants to see the answer.
    const live = turns.at(-1);
    const startedAt = live && "startedAt" in live ? live.startedAt : 0;
    useLayoutEffect(() => {
        if (startedAt) toEnd();
    }, [startedAt, toEnd]);

    return (
        <div className="relative min-h-0 flex-1">
            <div
                ref={scroller}
                onScroll={onScroll}
                tabIndex={0}
                aria-label={t("chat.conversation")}
                role="log"
                className="h-full overflow-y-auto px-4 pt-6 pb-4 outline-none sm:px-6"
            >
                <div ref={column} className="mx-auto flex max-w-[760px] flex-col gap-7">
                    {head}
                    {turns.map((turn, index) => (
                        <Row
                            key={turn.number || `new-${index}`}
                            turn={turn}
                            observer={observer}
                            pinned={index >= turns.length - kPinned}
                            session={session}
                            busy={busy}
                            place={places.get(turn.number)}
                            onAgain={onAgain}
                            onAskAt={onAskAt}
                            onVersion={onVersion}
                            onBranch={onBranch}
                            onStop={onStop}
                        />
                    ))}
                </div>
            </div>
            {away && (
                <button
                    type="button"
                    onClick={toEnd}
                    className="appear absolute bottom-3 left-1/2 flex h-8
                    -translate-x-1/2 items-center gap-1.5 rounded-full border border-line bg-panel px-3 text-13 shadow-low"
                >
                    <ArrowDown size={14} />
                    {busy ? t("chat.newBelow") : t("chat.toEnd")}
                </button>
            )}
        </div>
    );
}
