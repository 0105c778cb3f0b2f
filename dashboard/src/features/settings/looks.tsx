import { Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import classes from "@/features/settings/settings-page.module.css";
import { ApiError } from "@/shared/api/api-error";
import { listLooks } from "@/shared/api/webhooks";
import { Loaded } from "@/shared/states/loaded";
import { LoadingRows } from "@/shared/states/states";
import { When } from "@/shared/time/when";

/** Who looked at personal data as they are. Only owners and admins may know; others do not see this part. */
export function Looks() {
  const query = useQuery(listLooks());
  if (query.error instanceof ApiError && query.error.status === 403) return null;
  return (
    <section className={classes.section} aria-label="Looks at personal data">
      <div>
        <Title order={2} size="h4">
          Looks at personal data
        </Title>
        <p className={classes.about}>Who saw e-mail addresses and phone numbers of an execution unmasked.</p>
      </div>
      <Loaded query={query} loading={<LoadingRows rows={2} />}>
        {({ items }) => (
          <div className={`panel ${classes.table}`} tabIndex={0} role="region" aria-label="Looks">
            {items.length === 0 && (
              <Text size="sm" c="dimmed" p="md">
                Nobody has looked.
              </Text>
            )}
            {items.length > 0 && (
              <Table verticalSpacing={6} horizontalSpacing="md" miw={460}>
                <Table.Tbody>
                  {items.map((look) => (
                    <Table.Tr key={look.reveal_id}>
                      <Table.Td>
                        {look.user} <span className="dim">{look.role}</span>
                      </Table.Td>
                      <Table.Td>
                        {look.what} of{" "}
                        <Link to="/executions/$executionId" params={{ executionId: look.execution_id }} className="link mono">
                          {look.execution_id.slice(-6)}
                        </Link>
                      </Table.Td>
                      <Table.Td>
                        <When at={look.at} as="full" />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            )}
          </div>
        )}
      </Loaded>
    </section>
  );
}
