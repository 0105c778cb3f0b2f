import type { Page } from "@playwright/test";

import { api, expect, test } from "./reader";

interface Items<T> {
  items: T[];
}
interface Execution {
  execution_id: string;
  name: string;
  status: string;
  status_message: string | null;
}
interface Approval {
  approval_id: string;
  title: string;
  items_total: number;
}

async function places(page: Page): Promise<Record<string, string>> {
  const { items: blocked } = await api<Items<Execution>>(page, "/executions?status=BLOCKED&limit=500");
  const { items: ended } = await api<Items<Execution>>(page, "/executions?status=COMPLETED&limit=500&kind=manifest");
  const all = [...blocked, ...ended];
  const campaign = all.find((one) => one.name === "lead-campaign" && one.status_message?.includes("person") === true)?.execution_id ?? "";
  const failed = blocked.find((one) => one.status_message?.includes("failed") === true)?.execution_id ?? "";
  const { items: approvals } = await api<Items<Approval>>(page, "/approvals?status=pending&limit=500");
  const bundle = approvals.find((one) => one.items_total > 1)?.approval_id ?? "";
  const single = approvals.find((one) => one.title.includes("kennels"))?.approval_id ?? "";
  const agent = (await api<{ id: string }[]>(page, "/agents"))[0]?.id ?? "";
  const plan = (await api<Items<{ plan_id: string }>>(page, "/plans")).items[0]?.plan_id ?? "";
  const atWork = (await api<Items<{ execution_id: string; plan_id: string | null }>>(page, "/executions?limit=100")).items.find((one) => one.plan_id !== null)?.execution_id ?? "";
  const project = (await api<Items<{ project_id: string }>>(page, "/projects")).items.at(-1)?.project_id ?? "";
  const conversations = (await api<Items<{ conversation_id: string }>>(page, `/projects/${project}/conversations`)).items;
  return {
    home: "/",
    executions: "/executions",
    "executions-waiting": "/executions?status=BLOCKED",
    graph: `/executions/${campaign}?tab=graph`,
    timeline: `/executions/${campaign}?tab=timeline`,
    tasks: `/executions/${campaign}?tab=tasks`,
    events: `/executions/${campaign}?tab=events`,
    data: `/executions/${campaign}?tab=data`,
    failed: `/executions/${failed}`,
    "inbox-bundle": `/inbox?approval=${bundle}`,
    "inbox-single": `/inbox?approval=${single}`,
    inbox: "/inbox",
    manifests: "/manifests",
    manifest: "/manifests/lead-campaign",
    "manifest-source": "/manifests/lead-campaign?tab=source",
    "manifest-send": "/manifests/lead-campaign?tab=send",
    "manifest-new": "/manifests/new",
    costs: "/costs",
    "costs-agent": "/costs?by=agent",
    plans: "/plans",
    plan: `/plans/${plan}`,
    "plan-tree": `/plans/${plan}?tab=tree`,
    "plan-task": `/plans/${plan}?task=permit`,
    "plan-at-work": `/executions/${atWork}`,
    "plan-schedule": `/executions/${atWork}?tab=schedule`,
    chat: `/chat?project=${project}`,
    "chat-conversation": `/chat?project=${project}&conversation=${conversations.at(-1)?.conversation_id ?? ""}`,
    agents: "/agents",
    agent: `/agents/${agent}`,
    tools: "/tools",
    settings: "/settings",
    missing: "/nowhere",
  };
}

for (const scheme of ["light", "dark"] as const) {
  for (const width of [1280, 390]) {
    test(`pages in ${scheme} at ${width} px`, { tag: "@slow" }, async ({ signedIn: page }) => {
      test.setTimeout(180_000);
      await page.setViewportSize({ width, height: 860 });
      await page.emulateMedia({ colorScheme: scheme });
      for (const [name, address] of Object.entries(await places(page))) {
        await page.goto(address);
        await expect(page.getByLabel("Loading")).toHaveCount(0, { timeout: 15_000 });
        await page.waitForTimeout(500);
        await page.screenshot({ path: `e2e/shots/${name}-${scheme}-${width}.png` });
        const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect.soft(tooWide, `${name} is wider than the window`).toBeLessThanOrEqual(0);
      }
    });
  }
}

test("sign-in", async ({ page }) => {
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto("/");
    await expect(page.getByRole("heading", { name: "Sign in to Tercet" })).toBeVisible();
    await page.screenshot({ path: `e2e/shots/sign-in-${scheme}-1280.png` });
  }
});
