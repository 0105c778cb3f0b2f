import type { Page } from "@playwright/test";
import { test as base } from "@playwright/test";

import { ownerToken } from "./server";

export { expect } from "@playwright/test";

/** A signed-in page that fails its test when the browser reports a refused style, script or request, or a crash. */
export const test = base.extend<{ problems: string[]; signedIn: Page }>({
  problems: async ({ page }, use) => {
    const problems: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("request", (request) => {
      if (new URL(request.url()).hostname !== "127.0.0.1" && !request.url().startsWith("blob:")) problems.push(`third party: ${request.url()}`);
    });
    await use(problems);
    if (problems.length > 0) throw new Error(`The browser reports:\n${problems.join("\n")}`);
  },
  signedIn: async ({ page, problems }, use) => {
    if (problems.length > 0) throw new Error("the page had problems before it was opened");
    await page.addInitScript((token) => sessionStorage.setItem("tercet.token", token), ownerToken());
    await use(page);
  },
});

export async function api<T>(page: Page, path: string): Promise<T> {
  const response = await page.request.get(`/api/v1${path}`, { headers: { Authorization: `Bearer ${ownerToken()}` } });
  return (await response.json()) as T;
}
