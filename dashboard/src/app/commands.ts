import type { Approval, Execution, Manifest } from "@/shared/api/wire";
import { readExecution } from "@/shared/status/status";

export interface Command {
  id: string;
  group: "Page" | "Execution" | "Approval" | "Manifest" | "Do";
  label: string;
  more: string;
  run: () => void;
}

interface Known {
  text: string;
  executions: Execution[];
  approvals: Approval[];
  manifests: Manifest[];
  go: (to: string, search?: Record<string, string>) => void;
  toggleColorScheme: () => void;
}

const MOST = 12;
const PAGES = [
  ["Home", "/"],
  ["Inbox", "/inbox"],
  ["Executions", "/executions"],
  ["Manifests", "/manifests"],
  ["Plans", "/plans"],
  ["Agents", "/agents"],
  ["Chat", "/chat"],
  ["Tools", "/tools"],
  ["Costs", "/costs"],
  ["Settings", "/settings"],
  ["Deploy a manifest", "/manifests/new"],
] as const;

export function commandsFor({ text, executions, approvals, manifests, go, toggleColorScheme }: Known): Command[] {
  const direct = /^exe_[0-9A-Z]+$/i.test(text.trim()) && !executions.some((one) => one.execution_id === text.trim()) ? [text.trim()] : [];
  return [
    ...direct.map((id) => command("Execution", id, "open by id", () => go(`/executions/${id}`))),
    ...PAGES.map(([label, to]) => command("Page", label, "", () => go(to))),
    ...approvals.map((one) =>
      command("Approval", one.title, `${one.items_open} open`, () => go("/inbox", { approval: one.approval_id }), one.approval_id),
    ),
    ...manifests.map((one) => command("Manifest", one.name, `revision ${one.revision}`, () => go(`/manifests/${encodeURIComponent(one.name)}`))),
    ...executions.map((one) =>
      command("Execution", `${one.name} ${one.execution_id.slice(-6)}`, readExecution(one).label, () => go(`/executions/${one.execution_id}`), one.execution_id),
    ),
    command("Do", "Switch between light and dark", "", toggleColorScheme),
    command("Page", "Executions that failed", "", () => go("/executions", { status: "FAILED" })),
    command("Page", "Executions that wait", "", () => go("/executions", { status: "BLOCKED" })),
  ];
}

function command(group: Command["group"], label: string, more: string, run: () => void, id = label): Command {
  return { id: `${group} ${id}`, group, label, more, run };
}

/** Every word has to be somewhere in it; the order of the list stays. */
export function matching(commands: Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (one: Command) => {
    const all = `${one.group} ${one.label} ${one.more} ${one.id}`.toLowerCase();
    return words.every((word) => all.includes(word));
  };
  return commands.filter(fits).slice(0, MOST);
}
