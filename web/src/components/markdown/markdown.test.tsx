// @vitest-environment jsdom
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import "@/lib/i18n";
import { normaliseMaths } from "./maths";
import Markdown from "./markdown";
import { splitBlocks } from "./split-blocks";

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

describe("blocks", () => {
    it("are cut at blank lines, and not inside of fences, maths and lists", () => {
        expect(splitBlocks("a\n\nb")).toEqual(["a\n", "b"]);
        expect(splitBlocks("```\na\n\nb\n```\n\nc")).toHaveLength(2);
        expect(splitBlocks("$$\na\n\nb\n$$\n\nc")).toHaveLength(2);
        expect(splitBlocks("1. a\n\n2. b\n\n   more\n\nc")).toHaveLength(2);
    });
    it("lose nothing", () => {
        const text = "# t\n\ntext\n\n- a\n- b\n\n```py\nx\n\ny\n```\n\n| a |\n|---|\n| 1 |\n";
        expect(splitBlocks(text).join("\n")).toBe(text);
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
