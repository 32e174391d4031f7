import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

// The server that development and preview pages talk to.
const server = process.env.ATOLL_SERVER ?? "http://127.0.0.1:8000";
const paths = "^/(v1|thread|threads|upload|schedule|status|healthz|readyz|metrics|openapi.json)";
const proxy = { [paths]: { target: server, ws: true } };

// The server's own (src/api/web_routes.cpp), so that `npm run preview` shows what breaks it.
const policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; " +
    "font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; " +
    "form-action 'none'; object-src 'none'";

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
    resolve: {
        alias: {
            "@": new URL("./src", import.meta.url).pathname,
            // KaTeX's markup has styles in attributes. The browser's parser, which this package
            // would take, complains of them by the page's policy; the other one does not.
            "hast-util-from-html-isomorphic": new URL(
                "./node_modules/hast-util-from-html-isomorphic/index.js",
                import.meta.url,
            ).pathname,
        },
    },
    server: { proxy },
    preview: { proxy, headers: { "Content-Security-Policy": policy } },
    build: {
        // No data: addresses, which the page's policy refuses for scripts, styles and fonts.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        target: "es2022",
        chunkSizeWarningLimit: 600,
        rolldownOptions: {
            output: {
                // A worker must come as JavaScript; of .mjs the server does not know that.
                assetFileNames: ({ names }) =>
                    names[0]?.endsWith(".mjs")
                        ? "assets/[name]-[hash].js"
                        : "assets/[name]-[hash][extname]",
            },
        },
    },
    test: { include: ["src/**/*.test.{ts,tsx}"] },
});
