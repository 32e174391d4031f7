// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { enterThread } from "./presence";

let answers: (number | "lost")[];
let said: string[];

beforeEach(() => {
    vi.useFakeTimers();
    answers = [];
    said = [];
    vi.stubGlobal("fetch", (path: string, { method, keepalive }: RequestInit) => {
        expect(keepalive).toBe(true);
        const [, thread, tab] = /threads\/(.+)\/presence\/([\w.-]+)$/.exec(path) ?? [];
        said.push(`${method} ${thread} ${tab}`);
        const answer = answers.shift() ?? 204;
        if (answer === "lost") return Promise.reject(new TypeError("no network"));
        const body = answer === 204 ? null : "{}";
        return Promise.resolve(new Response(body, { status: answer }));
    });
});
afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
});

const minutes = (count: number) => vi.advanceTimersByTimeAsync(count * 60_000);
const methods = () => said.map((one) => one.split(" ")[0]);
const tabs = () => new Set(said.map((one) => one.split(" ")[2]));

it("says each minute that it is there, and once that it has left", async () => {
    const leave = enterThread("th-1", "t-1");
    await minutes(3.5);
    expect(methods()).toEqual(["PUT", "PUT", "PUT", "PUT"]);
    expect(sessionStorage.getItem("session_id")).toBe("t-1");
    leave();
    await minutes(10);
    expect(methods()).toEqual(["PUT", "PUT", "PUT", "PUT", "DELETE"]);
    expect(tabs().size).toBe(1);
});

it("is another arrival each time", async () => {
    enterThread("th-1", "t-1")();
    enterThread("th-1", "t-1")();
    await minutes(1);
    expect(tabs().size).toBe(2);
    expect(methods().sort()).toEqual(["DELETE", "DELETE", "PUT", "PUT"]);
});

it("says it again when it was not heard, and at once when the network is back", async () => {
    answers = ["lost", 503, 204, "lost", "lost"];
    const leave = enterThread("th-1", "t-1");
    await vi.advanceTimersByTimeAsync(4000);
    expect(methods()).toEqual(["PUT", "PUT", "PUT"]);
    leave();
    await vi.advanceTimersByTimeAsync(500);
    expect(methods().slice(3)).toEqual(["DELETE"]);
    dispatchEvent(new Event("online"));
    dispatchEvent(new Event("online"));
    await minutes(1);
    expect(methods().slice(3)).toEqual(["DELETE", "DELETE", "DELETE"]);
});

it("does not speak of a thread that is gone", async () => {
    answers = [404];
    const leave = enterThread("th-1", "t-1");
    await minutes(5);
    leave();
    await minutes(5);
    expect(methods()).toEqual(["PUT"]);
});

it("leaves when the page goes, and comes again when the browser brings it back", async () => {
    const leave = enterThread("th-1", "t-1");
    await minutes(0.5);
    dispatchEvent(new Event("pagehide"));
    expect(methods()).toEqual(["PUT", "DELETE"]);
    await minutes(2);
    expect(methods()).toEqual(["PUT", "DELETE"]);
    dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
    await minutes(0.5);
    expect(methods()).toEqual(["PUT", "DELETE", "PUT"]);
    expect(tabs().size).toBe(2);
    leave();
    await minutes(1);
    expect(methods()).toEqual(["PUT", "DELETE", "PUT", "DELETE"]);
});
