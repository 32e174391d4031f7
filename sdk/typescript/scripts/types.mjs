// Writes src/api.ts from web/openapi.json, the server's document. With --check, fails if src/api.ts
// is not what would be written.
import { readFile, writeFile } from "node:fs/promises";
import openapi, { astToString } from "openapi-typescript";

const document = new URL("../../../web/openapi.json", import.meta.url);
const target = new URL("../src/api.ts", import.meta.url);
const types = astToString(await openapi(JSON.parse(await readFile(document, "utf8"))));
const text = "// Written by `npm run types` from web/openapi.json.\n" + types;
if (process.argv.includes("--check")) {
    if ((await readFile(target, "utf8")) !== text) {
        console.error("src/api.ts is stale; write it with `npm run types`");
        process.exit(1);
    }
} else {
    await writeFile(target, text);
}
