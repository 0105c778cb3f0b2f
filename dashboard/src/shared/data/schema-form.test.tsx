import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";

import { SchemaForm } from "@/shared/data/schema-form";
import { draw } from "@/shared/testing/render";

const SCHEMA = {
  type: "object",
  required: ["amount"],
  properties: {
    amount: { type: "number", title: "Amount" },
    reason: { type: "string" },
    urgent: { type: "boolean" },
  },
};

function Form() {
  const [value, setValue] = useState<Record<string, unknown>>({});
  return (
    <>
      <SchemaForm schema={SCHEMA} value={value} onChange={setValue} />
      <output>{JSON.stringify(value)}</output>
    </>
  );
}

describe("SchemaForm", () => {
  it("keeps the kinds of the schema and drops what is empty again", async () => {
    const user = userEvent.setup();
    await draw(<Form />);
    await user.type(screen.getByLabelText(/Amount/), "12.5");
    await user.type(screen.getByLabelText("reason"), "x");
    await user.clear(screen.getByLabelText("reason"));
    await user.click(screen.getByLabelText("urgent"));

    expect(screen.getByRole("status").textContent).toBe('{"amount":12.5,"urgent":true}');
  });
});
