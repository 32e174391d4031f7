import { useEffect } from "react";
import { enterThread } from "@/lib/presence";

// This page shows the chat, or its session; empty: none.
export function usePresence(thread: string, session: string): void {
    useEffect(() => {
        if (thread && session) return enterThread(thread, session);
    }, [thread, session]);
}
