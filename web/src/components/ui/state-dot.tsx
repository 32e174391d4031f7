import { useTranslation } from "react-i18next";

const kColours: Record<string, string> = {
    hot: "bg-hot",
    warm: "bg-warm",
    cold: "bg-cold",
    starting: "bg-warm",
    failed: "bg-bad",
    deleting: "bg-cold",
    running: "bg-hot",
    queued: "bg-warm",
    succeeded: "bg-hot",
    cancelled: "bg-cold",
    ended: "bg-cold",
    frozen: "bg-warm",
};

export function useStateWord(): (state: string) => string {
    const { t } = useTranslation();
    return (state) => t(`state.${state}` as "state.hot", { defaultValue: state });
}

export function StateDot({ state }: { state: string }) {
    const word = useStateWord();
    return (
        <span
            role="img"
            aria-label={word(state)}
            className={`inline-block size-[7px] flex-none rounded-full ${kColours[state] ?? "bg-cold"}`}
        />
    );
}

// The dot with its word. `narrow`: on a phone the word is for those who cannot see the dot.
export function StateChip({ state, narrow }: { state: string; narrow?: boolean }) {
    const word = useStateWord();
    return (
        <span
            title={word(state)}
            className={`inline-flex h-6 flex-none items-center gap-1.5 rounded-full border border-line
            bg-panel px-2.5 text-12 whitespace-nowrap text-ink-2 ${narrow ? "max-sm:border-0 max-sm:bg-transparent max-sm:px-1" : ""}`}
        >
            <span className={`size-[7px] flex-none rounded-full ${kColours[state] ?? "bg-cold"}`} />
            <span className={narrow ? "max-sm:sr-only" : ""}>{word(state)}</span>
        </span>
    );
}
