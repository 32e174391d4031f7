// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { load } from "./load";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it("asks again until the part comes, and at once when the network is back", async () => {
    const get = vi.fn(() => Promise.resolve("part"));
    get.mockRejectedValueOnce(new TypeError("gone")).mockRejectedValueOnce(new TypeError("gone"));
    const found = load(get)();
    await vi.advanceTimersByTimeAsync(300);
    expect(get).toHaveBeenCalledTimes(2);
    dispatchEvent(new Event("online"));
    await expect(found).resolves.toBe("part");
    expect(get).toHaveBeenCalledTimes(3);
});

it("gives up when it never comes", async () => {
    const found = load(() => Promise.reject(new TypeError("gone")))();
    const failed = expect(found).rejects.toThrow("gone");
    await vi.advanceTimersByTimeAsync(120_000);
    await failed;
});
