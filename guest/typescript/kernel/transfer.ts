// Variables out of the kernel, and into another: what a session's sleep keeps.
//
// Kept is data: what structured cloning gives back as it was. It drops prototypes in silence and
// refuses functions, so each variable is looked through first, and what would change is named. All
// go into one container, so that two variables that share an object share it afterwards.

import { deserialize, serialize } from "bun:jsc";
import { types } from "node:util";
import type { Link } from "./link";
import { typeName, type Variables } from "./variables";

const PIECE_BYTES = 256 << 10;
const NAMED_MAX = 400; // of those that failed: an answer fits into one frame
const TEXT_MAX = 200;
const DEPTH_MAX = 1000;
const FORMAT = "atoll-javascript-1";

type Failed = { name: string; type: string; reason: string };

const BINARY = new Set(
    [
        Int8Array,
        Uint8Array,
        Uint8ClampedArray,
        Int16Array,
        Uint16Array,
        Int32Array,
        Uint32Array,
        Float32Array,
        Float64Array,
        BigInt64Array,
        BigUint64Array,
        DataView,
    ].map(one => one.prototype as object),
);

// Why it cannot be kept, or undefined.
function obstacle(value: unknown, seen: Set<object>, depth = 0): string | undefined {
    if (typeof value === "function") {
        const what = typeName(value);
        return `a ${what} cannot be saved; run its definition again`;
    }
    if (typeof value === "symbol") return "a symbol cannot be saved";
    if (typeof value !== "object" || value === null || seen.has(value)) return undefined;
    if (depth > DEPTH_MAX) return "it is nested too deeply to be saved";
    if (types.isProxy(value)) return "a Proxy cannot be saved";
    if (types.isModuleNamespaceObject(value)) return "a module cannot be saved; import it again";
    seen.add(value);
    const prototype = Object.getPrototypeOf(value);
    if (
        prototype === Date.prototype ||
        prototype === RegExp.prototype ||
        prototype === ArrayBuffer.prototype ||
        BINARY.has(prototype)
    )
        return undefined;
    if (prototype === null) return "an object without a prototype cannot be saved as it is";
    const parts: unknown[] = [];
    if (prototype === Map.prototype) parts.push(...[...(value as Map<unknown, unknown>)].flat(1));
    else if (prototype === Set.prototype) parts.push(...(value as Set<unknown>));
    else if (prototype !== Object.prototype && prototype !== Array.prototype) {
        return `an object of type ${typeName(value)} cannot be saved, only plain data`;
    }
    for (const key of Reflect.ownKeys(value)) {
        const field = Object.getOwnPropertyDescriptor(value, key)!;
        if (typeof key === "symbol") return "an object with symbols for keys cannot be saved";
        if (!("value" in field)) return "an object with getters cannot be saved";
        const isLength = key === "length" && prototype === Array.prototype;
        if (!field.enumerable && !isLength) return "an object with hidden fields cannot be saved";
        parts.push(field.value);
    }
    for (const part of parts) {
        const found = obstacle(part, seen, depth + 1);
        if (found !== undefined) return found;
    }
    return undefined;
}

export function exportVariables(variables: Variables, link: Link) {
    const kept: Record<string, unknown> = {};
    const failed: Failed[] = [];
    const fail = (name: string, value: unknown, reason: string) =>
        failed.push({
            name: name.slice(0, TEXT_MAX),
            type: typeName(value),
            reason: reason.slice(0, TEXT_MAX),
        });
    for (const [name, value] of variables.all()) {
        let reason: string | undefined;
        try {
            reason = obstacle(value, new Set());
        } catch (error) {
            reason = `it cannot be looked through: ${String(error)}`;
        }
        if (reason === undefined) kept[name] = value;
        else fail(name, value, reason);
    }
    const bytes = Buffer.from(
        serialize({ format: FORMAT, variables: kept }) as unknown as ArrayBuffer,
    );
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        link.send("b", bytes.subarray(at, at + PIECE_BYTES));
    }
    return {
        exported_count: Object.keys(kept).length,
        failed: named(failed),
        failed_count: failed.length,
    };
}

function named(failed: Failed[]): Failed[] {
    if (failed.length <= NAMED_MAX) return failed;
    const more = failed.length - NAMED_MAX;
    return [
        ...failed.slice(0, NAMED_MAX),
        { name: `${more} more`, type: "", reason: "too many to name" },
    ];
}

export async function importVariables(link: Link) {
    const pieces: Buffer[] = [];
    for (;;) {
        const message = await link.receive();
        if (message === undefined || message.type === "f") break;
        if (message.type === "b") pieces.push(Buffer.from(message.payload));
    }
    let saved: any;
    try {
        const bytes = Buffer.concat(pieces);
        saved = deserialize(
            bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as any,
        );
        if (saved?.format !== FORMAT) throw new Error("another format");
    } catch (error) {
        return {
            status: "error",
            error: `its saved variables cannot be read: ${String(error).slice(0, TEXT_MAX)}`,
        };
    }
    const names = Object.keys(saved.variables);
    const failed: Failed[] = [];
    for (const name of names) {
        try {
            (globalThis as any)[name] = saved.variables[name];
        } catch (error) {
            failed.push({
                name,
                type: typeName(saved.variables[name]),
                reason: String(error).slice(0, TEXT_MAX),
            });
        }
    }
    return { imported_count: names.length - failed.length, failed: named(failed) };
}
