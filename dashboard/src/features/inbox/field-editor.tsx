import { Textarea } from "@mantine/core";
import { useState } from "react";

interface Props {
  name: string;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** Text stays text; every other kind of value is edited as JSON and keeps its kind. */
export function FieldEditor({ name, value, onChange }: Props) {
  if (typeof value === "string") {
    return <Textarea label={name} size="sm" autosize minRows={1} maxRows={18} value={value} onChange={(event) => onChange(event.currentTarget.value)} />;
  }
  return <JsonEditor name={name} value={value} onChange={onChange} />;
}

function JsonEditor({ name, value, onChange }: Props) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const [problem, setProblem] = useState<string | null>(null);
  const change = (next: string) => {
    setText(next);
    try {
      onChange(JSON.parse(next) as unknown);
      setProblem(null);
    } catch {
      setProblem("This is not JSON; the last valid value counts.");
    }
  };
  return <Textarea label={name} size="sm" autosize minRows={1} maxRows={18} value={text} error={problem} onChange={(event) => change(event.currentTarget.value)} classNames={{ input: "mono" }} />;
}
