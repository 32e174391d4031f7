// Values as MIME bundles: the result of a cell, and what display() shows.
//
// A value may say how it is shown: a method Symbol.for("Jupyter.display") that returns a bundle, as
// in Deno's notebooks.

import { inspect, types } from "node:util";
import { describeError } from "./errors";
import type { Link } from "./link";

export type Bundle = Record<string, unknown>;

const BUNDLE_BYTES_MAX = 16 << 20;
const JSON_DEPTH_MAX = 64;
const JSON_VALUES_MAX = 200_000;
const METHOD = Symbol.for("Jupyter.display");
const BEGINNING_CHARACTERS = 10_000;
const { stringify } = JSON;

// As the REPL of Node prints, a little deeper.
export function textOf(value: unknown): string {
    if (types.isNativeError(value)) return describeError(value).traceback_text;
    return inspect(value, { depth: 4, maxStringLength: 100_000 });
}

// JSON would drop or change anything else: undefined, NaN, dates, maps, classes, what runs in
// getters.
export function isPlainData(value: unknown): boolean {
    let left = JSON_VALUES_MAX;
    const path = new Set<object>();
    const check = (one: unknown, depth: number): boolean => {
        if (--left < 0) return false;
        if (one === null || typeof one === "string" || typeof one === "boolean") return true;
        if (typeof one === "number") return Number.isFinite(one);
        if (typeof one !== "object" || depth === 0 || path.has(one) || types.isProxy(one))
            return false;
        const prototype = Object.getPrototypeOf(one);
        const isArray = Array.isArray(one) && prototype === Array.prototype;
        if (!isArray && prototype !== Object.prototype && prototype !== null) return false;
        if (Object.getOwnPropertySymbols(one).length > 0) return false;
        path.add(one);
        const fields = Object.getOwnPropertyDescriptors(one);
        const names = Object.keys(fields);
        // Array: "length" is one of them, holes are not.
        if (isArray && names.length !== one.length + 1) return false;
        for (const name of names) {
            if (isArray && name === "length") continue;
            const field = fields[name]!;
            if (
                !("value" in field) ||
                !field.enumerable ||
                name === "toJSON" ||
                !check(field.value, depth - 1)
            )
                return false;
        }
        path.delete(one);
        return true;
    };
    return check(value, JSON_DEPTH_MAX);
}

function sizeOf(data: unknown): number {
    return typeof data === "string"
        ? Buffer.byteLength(data)
        : Buffer.byteLength(stringify(data) ?? "");
}

// Those that fit, the smallest first; a note in text/plain names the others.
function fit(bundle: Bundle): Bundle {
    const sizes = Object.entries(bundle)
        .map(([mime, data]) => [mime, sizeOf(data)] as const)
        .sort((a, b) => a[1] - b[1]);
    const kept: Bundle = {};
    const cut: string[] = [];
    let used = 0;
    for (const [mime, size] of sizes) {
        if (used + size <= BUNDLE_BYTES_MAX) {
            kept[mime] = bundle[mime];
            used += size;
        } else {
            cut.push(`${mime} (${size} bytes)`);
        }
    }
    if (cut.length === 0) return bundle;
    const note = `[cut: ${cut.join(", ")}; one result may have ${BUNDLE_BYTES_MAX} bytes]`;
    const text = typeof bundle["text/plain"] === "string" ? bundle["text/plain"] : "";
    kept["text/plain"] =
        `${note}\n${(kept["text/plain"] as string) ?? text.slice(0, BEGINNING_CHARACTERS)}`;
    return kept;
}

export async function bundleOf(value: unknown): Promise<Bundle> {
    const own =
        (typeof value === "object" || typeof value === "function") && value !== null
            ? (value as any)[METHOD]
            : undefined;
    if (typeof own === "function") {
        const made = await own.call(value);
        if (isPlainData(made) && made !== null && typeof made === "object")
            return fit(made as Bundle);
    }
    const bundle: Bundle = { "text/plain": textOf(value) };
    if (isPlainData(value)) bundle["application/json"] = value;
    return fit(bundle);
}

// Shows a value at once, or a bundle that is made by hand: display.html("<b>x</b>").
export function installDisplay(link: Link) {
    const show = (data: Bundle, metadata: object = {}) =>
        link.event("display", { data: fit(data), metadata });
    const display = async (value: unknown) => show(await bundleOf(value));
    const text = (mime: string) => (content: unknown) => show({ [mime]: String(content) });
    const bytes = (mime: string) => (content: Uint8Array) =>
        show({ [mime]: Buffer.from(content).toString("base64") });
    Object.assign(display, {
        html: text("text/html"),
        markdown: text("text/markdown"),
        svg: text("image/svg+xml"),
        png: bytes("image/png"),
        jpeg: bytes("image/jpeg"),
        bundle: (data: Bundle, metadata?: object) => show(data, metadata),
    });
    Object.defineProperty(globalThis, "display", {
        value: display,
        writable: true,
        configurable: true,
    });
}
