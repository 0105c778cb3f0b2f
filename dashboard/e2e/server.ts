import type { ChildProcess } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { seed } from "./seed";

const PORT = Number(process.env.E2E_PORT ?? 8797);
export const ADDRESS = `http://127.0.0.1:${PORT}`;
const placeOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const ROOT = placeOf("../..");
const BIN = process.env.TERCET_BIN ?? `${ROOT}/.venv/bin`;
const DATA = placeOf("./.data");

export function ownerToken(): string {
  return readFileSync(`${DATA}/admin-token`, "utf-8").trim();
}

/** A real server on the data of the lead campaign's demo, with more on top; ends when the tests end. */
export default async function startServer(): Promise<() => Promise<void>> {
  rmSync(DATA, { recursive: true, force: true });
  const demo = spawnSync(`${BIN}/python`, ["-m", "examples.lead_campaign.demo"], { cwd: ROOT, encoding: "utf-8", timeout: 120_000 });
  if (demo.status !== 0) throw new Error(`the demo ended with ${demo.status ?? "a signal"}:\n${demo.stdout}${demo.stderr}`);
  mkdirSync(DATA, { recursive: true });
  cpSync(`${ROOT}/examples/lead_campaign/output/data`, DATA, { recursive: true });
  const manifests = ["examples/lead_campaign", "dashboard/e2e/fixtures/purchase.yaml", "dashboard/e2e/fixtures/ping.yaml"];
  const server = spawn(
    `${BIN}/tercet`,
    ["serve", "--data-dir", DATA, "--port", String(PORT), ...manifests.flatMap((path) => ["--manifest", path])],
    {
      cwd: ROOT,
      stdio: ["ignore", "pipe", openSync(`${DATA}/server.log`, "w")],
      // The tests' own receiver of webhooks is on this machine.
      env: { ...process.env, TERCET_TOOL_NETWORKS: "127.0.0.0/8" },
    },
  );
  try {
    await listening(server);
    await seed(ADDRESS, ownerToken());
  } catch (error) {
    await stop(server);
    throw error;
  }
  return () => stop(server);
}

function listening(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    server.stdout?.on("data", (text: Buffer) => {
      if (text.toString().includes("listening")) resolve();
    });
    server.on("exit", (code) => reject(new Error(`the server ended with ${code ?? "a signal"}`)));
  });
}

function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    server.removeAllListeners("exit");
    server.on("exit", () => resolve());
    server.kill("SIGTERM");
  });
}
