import { Button, Popover, TagsInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";

import { useDecide } from "@/shared/api/approvals";
import type { ApprovalDetail } from "@/shared/api/wire";
import { say, sayError } from "@/shared/states/notice";

/** Hands the approval to other users or roles. */
export function ReassignButton({ approval }: { approval: ApprovalDetail }) {
  const [opened, { toggle, close }] = useDisclosure();
  const [names, setNames] = useState<string[]>([]);
  const decide = useDecide(approval.approval_id);
  const reassign = () =>
    decide.mutate(
      { decision: "reassign", assign_to: names },
      {
        onError: sayError,
        onSuccess: () => {
          say(`Given to ${names.join(", ")}.`);
          close();
        },
      },
    );
  return (
    <Popover opened={opened} onChange={close} trapFocus withArrow shadow="md" width={280} position="bottom-end">
      <Popover.Target>
        <Button variant="default" onClick={toggle}>
          Reassign
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <TagsInput size="xs" label="Users or roles" placeholder="Enter after each" value={names} onChange={setNames} data={["owner", "admin", "member"]} comboboxProps={{ withinPortal: false }} />
        <Button mt="sm" fullWidth disabled={names.length === 0} loading={decide.isPending} onClick={reassign}>
          Hand over
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}
