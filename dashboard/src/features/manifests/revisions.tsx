import { Table } from "@mantine/core";

import type { ManifestDetail } from "@/shared/api/wire";
import { CopyableId } from "@/shared/data/copyable";
import { When } from "@/shared/time/when";

/** Every revision there has been. An execution keeps the one that it began with. */
export function Revisions({ manifest }: { manifest: ManifestDetail }) {
  const revisions = [...manifest.revisions].sort((a, b) => b.revision - a.revision);
  return (
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
  );
}
