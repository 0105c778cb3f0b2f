import { Checkbox, NumberInput, Select, Stack, TextInput, Textarea } from "@mantine/core";

import type { FormSchema } from "@/shared/api/wire";

interface Props {
  schema: FormSchema;
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown>) => void;
}

/** Fields for the properties of a JSON Schema. What it does not know is typed as JSON. */
export function SchemaForm({ schema, value, onChange }: Props) {
  return (
    <Stack gap="sm">
      {Object.entries(schema.properties ?? {}).map(([name, field]) => (
        <Field
          key={name}
          name={name}
          schema={field}
          required={schema.required?.includes(name) === true}
          value={value[name]}
          onChange={(next) => onChange(withField(value, name, next))}
        />
      ))}
    </Stack>
  );
}

function withField(value: Record<string, unknown>, name: string, next: unknown): Record<string, unknown> {
  const others = Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
  return next === undefined ? others : { ...others, [name]: next };
}

interface FieldProps {
  name: string;
  schema: FormSchema;
  required: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
}

function Field({ name, schema, required, value, onChange }: FieldProps) {
  const shared = { label: schema.title ?? name, description: schema.description, withAsterisk: required, size: "xs" } as const;
  if (schema.enum !== undefined) {
    const data = schema.enum.map((one) => ({ value: JSON.stringify(one), label: typeof one === "string" ? one : JSON.stringify(one) }));
    const find = (text: string | null) => (text === null ? undefined : (JSON.parse(text) as unknown));
    return <Select {...shared} data={data} value={value === undefined ? null : JSON.stringify(value)} onChange={(text) => onChange(find(text))} clearable={!required} />;
  }
  switch (schema.type) {
    case "boolean":
      return <Checkbox label={shared.label} description={shared.description} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />;
    case "integer":
    case "number":
      return (
        <NumberInput
          {...shared}
          allowDecimal={schema.type === "number"}
          // The field keeps what is half typed ("12."); only numbers leave it.
          defaultValue={typeof value === "number" ? value : undefined}
          onChange={(next) => (typeof next === "number" || next === "") && onChange(next === "" ? undefined : next)}
        />
      );
    case "string":
      return <TextInput {...shared} value={typeof value === "string" ? value : ""} onChange={(event) => onChange(event.currentTarget.value === "" ? undefined : event.currentTarget.value)} />;
    default:
      return <JsonField {...shared} value={value} onChange={onChange} />;
  }
}

function JsonField({ value, onChange, ...shared }: { label: string; value: unknown; onChange: (value: unknown) => void }) {
  const read = (text: string) => {
    try {
      onChange(text.trim() === "" ? undefined : (JSON.parse(text) as unknown));
    } catch {
      onChange(text);
    }
  };
  return <Textarea {...shared} placeholder="JSON" autosize minRows={2} defaultValue={value === undefined ? "" : JSON.stringify(value)} onBlur={(event) => read(event.currentTarget.value)} classNames={{ input: "mono" }} />;
}
