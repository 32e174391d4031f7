// Paths of a sandbox: absolute, or relative to /session; in percent on the wire. Names on Linux
// are bytes: `exact` is such a path whatever bytes it has, as listings give it.
export type SandboxPath = string | { readonly exact: string };

/**
 * fetch resolves dots in addresses, also in percent: a path that a model wrote could lead out of
 * `files/` to any other address of the server, with this caller's key.
 */
export function noDots(parts: readonly string[], text: string): void {
    if (parts.some((one) => /^(\.|%2e){1,2}$/i.test(one))) {
        throw new TypeError(`${JSON.stringify(text)} has dots as a part of it`);
    }
}

/** One part of an address: an id or a name. */
export function part(text: string): string {
    noDots([text], text);
    return encodeURIComponent(text);
}

export function encoded(path: SandboxPath): string {
    if (typeof path !== "string") {
        noDots(path.exact.split("/"), path.exact);
        return path.exact;
    }
    const whole = path.startsWith("/") ? path : `/session/${path}`;
    const parts = whole.split("/").filter((one) => one !== "" && one !== ".");
    return parts.map(part).join("/");
}

/** For people: absolute, with bytes that are no UTF-8 replaced. */
export function decoded(exact: string): string {
    const bytes: number[] = [];
    for (let at = 0; at < exact.length; at++) {
        const coded = exact[at] === "%";
        bytes.push(coded ? parseInt(exact.slice(at + 1, at + 3), 16) : exact.charCodeAt(at));
        if (coded) at += 2;
    }
    return "/" + new TextDecoder().decode(new Uint8Array(bytes));
}
