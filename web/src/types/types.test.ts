// The types are what openapi.json says. tests/web compares that document with the server's.
import { readFile } from "node:fs/promises";
import openapi, { astToString } from "openapi-typescript";
import { expect, it } from "vitest";

const text = (path: string) => readFile(new URL(path, import.meta.url), "utf8");

it("the types are those of openapi.json; `npm run types` writes them", async () => {
    const document = await text("../../openapi.json");
    const types = astToString(await openapi(document));
    expect((await text("./api.ts")).endsWith(types)).toBe(true);
}, 60_000);
