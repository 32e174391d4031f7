// Reads server-sent events from a response's body. fetch, not EventSource: a question is a POST,
// and a key goes in a header.
export interface ServerEvent {
    name: string;
    data: string;
    id: string;
}

// Feeds text in pieces of any size, gets whole events out.
export class EventParser {
    private rest = "";
    private name = "";
    private data: string[] = [];
    private id = "";

    push(text: string): ServerEvent[] {
        const events: ServerEvent[] = [];
        const lines = (this.rest + text).split("\n");
        this.rest = lines.pop() ?? "";
        for (const raw of lines) {
            const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
            if (line === "") {
                if (this.data.length > 0) {
                    const name = this.name || "message";
                    events.push({ name, data: this.data.join("\n"), id: this.id });
                }
                this.name = "";
                this.data = [];
            } else {
                this.take(line);
            }
        }
        return events;
    }

    private take(line: string): void {
        const colon = line.indexOf(":");
        if (colon === 0) return; // a comment that keeps the connection open
        const field = colon < 0 ? line : line.slice(0, colon);
        let value = colon < 0 ? "" : line.slice(colon + 1);
        if (value.startsWith(" ")) value = value.slice(1);
        if (field === "event") this.name = value;
        if (field === "data") this.data.push(value);
        if (field === "id") this.id = value;
    }
}

export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
    if (!response.body) return;
    const parser = new EventParser();
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    try {
        for (;;) {
            const { done, value } = await reader.read();
            if (done) return;
            yield* parser.push(decoder.decode(value, { stream: true }));
        }
    } finally {
        // Whoever stops reading hangs up, or the connection would stay open.
        await reader.cancel().catch(() => undefined);
    }
}
