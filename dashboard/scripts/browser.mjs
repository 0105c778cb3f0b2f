// Which browser the tests use: an installed Chromium or Chrome, else Debian's package, else Playwright's own download.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

import { chromium } from "@playwright/test";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const APPLICATIONS = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium"];
const PATIENCE_MS = 240_000;

/** The path of an installed browser; undefined when there is none. */
export function installedBrowser() {
  const named = process.env.CHROMIUM;
  if (named) {
    if (!existsSync(named)) throw new Error(`CHROMIUM names ${named}, which is not there`);
    return named;
  }
  const onPath = (process.env.PATH ?? "").split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [...onPath, ...APPLICATIONS].find((path) => existsSync(path));
}

const hasOwn = () => existsSync(chromium.executablePath());

function attempt(what, command, ...args) {
  console.log(`No Chromium or Chrome is installed: trying ${what} ...`);
  try {
    execFileSync(command, args, { stdio: ["ignore", "ignore", "inherit"], timeout: PATIENCE_MS, env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
  } catch (error) {
    console.error(`${what} did not bring one: ${error.message}`);
  }
}

function ensureBrowser() {
  const has = () => installedBrowser() !== undefined || hasOwn();
  if (!has() && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    attempt("Debian's index", "apt-get", "update", "-qq");
    attempt("Debian's package", "apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium");
  }
  if (!has()) attempt("Playwright's download", "npx", "playwright", "install", "chromium");
  if (has()) return;
  console.error("The browser tests need Chromium or Chrome, and none could be had. Install one, or name it: CHROMIUM=/path/to/chrome");
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ensureBrowser();
