import { expect, it } from "vitest";
import { withoutRefused } from "./opaque-html";

it("leaves out what the frame's policy refuses, and nothing else", () => {
    const html = `<h1 style="color: red" class='a' onclick=f()>A &gt; b</h1><script>x < y</script>
<img src="https://example.com/x.png"><svg onload='z()'><path d="M0 0"/></svg><a href="b">c</a>
<style>p { color: red }</style><p>on x = style=1</p>`;
    expect(withoutRefused(html)).toBe(`<h1 class='a'>A &gt; b</h1>
<svg><path d="M0 0"/></svg><a href="b">c</a>
<p>on x = style=1</p>`);
});
