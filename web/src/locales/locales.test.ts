import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import en from "./en.json";
import zh from "./zh.json";

type Tree = { [key: string]: string | Tree };

function keysOf(tree: Tree, prefix = ""): string[] {
    return Object.entries(tree).flatMap(([key, value]) =>
        typeof value === "string" ? [`${prefix}${key}`] : keysOf(value, `${prefix}${key}.`),
    );
}
const textOf = (tree: Tree, key: string) =>
    key.split(".").reduce<Tree | string>((at, part) => (at as Tree)[part] ?? "", tree);
// English has a form for one; Chinese has not.
const withoutOne = (keys: string[]) => keys.filter((key) => !key.endsWith("_one")).sort();
const root = join(import.meta.dirname, "..");
const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.|types\//.test(name))
    .map((name) => ({ name, text: readFileSync(join(root, name), "utf8") }));

describe("the two catalogues", () => {
    it("have the same keys", () => expect(withoutOne(keysOf(zh))).toEqual(withoutOne(keysOf(en))));
    it("have no empty text, and fill in the same values", () => {
        for (const key of withoutOne(keysOf(en))) {
            const values = [en, zh].map(
                (one) =>
                    String(textOf(one, key))
                        .match(/\{\{\w+\}\}/g)
                        ?.sort()
                        .join() ?? "",
            );
            expect(values[1], key).toBe(values[0]);
            expect(textOf(zh, key), key).not.toBe("");
        }
    });
    it("have no text that nobody uses", () => {
        const all = sources.map((source) => source.text).join("\n");
        const families = [...all.matchAll(/t\(`([\w.]+)\$\{/g)].map((found) => found[1] ?? "");
        const unused = withoutOne(keysOf(en)).filter(
            (key) =>
                !all.includes(`"${key}"`) && !families.some((family) => key.startsWith(family)),
        );
        expect(unused).toEqual([]);
    });
});

// Text between tags, and attributes that people read.
const kWords = new RegExp(
    />\s*([A-Z][a-z]+(?: [A-Za-z]+)*)\s*<\//.source +
        "|" +
        /(?:aria-label|title|placeholder|alt)="([^"]+)"/.source,
    "g",
);

it("no component has words of its own", () => {
    const found: string[] = [];
    for (const { name, text } of sources.filter((source) => source.name.endsWith(".tsx"))) {
        for (const match of text.matchAll(kWords)) {
            found.push(`${name}: ${match[1] ?? match[2]}`);
        }
    }
    expect(found).toEqual([]);
});
