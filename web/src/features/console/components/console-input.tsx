// Enter runs, Shift+Enter is a new line, arrows bring back what was run, Tab completes.
import { CornerDownLeft } from "lucide-react";
import { useRef, useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/ui/button";
import { complete, type Completion } from "../complete";

interface InputProps {
    session: string;
    busy: boolean;
    history: readonly string[];
    onRun: (code: string) => void;
}

// A block is not done with its first line.
function isOpen(code: string): boolean {
    const lines = code.split("\n");
    const last = lines.at(-1) ?? "";
    return /[:\\([{,]\s*$/.test(last) || (lines.length > 1 && /^\s+\S/.test(last));
}

export function ConsoleInput({ session, busy, history, onRun }: InputProps) {
    const { t } = useTranslation();
    const box = useRef<HTMLTextAreaElement>(null);
    const [code, setCode] = useState("");
    // How many steps back in history; what was typed before waits at 0.
    const [back, setBack] = useState(0);
    const typed = useRef("");
    const [offered, setOffered] = useState<Completion | null>(null);
    const [chosen, setChosen] = useState(0);

    const change = (to: string) => {
        setCode(to);
        setOffered(null);
    };
    const recall = (steps: number) => {
        const at = Math.min(Math.max(steps, 0), history.length);
        if (at === back) return;
        if (back === 0) typed.current = code;
        setBack(at);
        change(at === 0 ? typed.current : (history[history.length - at] ?? ""));
    };
    const take = (word: string, from: number) => {
        const at = box.current?.selectionStart ?? code.length;
        const next = code.slice(0, from) + word + code.slice(at);
        change(next);
        const cursor = from + word.length;
        requestAnimationFrame(() => box.current?.setSelectionRange(cursor, cursor));
    };
    const offer = async () => {
        const at = box.current?.selectionStart ?? code.length;
        const found = await complete(session, code, at).catch(() => null);
        // Typed on meanwhile: the answer is to another question.
        if (!found || box.current?.value !== code) return;
        if (found.words.length === 1) take(found.words[0] ?? "", found.from);
        else if (found.words.length > 1) {
            setOffered(found);
            setChosen(0);
        }
    };
    const run = () => {
        if (!code.trim() || busy) return;
        onRun(code.trimEnd());
        change("");
        setBack(0);
    };
    const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
        const { selectionStart: at, selectionEnd, value } = event.currentTarget;
        const words = offered?.words ?? [];
        if (event.nativeEvent.isComposing) return;
        if (offered && ["ArrowDown", "ArrowUp", "Enter", "Tab", "Escape"].includes(event.key)) {
            event.preventDefault();
            event.stopPropagation();
            if (event.key === "Escape") setOffered(null);
            else if (event.key === "ArrowDown") setChosen((chosen + 1) % words.length);
            else if (event.key === "ArrowUp") setChosen((chosen + words.length - 1) % words.length);
            else take(words[chosen] ?? "", offered.from);
        } else if (event.key === "Enter" && !event.shiftKey && !isOpen(value)) {
            event.preventDefault();
            run();
        } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            run();
        } else if (event.key === "Tab" && !event.shiftKey && at === selectionEnd) {
            // At the beginning of a line Tab indents; in an empty box it leaves, as everywhere.
            const before = value.slice(value.lastIndexOf("\n", at - 1) + 1, at);
            if (value === "") return;
            event.preventDefault();
            if (before.trim() === "") {
                change(`${value.slice(0, at)}    ${value.slice(at)}`);
                requestAnimationFrame(() => box.current?.setSelectionRange(at + 4, at + 4));
            } else if (!busy) void offer();
        } else if (event.key === "ArrowUp" && !value.slice(0, at).includes("\n")) {
            event.preventDefault();
            recall(back + 1);
        } else if (event.key === "ArrowDown" && back > 0 && !value.slice(at).includes("\n")) {
            event.preventDefault();
            recall(back - 1);
        }
    };
    const rows = Math.min(code.split("\n").length, 12);
    return (
        <div className="relative flex flex-none items-end gap-2 border-t border-line py-2 pr-2 pl-4">
            {offered && (
                <ul
                    id="completions"
                    role="listbox"
                    aria-label={t("console.completions")}
                    className="appear absolute bottom-full left-4 z-20 mb-1 max-h-52 min-w-44 overflow-y-auto rounded-xl border border-line bg-panel p-1 shadow-high"
                >
                    {offered.words.map((word, at) => (
                        <li
                            key={word}
                            id={`completion-${at}`}
                            role="option"
                            aria-selected={at === chosen}
                            ref={(element) => {
                                if (at === chosen)
                                    void element?.scrollIntoView({ block: "nearest" });
                            }}
                            onMouseDown={(event) => {
                                event.preventDefault();
                                take(word, offered.from);
                            }}
                            className="cursor-pointer rounded-lg px-2 py-0.5 font-mono text-12 aria-selected:bg-accent-soft"
                        >
                            {word}
                        </li>
                    ))}
                </ul>
            )}
            <span aria-hidden className="pb-[5px] font-mono text-12 text-accent">
                {">>>"}
            </span>
            <textarea
                ref={box}
                value={code}
                rows={rows}
                autoFocus
                spellCheck={false}
                autoComplete="off"
                autoCapitalize="off"
                aria-label={t("console.input")}
                aria-autocomplete="list"
                aria-controls={offered ? "completions" : undefined}
                aria-activedescendant={offered ? `completion-${chosen}` : undefined}
                placeholder={t("console.placeholder")}
                onChange={(event) => {
                    setBack(0);
                    change(event.target.value);
                }}
                onBlur={() => setOffered(null)}
                onKeyDown={onKeyDown}
                className="min-h-7 flex-1 resize-none bg-transparent py-1 font-mono text-[12.5px] leading-relaxed"
            />
            <IconButton
                small
                kind="primary"
                label={t("console.run")}
                disabled={busy || !code.trim()}
                onClick={run}
            >
                <CornerDownLeft size={14} />
            </IconButton>
        </div>
    );
}
