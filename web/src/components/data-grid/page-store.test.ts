import { describe, expect, it } from "vitest";
import { PageStore } from "./page-store";

// A table of ten pages of two rows; requests wait until they are let go.
function made() {
    const asked: [number, number][] = [];
    let letGo: ((answer: "rows" | Error) => void)[] = [];
    const fetch = (first: number, count: number) =>
        new Promise<string[][]>((resolve, reject) => {
            asked.push([first, count]);
            letGo.push((answer) => {
                if (answer instanceof Error) reject(answer);
                const rows = Array.from({ length: count * 2 }, (_, at) => [String(first * 2 + at)]);
                resolve(rows);
            });
        });
    const store = new PageStore(fetch, 2, 10);
    store.put(0, [["0"], ["1"]]);
    const answer = async (how: "rows" | Error = "rows") => {
        const now = letGo;
        letGo = [];
        for (const one of now) one(how);
        await new Promise((resolve) => setTimeout(resolve));
    };
    return { store, asked, answer };
}

describe("pages of a table", () => {
    it("come in one request, and then those beside them", async () => {
        const { store, asked, answer } = made();
        store.want(4, 5);
        expect(asked).toEqual([[4, 2]]);
        await answer();
        expect(store.get(4)).toEqual([["8"], ["9"]]);
        expect(store.get(5)).toEqual([["10"], ["11"]]);
        expect(asked.at(-1)).toEqual([6, 1]);
        await answer();
        expect(asked.at(-1)).toEqual([3, 1]);
        await answer();
        expect(asked).toHaveLength(3);
        // They are here: nothing is asked, but for the next neighbour.
        store.want(5, 6);
        expect(asked.slice(3)).toEqual([[7, 1]]);
    });
    it("that flew by are not asked for", async () => {
        const { store, asked, answer } = made();
        store.want(2, 2);
        for (const page of [3, 4, 5, 8]) store.want(page, page);
        expect(asked).toEqual([[2, 1]]);
        await answer();
        expect(asked.at(-1)).toEqual([8, 1]);
    });
    it("end with the table", async () => {
        const { store, asked, answer } = made();
        store.want(9, 9);
        await answer();
        await answer();
        await answer();
        expect(asked).toEqual([
            [9, 1],
            [8, 1],
        ]);
    });
    it("that fail say so, and are asked for again when somebody wants it", async () => {
        const { store, asked, answer } = made();
        store.want(3, 3);
        await answer(new Error("gone"));
        expect(store.error).toEqual(new Error("gone"));
        expect(asked).toHaveLength(1);
        store.retry();
        expect(store.error).toBeNull();
        expect(asked).toHaveLength(2);
        await answer();
        expect(store.get(3)).toHaveLength(2);
    });
    it("are not all kept", () => {
        const { store } = made();
        for (let page = 0; page < 1000; page += 1) store.put(page, []);
        expect(store.get(999)).toBeDefined();
        expect(store.get(5)).toBeUndefined();
    });
});
