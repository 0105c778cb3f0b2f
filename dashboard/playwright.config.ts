import { defineConfig } from "@playwright/test";

import { ADDRESS } from "./e2e/server";
import { installedBrowser } from "./scripts/browser.mjs";

// Without an installed browser Playwright takes its own, and says so loudly when it has none.
const executablePath = installedBrowser();

export default defineConfig({
  testDir: "./e2e",
  globalSetup: "./e2e/server.ts",
  timeout: 60_000,
  globalTimeout: 1_200_000,
  workers: 1,
  reporter: [["list"]],
  use: {
    baseURL: ADDRESS,
    viewport: { width: 1280, height: 860 },
    launchOptions: {
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    },
    trace: "retain-on-failure",
  },
});
