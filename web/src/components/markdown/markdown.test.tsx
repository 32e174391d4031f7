// @vitest-environment jsdom
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import "@/lib/i18n";
import { normaliseMaths } from "./maths";
import Markdown from "./markdown";
import { kLengthMax, splitBlocks } from "./split-blocks";

const html = (text: string) => renderToStaticMarkup(<Markdown text={text} />);

describe("what a model or a tool wrote is inert", () => {
    it("HTML stays text", () => {
        const shown = html(
            '<img src=x onerror="alert(1)"> <script>alert(1)</script> <svg onload=alert(1)>',
        );
        expect(shown).not.toMatch(/<(img|script|svg)/);
    });
    it("addresses that run are dropped", () => {
        expect(html("[a](javascript:alert(1)) [b](data:text/html,x)")).not.toMatch(
            /javascript:|data:/,
        );
    });
    it("images of other hosts are links, and nothing is fetched", () => {
        const shown = html("![chart](https://example.com/track.png)");
        expect(shown).not.toContain("<img");
        expect(shown).toContain('rel="noopener noreferrer nofollow"');
    });
});

const texts = (text: string) => splitBlocks(text).map((block) => block.text);
const glued = (text: string) =>
    splitBlocks(text)
        .map((block, at) => (at > 0 && block.glue === undefined ? "\n" : "") + block.text)
        .join("");

describe("blocks", () => {
    it("are cut at blank lines and around fences, and not inside of fences, maths and lists", () => {
        expect(texts("a\n\nb")).toEqual(["a\n", "b"]);
        expect(texts("```\na\n\nb\n```\n\nc")).toEqual(["```\na\n\nb\n```", "", "c"]);
        expect(texts("a\n```\nb\n```\nc")).toEqual(["a", "```\nb\n```", "c"]);
        expect(texts("$$\na\n\nb\n$$\n\nc")).toHaveLength(2);
        expect(texts("\\[\na\n\nb\n\\]\n\nc")).toHaveLength(2);
        expect(texts("1. a\n\n2. b\n\n   more\n\nc")).toHaveLength(2);
        expect(texts("1. a\n   ```\n   b\n\n   ```\n2. c")).toHaveLength(1);
    });
    it("lose nothing", () => {
        const text = "# t\n\ntext\n\n- a\n- b\n\n```py\nx\n\ny\n```\n\n| a |\n|---|\n| 1 |\n";
        expect(glued(text)).toBe(text);
    });
    it("know what stands in a fence", () => {
        const [open] = splitBlocks("```py\nx = 1\n");
        expect(open?.fence).toEqual({ language: "py", code: "x = 1\n" });
        const [closed] = splitBlocks("~~~c++ title\n```\n~~~");
        expect(closed?.fence).toEqual({ language: "c++", code: "```" });
        expect(splitBlocks("``` `a` ```")[0]?.fence).toBeUndefined();
    });
});

describe("what is too long", () => {
    const isShort = (text: string) => {
        for (const block of splitBlocks(text))
            expect(block.text.length).toBeLessThan(kLengthMax + 300);
    };
    it("is cut where a reader does not see it", () => {
        const words = "some **bold words** and `more. Of` it. ".repeat(1000);
        isShort(words);
        expect(glued(words)).toBe(words);
        const blocks = splitBlocks(words);
        expect(blocks.length).toBeGreaterThan(8);
        for (const { text } of blocks.slice(0, -1)) expect(text).toMatch(/it\. $/);
        const shown = html(words);
        expect(shown).not.toContain("**");
        expect(blocks.slice(1).every((block) => block.glue === " ")).toBe(true);
    });
    it.each([
        ["a sentence that ends in a year", "It was in 2024. Then came - a dash. "],
        ["no blanks", "字".repeat(17) + "。"],
        ["nothing at all", "x"],
        ["letters of two halves", "🙂"],
        ["a mark that stays open", "a * b ** c `d [e "],
        ["lines", "one\ntwo three\n"],
    ])("loses nothing: %s", (_, piece) => {
        const text = piece.repeat(20_000 / piece.length).trim();
        isShort(text);
        expect(glued(text)).toBe(text);
        for (const block of splitBlocks(text).slice(1))
            expect(block.text).not.toMatch(/^(\d+\. |- |[\udc00-\udfff])/);
    });
    it("lists are cut between items, also after a line of text", () => {
        const list = "Here:\n" + "- an item\n  with a line\n".repeat(600);
        isShort(list);
        expect(glued(list)).toBe(list);
        for (const text of texts(list).slice(1, -1)) expect(text).toMatch(/^- an item/);
    });
    it("tables are cut between rows, and have their head again", () => {
        const head = "| a | b |\n|---|---|";
        const blocks = texts(`${head}\n` + "| one | two |\n".repeat(900));
        expect(blocks.length).toBeGreaterThan(2);
        for (const text of blocks) expect(text.startsWith(head)).toBe(true);
        expect(blocks.join().match(/one/g)).toHaveLength(900);
    });
    it("a formula that never ends does not hold up the rest", () => {
        isShort("$$ is much\n\n" + "some words here\n\n".repeat(2000));
    });
    it("blocks do not change as the text grows", () => {
        const text = "Words, **bold** ones. ".repeat(800) + "\n\n- a\n".repeat(900) + "\n\nend";
        let before = splitBlocks(text.slice(0, 900));
        for (let length = 1000; length < text.length; length += 977) {
            const now = splitBlocks(text.slice(0, length));
            // A block that has just become too long is cut: its parts are new.
            const same = now.length === before.length + 1 ? before.length - 1 : 0;
            expect(now.slice(0, same)).toEqual(before.slice(0, same));
            before = now;
        }
    });
});

describe("maths", () => {
    it("is found however it is written, and prices are not", () => {
        expect(normaliseMaths("so \\(x^2\\) is")).toBe("so $$x^2$$ is");
        expect(normaliseMaths("so $x^2$ is")).toBe("so $$x^2$$ is");
        expect(normaliseMaths("\\[a\\]")).toContain("$$\na\n$$");
        expect(normaliseMaths("from $5 to $6")).toBe("from $5 to $6");
        expect(normaliseMaths("`$x^2$`")).toBe("`$x^2$`");
    });
});
