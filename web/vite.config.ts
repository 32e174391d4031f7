import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

// The server that development and preview pages talk to.
const server = process.env.ATOLL_SERVER ?? "http://127.0.0.1:8000";
const paths = "^/(v1|thread|threads|upload|schedule|status|healthz|readyz|metrics|openapi.json)";
const proxy = { [paths]: { target: server, ws: true } };

// KaTeX offers each font in three formats. Every browser that runs this page reads the first.
const onlyWoff2: Plugin = {
    name: "only-woff2",
    enforce: "pre",
    transform(code, id) {
        if (!/katex.*\.css$/.test(id)) return null;
        return code.replace(/,\s*url\([^)]*\.(woff|ttf)\)\s*format\([^)]*\)/g, "");
    },
};

export default defineConfig({
    base: "/ui/",
    plugins: [onlyWoff2, react(), tailwind()],
    resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
    server: { proxy },
    preview: { proxy },
    build: {
        // No data: addresses, which the page's policy refuses for scripts, styles and fonts.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        target: "es2022",
        chunkSizeWarningLimit: 600,
    },
    test: { include: ["src/**/*.test.{ts,tsx}"] },
});
