// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { liveTurns } from "./live-turns";

const kEnd = 'event: done\nid: 1-3\ndata: {"turn": 1}\n\n';

function streamed(text: string): Response {
    return new Response(text, { status: 200 });
}

function ended(thread: string): Promise<void> {
    return new Promise((resolve) => {
        const off = liveTurns.onEnd((one) => {
            if (one === thread) {
                off();
                resolve();
            }
        });
    });
}

afterEach(() => vi.unstubAllGlobals());

describe("a stream that breaks", () => {
    it("is taken up after the last event, without losing or doubling text", async () => {
        const calls: [string, RequestInit | undefined][] = [];
        const answers = [
            streamed('event: token\nid: 1-2\ndata: {"text": "Hel"}\n\n'),
            streamed(`event: token\nid: 1-3\ndata: {"text": "lo"}\n\n${kEnd}`),
        ];
        vi.stubGlobal("fetch", (path: string, options?: RequestInit) => {
            calls.push([path, options]);
            return Promise.resolve(answers.shift());
        });
        const over = ended("th-1");
        liveTurns.ask("th-1", "hi");
        await over;
        expect(liveTurns.get("th-1")?.parts).toEqual([{ kind: "text", text: "Hello" }]);
        expect(liveTurns.get("th-1")?.state).toBe("done");
        expect(calls.map(([path, options]) => [options?.method, path])).toEqual([
            ["POST", "/thread/th-1/message/stream"],
            ["GET", "/thread/th-1/message/stream?turn=1"],
        ]);
        expect((calls[1]?.[1]?.headers as Record<string, string>)["Last-Event-ID"]).toBe("1-2");
    });
    it("sends the same question under the same name when the first try got no answer", async () => {
        const bodies: { message_id: string }[] = [];
        let tries = 0;
        vi.stubGlobal("fetch", (_: string, options?: RequestInit) => {
            bodies.push(JSON.parse(String(options?.body)) as { message_id: string });
            tries += 1;
            return tries === 1
                ? Promise.reject(new TypeError("network"))
                : Promise.resolve(streamed(kEnd));
        });
        const over = ended("th-2");
        liveTurns.ask("th-2", "hi");
        await over;
        expect(bodies).toHaveLength(2);
        expect(bodies[0]?.message_id).toBe(bodies[1]?.message_id);
    });
    it("is not tried again when the server refused it", async () => {
        let tries = 0;
        vi.stubGlobal("fetch", () => {
            tries += 1;
            return Promise.resolve(new Response('{"detail": "too long"}', { status: 422 }));
        });
        const over = ended("th-3");
        liveTurns.ask("th-3", "hi");
        await over;
        expect(tries).toBe(1);
        expect(liveTurns.get("th-3")?.failure).toMatchObject({ status: 422, message: "too long" });
        expect(liveTurns.get("th-3")?.question).toBe("hi");
    });
});
