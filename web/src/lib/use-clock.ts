import { useEffect, useState } from "react";

// Now, in milliseconds; moves while `running`.
export function useClock(running: boolean, everyMs = 100): number {
    const [now, setNow] = useState(() => Date.now());
    useEffect(() => {
        if (!running) return;
        setNow(Date.now());
        const timer = setInterval(() => setNow(Date.now()), everyMs);
        return () => clearInterval(timer);
    }, [running, everyMs]);
    return now;
}
