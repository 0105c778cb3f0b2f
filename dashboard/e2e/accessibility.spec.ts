import AxeBuilder from "@axe-core/playwright";

import { api, expect, test } from "./reader";

const MAIN = ["/", "/executions", "/inbox", "/costs", "/settings", "/chat"];
const RUNS = [
  { scheme: "light", which: "the main pages", tag: [] },
  { scheme: "light", which: "all pages", tag: ["@slow"] },
  { scheme: "dark", which: "all pages", tag: ["@slow"] },
] as const;

for (const { scheme, which, tag } of RUNS) {
  test(`axe finds nothing serious on ${which} in ${scheme}`, { tag: [...tag] }, async ({ signedIn: page }) => {
    test.setTimeout(240_000);
    await page.emulateMedia({ colorScheme: scheme });
    const { items } = await api<{ items: { execution_id: string; name: string }[] }>(page, "/executions?limit=20");
    const agents = await api<{ id: string }[]>(page, "/agents");
    const id = items.find((one) => one.name === "lead-campaign")?.execution_id ?? "";
    const plan = (await api<{ items: { plan_id: string }[] }>(page, "/plans")).items[0]?.plan_id ?? "";
    const atWork = (await api<{ items: { execution_id: string; plan_id: string | null }[] }>(page, "/executions?limit=100")).items.find((one) => one.plan_id !== null)?.execution_id ?? "";
    const project = (await api<{ items: { project_id: string }[] }>(page, "/projects")).items.at(-1)?.project_id ?? "";
    const conversation = (await api<{ items: { conversation_id: string }[] }>(page, `/projects/${project}/conversations`)).items.at(-1)?.conversation_id ?? "";
    const addresses = [
      "/", "/executions", `/executions/${id}`, `/executions/${id}?tab=timeline`, `/executions/${id}?tab=tasks`,
      `/executions/${id}?tab=events`, "/inbox", "/manifests", "/manifests/new", "/costs",
      "/agents", `/agents/${agents[0]?.id ?? ""}`, "/tools", "/settings",
      `/executions/${atWork}`, `/executions/${atWork}?tab=schedule`, `/plans/${plan}?task=offers`,
      "/chat", `/chat?project=${project}&conversation=${conversation}`,
      "/plans", `/plans/${plan}`, `/plans/${plan}?tab=tree`, `/plans/${plan}?tab=problems`,
    ];
    for (const address of which === "all pages" ? addresses : MAIN) {
      await page.goto(address);
      await expect(page.getByLabel("Loading")).toHaveCount(0);
      await page.waitForTimeout(300);
      const { violations } = await new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).analyze();
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      const told = serious.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.target.join(" ")} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
      expect.soft(told, address).toEqual([]);
    }
  });
}
