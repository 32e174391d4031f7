// What is typed survives a reload and a look at another thread.
import { useCallback, useEffect, useState } from "react";

function read(name: string): string {
    try {
        return sessionStorage.getItem(name) ?? "";
    } catch {
        return "";
    }
}

export function useDraft(thread: string): [string, (text: string) => void] {
    const name = `atoll.draft.${thread}`;
    const [text, setText] = useState(() => read(name));
    useEffect(() => setText(read(name)), [name]);
    const change = useCallback(
        (to: string) => {
            setText(to);
            try {
                if (to) sessionStorage.setItem(name, to);
                else sessionStorage.removeItem(name);
            } catch {
                // Storage is off or full: the text is in the box all the same.
            }
        },
        [name],
    );
    return [text, change];
}
