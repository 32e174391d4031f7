// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";

let asked: string[];
let answers: (object | number | "lost")[];

beforeEach(() => {
    vi.useFakeTimers();
    vi.resetModules(); // as if the page was loaded anew
    sessionStorage.clear();
    asked = [];
    answers = [];
    vi.stubGlobal("fetch", (path: string, { headers }: { headers: Record<string, string> }) => {
        asked.push(`${path} ${headers.Authorization ?? ""}`);
        const answer = answers.shift() ?? 503;
        if (answer === "lost") return Promise.reject(new TypeError("no network"));
        const status = typeof answer === "number" ? answer : 201;
        return Promise.resolve(new Response(JSON.stringify(answer), { status }));
    });
});
afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
});

const view = (token: string, seconds = 900) => ({
    token,
    seconds,
    owner: "local",
    key_id: "k",
    scopes: ["run"],
    expires_at: "",
    renewable_until: "",
});
const reload = () => {
    vi.clearAllTimers();
    vi.resetModules();
};
const loaded = async () => {
    const { tokenStore } = await import("./token");
    const { keepTokenFresh } = await import("./renew-token");
    keepTokenFresh();
    return tokenStore;
};
const minutes = (count: number) => vi.advanceTimersByTimeAsync(count * 60_000);

it("is renewed when half of its time is over, and again when that was not heard", async () => {
    const store = await loaded();
    store.set(view("att_1"));
    await minutes(7);
    expect(asked).toEqual([]);
    answers = ["lost", 503, view("att_2")];
    await minutes(1);
    expect(asked).toEqual(Array(3).fill("/v1/tokens/renew Bearer att_1"));
    expect(store.get()).toBe("att_2");
    answers = [view("att_3")];
    await minutes(8);
    expect(store.get()).toBe("att_3");
});

it("survives a reload, but not its own end", async () => {
    (await loaded()).set(view("att_1"));
    reload();
    answers = [401];
    const store = await loaded();
    expect(store.get()).toBe("att_1");
    await minutes(8);
    expect(store.get()).toBe("");
    expect(store.isNeeded()).toBe(true);
    store.set(view("att_2", 60));
    const then = Date.now();
    reload();
    vi.setSystemTime(then + 61_000); // the computer slept
    expect((await loaded()).get()).toBe("");
});

it("goes when the server refuses it, and not for an answer to the one before", async () => {
    const store = await loaded();
    store.set(view("att_1"));
    store.set(view("att_2"));
    store.refuse("att_1");
    expect(store.get()).toBe("att_2");
    store.refuse("att_2");
    expect([store.get(), store.isNeeded()]).toEqual(["", true]);
    expect(sessionStorage.getItem("atoll.token")).toBe(null);
    await minutes(60);
    expect(asked).toEqual([]);
    store.set(view("att_3"));
    expect(store.isNeeded()).toBe(false);
    store.forget();
    expect([store.get(), store.isNeeded()]).toEqual(["", false]);
});

it("takes nothing from a storage that others wrote", async () => {
    for (const text of ["", "null", "{", '{"token":5,"until":9e15,"renewAt":1}', '"att_1"']) {
        sessionStorage.setItem("atoll.token", text);
        vi.resetModules();
        expect((await import("./token")).tokenStore.get()).toBe("");
    }
});
