import "@xterm/xterm/css/xterm.css";
import { FitAddon } from "@xterm/addon-fit";
import { Terminal, type ITheme } from "@xterm/xterm";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Notice } from "@/components/ui/notice";
import { openable } from "@/lib/addresses";
import { withAdoptedStyles } from "@/lib/adopted-styles";
import { useTheme } from "@/lib/theme";

interface End {
    ended?: { exit_code: number; signal: number; reason: string };
    error?: string;
}
type State = "connecting" | "open" | "ended" | "lost";

const kLight: ITheme = {
    background: "#ffffff",
    foreground: "#1b1f24",
    cursor: "#0f766e",
    cursorAccent: "#ffffff",
    selectionBackground: "#0f766e40",
    black: "#1b1f24",
    red: "#b93a09",
    green: "#0b7f57",
    yellow: "#a85f12",
    blue: "#1d4ed8",
    magenta: "#9d174d",
    cyan: "#0f766e",
    white: "#666e79",
    brightBlack: "#4f5762",
    brightRed: "#c2410c",
    brightGreen: "#166534",
    brightYellow: "#9a4a06",
    brightBlue: "#1d4ed8",
    brightMagenta: "#9d174d",
    brightCyan: "#0f766e",
    brightWhite: "#1b1f24",
};
const kDark: ITheme = {
    background: "#151b1f",
    foreground: "#e7ecef",
    cursor: "#2dd4bf",
    cursorAccent: "#151b1f",
    selectionBackground: "#2dd4bf40",
    black: "#263036",
    red: "#fb923c",
    green: "#34d399",
    yellow: "#fcd34d",
    blue: "#93c5fd",
    magenta: "#f472b6",
    cyan: "#2dd4bf",
    white: "#e7ecef",
    brightBlack: "#8d98a1",
    brightRed: "#fdba74",
    brightGreen: "#86efac",
    brightYellow: "#fde68a",
    brightBlue: "#bfdbfe",
    brightMagenta: "#f9a8d4",
    brightCyan: "#99f6e4",
    brightWhite: "#ffffff",
};

async function socketFor(session: string, terminal: Terminal): Promise<WebSocket> {
    const base = `/v1/sessions/${encodeURIComponent(session)}/terminal?rows=${terminal.rows}&cols=${terminal.cols}`;
    const address = new URL(await openable(session, base, "terminal"), location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    return socket;
}

export function TerminalView({ session, hidden }: { session: string; hidden: boolean }) {
    const { t } = useTranslation();
    const theme = useTheme();
    const place = useRef<HTMLDivElement>(null);
    const terminal = useRef<Terminal | null>(null);
    const fit = useRef<FitAddon | null>(null);
    const [state, setState] = useState<State>("connecting");
    const [code, setCode] = useState(0);
    const [attempt, setAttempt] = useState(0);

    useEffect(() => {
        const host = place.current;
        if (!host) return;
        const made = new Terminal({
            fontSize: 12.5,
            fontFamily: getComputedStyle(document.body).getPropertyValue("--font-mono"),
            cursorBlink: true,
        });
        const fitting = new FitAddon();
        made.loadAddon(fitting);
        const removeStyles = withAdoptedStyles(() => made.open(host));
        terminal.current = made;
        fit.current = fitting;
        const observer = new ResizeObserver(() => {
            if (host.clientHeight > 0) fitting.fit();
        });
        observer.observe(host);
        return () => {
            observer.disconnect();
            made.dispose();
            removeStyles();
        };
    }, []);
    useEffect(() => {
        if (terminal.current) terminal.current.options.theme = theme === "dark" ? kDark : kLight;
    }, [theme]);
    useEffect(() => {
        if (!hidden && state === "open") terminal.current?.focus();
    }, [hidden, state]);

    useEffect(() => {
        const view = terminal.current;
        if (!view) return;
        let socket: WebSocket | null = null;
        let over = false;
        setState("connecting");
        fit.current?.fit();
        const encoder = new TextEncoder();
        const onData = view.onData((text) => {
            if (socket?.readyState === WebSocket.OPEN) socket.send(encoder.encode(text));
        });
        const onBinary = view.onBinary((text) => {
            if (socket?.readyState === WebSocket.OPEN)
                socket.send(Uint8Array.from(text, (one) => one.charCodeAt(0)));
        });
        const onResize = view.onResize(({ rows, cols }) => {
            if (socket?.readyState === WebSocket.OPEN)
                socket.send(JSON.stringify({ resize: { rows, cols } }));
        });
        let ended = false;
        const listen = (made: WebSocket) => {
            socket = made;
            if (over) {
                made.close();
                return;
            }
            made.onopen = () => setState("open");
            made.onmessage = (event: MessageEvent<ArrayBuffer | string>) => {
                if (typeof event.data !== "string") {
                    view.write(new Uint8Array(event.data));
                    return;
                }
                const note = JSON.parse(event.data) as End;
                if (note.ended) {
                    ended = true;
                    setCode(note.ended.exit_code);
                    setState(note.ended.reason === "sandbox" ? "lost" : "ended");
                }
            };
            made.onclose = () => {
                if (!over && !ended) setState("lost");
            };
        };
        socketFor(session, view).then(listen, () => {
            if (!over) setState("lost");
        });
        return () => {
            over = true;
            socket?.close();
            onData.dispose();
            onBinary.dispose();
            onResize.dispose();
        };
    }, [session, attempt]);

    const again = () => {
        terminal.current?.reset();
        setAttempt((count) => count + 1);
    };
    return (
        <div
            hidden={hidden}
            className="relative min-h-0 flex-1 [&:not([hidden])]:flex [&:not([hidden])]:flex-col"
        >
            {(state === "ended" || state === "lost") && (
                <div className="px-3 pb-2">
                    <Notice
                        kind={state === "lost" ? "bad" : "info"}
                        action={{ label: t("terminal.again"), onClick: again }}
                        title={
                            state === "lost" ? t("terminal.lost") : t("terminal.ended", { code })
                        }
                    >
                        {state === "lost" && t("terminal.lostText")}
                    </Notice>
                </div>
            )}
            {state === "connecting" && (
                <p role="status" className="px-4 pb-2 text-12 text-ink-3">
                    {t("terminal.connecting")}
                </p>
            )}
            <div
                ref={place}
                data-testid="terminal"
                className="min-h-0 flex-1 overflow-hidden px-3 pb-1"
            />
        </div>
    );
}
