import { defineConfig } from "vite";
import solid from "vite-plugin-solid";

// The same bytes wherever it is built: no folder, no time, no registry goes into dist/. Files are named by their content, so
// that a browser may keep them for ever. Nothing is inlined, for the page's policy (CSP) forbids what is inline or a data: URL.
export default defineConfig({
  base: "/",
  plugins: [solid()],
  worker: { format: "es" },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
  },
});
