import { expect, it } from "vitest";
import { EventParser } from "./sse";

it("finds the same events however the text is cut", () => {
    const text =
        ': hello\n\nevent: token\r\nid: 1-2\r\ndata: {"text": "a"}\r\n\r\ndata: one\ndata: two\n\n';
    for (const size of [1, 3, 7, text.length]) {
        const parser = new EventParser();
        const events = [];
        for (let at = 0; at < text.length; at += size)
            events.push(...parser.push(text.slice(at, at + size)));
        expect(events).toEqual([
            { name: "token", data: '{"text": "a"}', id: "1-2" },
            { name: "message", data: "one\ntwo", id: "1-2" },
        ]);
    }
});

it("keeps an event that is not whole to itself", () => {
    expect(new EventParser().push("event: token\ndata: half")).toEqual([]);
});
