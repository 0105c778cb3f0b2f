import { Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import classes from "@/features/settings/settings-page.module.css";
import type { Delivery } from "@/shared/api/webhooks";
import { deliveriesOf } from "@/shared/api/webhooks";
import { Loaded } from "@/shared/states/loaded";
import { LoadingRows } from "@/shared/states/states";
import { When } from "@/shared/time/when";

/** What was sent to one receiver, or will be, newest first. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const query = useQuery({ ...deliveriesOf(webhookId), refetchInterval: 5_000 });
  return (
    <Loaded query={query} loading={<LoadingRows rows={2} />}>
      {({ items }) =>
        items.length === 0 ? (
          <Text size="sm" c="dimmed">
            Nothing has been sent there yet.
          </Text>
        ) : (
          <div className={classes.table} tabIndex={0} role="region" aria-label="Deliveries">
            <Table verticalSpacing={6} miw={560}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Sent</Table.Th>
                  <Table.Th>Of</Table.Th>
                  <Table.Th>Outcome</Table.Th>
                  <Table.Th>Attempts</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {items.map((delivery) => (
                  <Line key={delivery.delivery_id} delivery={delivery} />
                ))}
              </Table.Tbody>
            </Table>
          </div>
        )
      }
    </Loaded>
  );
}

function Line({ delivery }: { delivery: Delivery }) {
  return (
    <Table.Tr>
      <Table.Td>
        <When at={delivery.created_at} />
      </Table.Td>
      <Table.Td>
        <span className="mono">{delivery.event}</span>{" "}
        {delivery.execution_id !== null && (
          <Link to="/executions/$executionId" params={{ executionId: delivery.execution_id }} className="link mono">
            {delivery.execution_id.slice(-6)}
          </Link>
        )}
      </Table.Td>
      <Table.Td className={classes.error}>
        <span className={delivery.error === null ? classes.good : classes.bad}>{delivery.status}</span>
        {delivery.answer_status !== null && <span className="dim"> {delivery.answer_status}</span>}
        {delivery.error !== null && <div className="dim">{delivery.error}</div>}
        {delivery.next_attempt_at !== null && (
          <div className="dim">
            again <When at={delivery.next_attempt_at} />
          </div>
        )}
      </Table.Td>
      <Table.Td className="numbers">{delivery.attempts}</Table.Td>
    </Table.Tr>
  );
}
