// @vitest-environment jsdom
import { QueryClient } from "@tanstack/react-query";
import { afterEach, expect, it, vi } from "vitest";
import { historyQuery } from "./threads";

afterEach(() => vi.unstubAllGlobals());

it("a chat is read to its end, however the server cuts it into pages", async () => {
    const asked: string[] = [];
    vi.stubGlobal("fetch", (path: string) => {
        asked.push(path);
        const at = asked.length;
        const page = { thread_id: "th-1", messages: [{ sequence: at }] };
        return Promise.resolve(
            Response.json(at < 3 ? { ...page, next_cursor: `a&${String(at)}` } : page),
        );
    });
    const history = await new QueryClient().fetchQuery(historyQuery("th-1"));
    expect(history.messages.map((one) => one.sequence)).toEqual([1, 2, 3]);
    expect(asked).toEqual([
        "/thread/th-1/history?all=true&limit=1000",
        "/thread/th-1/history?all=true&limit=1000&cursor=a%261",
        "/thread/th-1/history?all=true&limit=1000&cursor=a%262",
    ]);
});
