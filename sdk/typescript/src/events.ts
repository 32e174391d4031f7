// Server-sent events, read from bytes as they come.
export interface ServerEvent {
    name: string;
    data: string;
    id: string;
}

/** Feed it bytes, get events. `lastId` is what a client that comes back names. */
export class EventReader {
    private readonly decoder = new TextDecoder();
    private rest = "";
    private name = "";
    private data: string[] = [];
    lastId = "";

    *feed(bytes: Uint8Array): Generator<ServerEvent> {
        // Only the new text is searched, so that a long line stays linear.
        const text = this.decoder.decode(bytes, { stream: true });
        let begin = 0;
        for (let end; (end = text.indexOf("\n", begin)) >= 0; begin = end + 1) {
            const line = this.rest + text.slice(begin, end);
            this.rest = "";
            const event = this.take(line.endsWith("\r") ? line.slice(0, -1) : line);
            if (event) yield event;
        }
        this.rest += text.slice(begin);
    }

    private take(line: string): ServerEvent | undefined {
        if (line === "") {
            const event = {
                name: this.name || "message",
                data: this.data.join("\n"),
                id: this.lastId,
            };
            const complete = this.data.length > 0;
            this.name = "";
            this.data = [];
            return complete ? event : undefined;
        }
        const colon = line.indexOf(":");
        const field = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
        if (field === "event") this.name = value;
        else if (field === "data") this.data.push(value);
        else if (field === "id") this.lastId = value;
        return undefined;
    }
}
