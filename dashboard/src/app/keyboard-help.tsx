import { Kbd, Modal, Table } from "@mantine/core";

const KEYS: readonly [string, string][] = [
  ["Ctrl K  or  /", "Go to a page or an execution, or do something"],
  ["?", "These keys"],
  ["j  k", "Inbox: the next item or approval, the one before"],
  ["J  K", "Inbox: the next approval, past the other items"],
  ["a", "Inbox: approve the item"],
  ["r", "Inbox: reject it"],
  ["s", "Inbox: send it back with feedback"],
  ["e", "Inbox: edit it"],
  ["Ctrl Enter", "Inbox: send the verdicts"],
  ["Esc", "Leave a field, close what is open"],
];

export function KeyboardHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Keys" size="md">
      <Table verticalSpacing={6} withRowBorders={false}>
        <Table.Tbody>
          {KEYS.map(([keys, does]) => (
            <Table.Tr key={keys}>
              <Table.Td w={140}>
                <Kbd>{keys}</Kbd>
              </Table.Td>
              <Table.Td>{does}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
