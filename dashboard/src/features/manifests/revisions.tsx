import { Group, Select, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { oneRevision } from "@/shared/api/manifests";
import type { ManifestDetail } from "@/shared/api/wire";
import { CopyableId } from "@/shared/data/copyable";
import { LineDiff } from "@/shared/data/line-diff";
import { ErrorState, LoadingRows } from "@/shared/states/states";
import { When } from "@/shared/time/when";

/** Every revision there has been, and what changed between two. An execution keeps the one that it began with. */
export function Revisions({ manifest }: { manifest: ManifestDetail }) {
  const revisions = [...manifest.revisions].sort((a, b) => b.revision - a.revision);
  return (
    <Stack gap="lg">
      <div className="panel">
        <Table verticalSpacing="xs" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Revision</Table.Th>
              <Table.Th>Deployed</Table.Th>
              <Table.Th visibleFrom="sm">Id</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {revisions.map((revision) => (
              <Table.Tr key={revision.manifest_id}>
                <Table.Td className="numbers">
                  {revision.revision} {revision.manifest_id === manifest.manifest_id && <span className="dim">in force</span>}
                </Table.Td>
                <Table.Td>
                  <When at={revision.created_at} as="full" />
                </Table.Td>
                <Table.Td visibleFrom="sm">
                  <CopyableId id={revision.manifest_id} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {revisions.length > 1 && <Changes name={manifest.name} revisions={revisions.map((one) => one.revision)} />}
    </Stack>
  );
}

function Changes({ name, revisions }: { name: string; revisions: number[] }) {
  const [chosen, setChosen] = useState({ before: revisions[1] ?? 1, after: revisions[0] ?? 1 });
  const before = useQuery(oneRevision(name, chosen.before));
  const after = useQuery(oneRevision(name, chosen.after));
  const error = before.error ?? after.error;
  const choice = (label: string, which: "before" | "after") => (
    <Select
      aria-label={label}
      data={revisions.map((one) => ({ value: String(one), label: `revision ${one}` }))}
      value={String(chosen[which])}
      onChange={(value) => value !== null && setChosen({ ...chosen, [which]: Number(value) })}
      w={140}
    />
  );
  return (
    <section aria-label="Changes">
      <Group gap="xs" mb="xs">
        <Text size="sm" fw={600}>
          What changed from
        </Text>
        {choice("From", "before")}
        <Text size="sm">to</Text>
        {choice("To", "after")}
      </Group>
      {error !== null && <ErrorState error={error} />}
      {error === null && (before.data === undefined || after.data === undefined) && <LoadingRows rows={3} />}
      {before.data !== undefined && after.data !== undefined && (
        <LineDiff before={before.data.source} after={after.data.source} label="Changes of the source" />
      )}
    </section>
  );
}
