// The pages of a table that are here, and the one request that is under way for more. What is
// looked at goes first; when that is here, its neighbours are fetched. The kernel answers one
// request after the other, so a second one would only stand in the way of what is wanted next.
import type { Page } from "./pages";

type Rows = Page["rows"];
// Fetches `count` pages from `first` on.
export type Fetch = (first: number, count: number) => Promise<Rows>;

// Some megabytes at most.
const kPagesMax = 200;
// Two screens of a large monitor.
const kPagesAtOnce = 4;

export class PageStore {
    private readonly pages = new Map<number, Rows>();
    private readonly listeners = new Set<() => void>();
    private wanted: [first: number, last: number] = [0, -1];
    private busy = false;
    private failure: unknown = null;
    private version = 0;

    constructor(
        private readonly fetch: Fetch,
        private readonly pageRows: number,
        private readonly pageCount: number,
    ) {}

    get = (page: number): Rows | undefined => this.pages.get(page);
    get error(): unknown {
        return this.failure;
    }

    // For useSyncExternalStore.
    subscribe = (listener: () => void): (() => void) => {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
    };
    snapshot = (): number => this.version;

    put(page: number, rows: Rows): void {
        this.pages.delete(page);
        this.pages.set(page, rows);
        for (const old of this.pages.keys()) {
            if (this.pages.size <= kPagesMax) break;
            const isWanted = old >= this.wanted[0] - 1 && old <= this.wanted[1] + 1;
            if (!isWanted) this.pages.delete(old);
        }
    }

    want(first: number, last: number): void {
        if (this.wanted[0] === first && this.wanted[1] === last) return;
        this.wanted = [first, last];
        void this.work();
    }

    retry(): void {
        this.failure = null;
        this.tell();
        void this.work();
    }

    private tell(): void {
        this.version += 1;
        for (const listener of this.listeners) listener();
    }

    // The missing ones of a range, as one range.
    private missing(first: number, last: number): [number, number] | null {
        let from = Math.max(first, 0);
        let to = Math.min(last, this.pageCount - 1);
        while (from <= to && this.pages.has(from)) from += 1;
        while (from <= to && this.pages.has(to)) to -= 1;
        return from <= to ? [from, Math.min(to, from + kPagesAtOnce - 1)] : null;
    }

    private next(): [number, number] | null {
        const [first, last] = this.wanted;
        return (
            this.missing(first, last) ??
            this.missing(last + 1, last + 1) ??
            this.missing(first - 1, first - 1)
        );
    }

    private async work(): Promise<void> {
        if (this.busy) return;
        this.busy = true;
        for (let range = this.next(); range && this.failure === null; range = this.next()) {
            const [first, last] = range;
            try {
                const rows = await this.fetch(first, last - first + 1);
                for (let page = first; page <= last; page += 1) {
                    const at = (page - first) * this.pageRows;
                    this.put(page, rows.slice(at, at + this.pageRows));
                }
            } catch (failure) {
                this.failure = failure;
            }
            this.tell();
        }
        this.busy = false;
    }
}
