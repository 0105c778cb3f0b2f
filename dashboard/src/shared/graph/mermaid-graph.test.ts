import { describe, expect, it } from "vitest";

import { parseMermaid } from "@/shared/graph/mermaid-graph";

const DRAWN = `flowchart LR
  n0(["🤖 persona-matcher"]):::agent
  n1("lead.imported"):::event
  n2[/"👤 approve"/]:::human
  n3>"👤 campaign.started"]:::outside
  n4{{"⏰ every #34;15#34; minutes"}}:::cron
  n5["⚙️ import-leads"]:::automated
  n1 --> n0
  n0 -->|"when output.score #62;= 25"| n2
  classDef agent fill:#ede9fe
`;

describe("parseMermaid", () => {
  it("reads nodes of every kind without their marks", () => {
    expect(parseMermaid(DRAWN).nodes).toEqual([
      { id: "n0", kind: "agent", label: "persona-matcher" },
      { id: "n1", kind: "event", label: "lead.imported" },
      { id: "n2", kind: "human", label: "approve" },
      { id: "n3", kind: "outside", label: "campaign.started" },
      { id: "n4", kind: "cron", label: 'every "15" minutes' },
      { id: "n5", kind: "automated", label: "import-leads" },
    ]);
  });

  it("reads edges with and without a label, characters restored", () => {
    expect(parseMermaid(DRAWN).edges).toEqual([
      { source: "n1", target: "n0", label: "" },
      { source: "n0", target: "n2", label: "when output.score >= 25" },
    ]);
  });
});
