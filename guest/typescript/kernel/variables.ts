// What the user has defined: properties of the global object that were not there, or were another,
// when the kernel started.

import { estimateShallowMemoryUsageOf } from "bun:jsc";
import { inspect, types } from "node:util";

const PREVIEW_CHARACTERS_MAX = 200;
const NAME_CHARACTERS_MAX = 200;
const LIMIT_MAX = 500;
const OURS = ["require", "_"]; // set by the runner

export class Variables {
    #before = new Map<string, unknown>();

    constructor() {
        for (const [name, field] of Object.entries(Object.getOwnPropertyDescriptors(globalThis))) {
            this.#before.set(name, "value" in field ? field.value : field.get);
        }
    }

    all(): [string, unknown][] {
        const found: [string, unknown][] = [];
        for (const name of Object.getOwnPropertyNames(globalThis)) {
            const field = Object.getOwnPropertyDescriptor(globalThis, name);
            // A getter is code of somebody's.
            if (field === undefined || !("value" in field)) continue;
            if (OURS.includes(name)) continue;
            if (this.#before.has(name) && Object.is(this.#before.get(name), field.value)) continue;
            // `import {x} from "m"` leaves the module in a name of bun's making.
            if (name.startsWith("import_") && types.isModuleNamespaceObject(field.value)) continue;
            found.push([name, field.value]);
        }
        // By name: the engine keeps no order of global variables.
        return found.sort(([a], [b]) => (a < b ? -1 : 1));
    }

    list(request: { offset?: number; limit?: number }) {
        const all = this.all();
        const offset = Math.max(0, Number(request.offset ?? 0));
        const limit = Math.min(LIMIT_MAX, Math.max(1, Number(request.limit ?? LIMIT_MAX)));
        const variables = all.slice(offset, offset + limit).map(([name, value]) => ({
            name: name.slice(0, NAME_CHARACTERS_MAX),
            type: typeName(value),
            size: sizeOf(value),
            preview: preview(value),
        }));
        return { variables, total: all.length, offset };
    }
}

// Without running code of the user's: no custom inspection, no getters, no traps of a proxy.
function preview(value: unknown): string {
    try {
        const text = inspect(value, {
            customInspect: false,
            showProxy: true,
            getters: false,
            depth: 1,
            maxArrayLength: 10,
            maxStringLength: PREVIEW_CHARACTERS_MAX,
            breakLength: Infinity,
        });
        return text.length > PREVIEW_CHARACTERS_MAX
            ? `${text.slice(0, PREVIEW_CHARACTERS_MAX - 1)}…`
            : text;
    } catch {
        return "";
    }
}

function sizeOf(value: unknown): number {
    if (typeof value === "string") return value.length;
    try {
        return typeof value === "object" && value !== null
            ? estimateShallowMemoryUsageOf(value)
            : 8;
    } catch {
        return 0;
    }
}

export function typeName(value: unknown): string {
    if (value === null) return "null";
    if (typeof value === "function") return isClass(value) ? "class" : "function";
    if (typeof value !== "object") return typeof value;
    if (types.isProxy(value)) return "Proxy";
    if (types.isModuleNamespaceObject(value)) return "module";
    const prototype = Object.getPrototypeOf(value);
    if (prototype === null) return "Object";
    const maker = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
    const name =
        typeof maker === "function"
            ? Object.getOwnPropertyDescriptor(maker, "name")?.value
            : undefined;
    return typeof name === "string" && name !== "" ? name.slice(0, NAME_CHARACTERS_MAX) : "Object";
}

function isClass(value: Function): boolean {
    const prototype = Object.getOwnPropertyDescriptor(value, "prototype");
    return prototype !== undefined && prototype.writable === false;
}
