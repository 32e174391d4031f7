// The kernel's end of its link to PID 1: u32 length, type, payload (docs/guest-protocol.md).
//
// Reading is left to the event loop. Writing blocks: a cell that sends more than anybody takes
// waits.

import { writeSync } from "node:fs";

export type Message = { type: string; payload: Buffer };

const HEADER_BYTES = 5;
const MESSAGE_BYTES_MAX = 60 << 20; // the guest ends a kernel that sends more than 64 MiB at once

// User code may replace what is global.
const { stringify, parse } = JSON;
const sleep = Bun.sleepSync;

export function writeAll(fd: number, bytes: Uint8Array) {
    for (let at = 0; at < bytes.length;) {
        try {
            at += writeSync(fd, bytes, at, bytes.length - at);
        } catch (error) {
            // bun makes some descriptors non-blocking; a full one is tried again.
            if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
            sleep(1);
        }
    }
}

export class Link {
    #fd: number;
    #pieces: AsyncIterator<Uint8Array>;
    #held: Buffer = Buffer.alloc(0);

    constructor(fd: number) {
        this.#fd = fd;
        this.#pieces = Bun.file(fd).stream()[Symbol.asyncIterator]();
    }

    // Undefined at the end of the stream.
    async receive(): Promise<Message | undefined> {
        if (!(await this.#fill(HEADER_BYTES))) return undefined;
        const length = this.#held.readUInt32LE(0);
        const type = String.fromCharCode(this.#held[4]!);
        if (!(await this.#fill(HEADER_BYTES + length))) return undefined;
        const payload = this.#held.subarray(HEADER_BYTES, HEADER_BYTES + length);
        this.#held = this.#held.subarray(HEADER_BYTES + length);
        return { type, payload };
    }

    async #fill(bytes: number): Promise<boolean> {
        const pieces = [this.#held];
        let size = this.#held.length;
        while (size < bytes) {
            const { done, value } = await this.#pieces.next();
            if (done) return false;
            pieces.push(Buffer.from(value));
            size += value.length;
        }
        if (pieces.length > 1) this.#held = Buffer.concat(pieces);
        return true;
    }

    decode(payload: Buffer): any {
        return parse(payload.toString("utf8"));
    }

    // JSON of an object, or bytes as they are.
    send(type: string, content: object | Uint8Array) {
        const bytes =
            content instanceof Uint8Array
                ? content
                : Buffer.from((stringify(content) as any).toWellFormed(), "utf8");
        if (bytes.length > MESSAGE_BYTES_MAX) throw new RangeError("the message is too large");
        const header = Buffer.alloc(HEADER_BYTES);
        header.writeUInt32LE(bytes.length, 0);
        header[4] = type.charCodeAt(0);
        writeAll(this.#fd, Buffer.concat([header, bytes]));
    }

    event(name: string, fields: object) {
        this.send("e", { event: name, ...fields });
    }
}
