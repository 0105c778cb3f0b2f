import { fileURLToPath } from "node:url";

import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const server = process.env.TERCET_URL ?? "http://127.0.0.1:8700";
const placeOf = (folder: string) => fileURLToPath(new URL(folder, import.meta.url));

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@": placeOf("./src") } },
  // The server puts a fresh nonce in place of this word with every page that it serves.
  html: { cspNonce: "CSP_NONCE" },
  server: { port: 5173, proxy: { "/api": server } },
  build: {
    outDir: placeOf("../src/tercet/web/dashboard_assets"),
    emptyOutDir: true,
    manifest: true,
    target: "es2022",
    // Inlined assets would be data: addresses, which the content security policy refuses.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1_700,
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["./src/test-setup.ts"],
    css: false,
    restoreMocks: true,
  },
});
