import { existsSync } from "node:fs";

import { defineConfig } from "@playwright/test";

import { ADDRESS } from "./e2e/server";

const INSTALLED = [process.env.CHROMIUM ?? "", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
// Without an installed browser Playwright takes its own, and says so loudly when it has none.
const executablePath = INSTALLED.find((path) => path !== "" && existsSync(path));

export default defineConfig({
  testDir: "./e2e",
  globalSetup: "./e2e/server.ts",
  timeout: 60_000,
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
