import { readFileSync } from "node:fs";

import { NAUGHTY } from "./naughty";

const PURCHASES = [
  { item: "Two kennels, insulated", price_usd: 1_840, note: "Before the winter, please.", supplier: "Nordic Kennels", ordered_by: "frida@example.org" },
  { item: "Veterinary software licence", price_usd: 390, note: "One year.", supplier: "VetSoft", ordered_by: "ada@example.org" },
];
const PINGS = Number(process.env.E2E_PINGS ?? 10_000);

/** Campaigns in every state, approvals of every kind, hostile texts, and many executions. */
export async function seed(address: string, token: string): Promise<void> {
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${address}/api/v1${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json() as Promise<unknown>;
  };
  for (let sent = 0; sent < PINGS; sent += 1_000) {
    await post("/events", Array.from({ length: Math.min(1_000, PINGS - sent) }, (_, index) => ({ name: "ping.sent", data: { number: sent + index } })));
  }
  const campaign = (data: object) => post("/events", { name: "campaign.started", data });
  await campaign({ campaign_id: "lost", leads_file: "missing.csv" });
  await campaign({ campaign_id: "summer", leads_file: "leads.csv", limit: 12 });
  for (const data of PURCHASES) await post("/events", { name: "purchase.requested", data });
  await post("/events", {
    name: "purchase.requested",
    data: { item: NAUGHTY.join(" "), price_usd: 1, note: NAUGHTY.join("\n"), supplier: NAUGHTY[0], ordered_by: "x" },
  });
  await post("/agents", { name: "researcher", model: "sonnet", instructions: "Answer with sources.", tools: { calculator: true, csv: true } });
  await post("/agents", { name: NAUGHTY[0], model: "haiku", instructions: NAUGHTY.join("\n") });
  const fence = await post("/plans/import", JSON.parse(readFileSync(new URL("./fixtures/fence.json", import.meta.url), "utf-8")));
  await settled(address, token);
  await chat(post);
  await planAtWork(post, (fence as { plan_id: string }).plan_id);
}

type Post = (path: string, body: unknown) => Promise<unknown>;

/** A project with a conversation that was answered, and one that waits for a decision. */
async function chat(post: Post): Promise<void> {
  const { project_id } = (await post("/projects", { name: "Kennels", instructions: "Answer in one sentence." })) as { project_id: string };
  await post("/chat?wait=20", { project_id, message: "How much hay do two dogs need in winter?", attachments: [{ filename: "bedding.md", text: "# Bedding\n\nIn winter each dog gets two bales of hay a month." }] });
  await post("/chat?wait=20", { project_id, message: "Write a supplier contract with Nordic Hay." });
}

/** The fence's plan, begun: a worker has reported its first step. */
async function planAtWork(post: Post, planId: string): Promise<void> {
  const worker = { name: "mason", role: "builder", capabilities: ["calculator", "carpentry", "human"] };
  const { agent_id } = (await post("/agents/register", worker)) as { agent_id: string };
  await post("/executions", { plan_id: planId, agent_ids: [agent_id] });
}

/** Until one execution has failed for good and nothing runs any more. */
async function settled(address: string, token: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${address}/api/v1/executions?limit=10`, { headers: { Authorization: `Bearer ${token}` } });
    const { items } = (await response.json()) as { items: { status: string; status_message: string | null }[] };
    const running = items.some((one) => one.status === "RUNNING" || one.status === "QUEUED");
    if (!running && items.some((one) => one.status_message?.includes("failed task") === true)) return;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
