// Writes src/types/api.ts from openapi.json. With an address (npm run types -- http://…), fetches
// the document from that server first. tests/web compares both with the server under test.
import { readFile, writeFile } from "node:fs/promises";
import openapi, { astToString } from "openapi-typescript";

// JSON in lines, from its text: numbers beyond 2^53 stay what they are.
function setOut(text) {
    let depth = 0;
    return text.replace(/"(?:[^"\\]|\\.)*"|[{}[\],:]|\s+/g, (token) => {
        const line = (change) => "\n" + " ".repeat((depth += change));
        if (token === "{" || token === "[") return token + line(1);
        if (token === "}" || token === "]") return line(-1) + token;
        if (token === ",") return token + line(0);
        if (token === ":") return ": ";
        return token.trim() === "" ? "" : token;
    });
}

const document = new URL("../openapi.json", import.meta.url);
const server = process.argv[2];
if (server) {
    const response = await fetch(new URL("/openapi.json", server));
    if (!response.ok) throw new Error(`${server} answered ${response.status}`);
    await writeFile(document, setOut(await response.text()) + "\n");
}
const types = astToString(await openapi(JSON.parse(await readFile(document, "utf8"))));
const opening = "// Written by `npm run types` from openapi.json.\n";
await writeFile(new URL("../src/types/api.ts", import.meta.url), opening + types);
