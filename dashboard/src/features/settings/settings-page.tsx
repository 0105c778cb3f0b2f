import { Button, Modal, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBell, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { Looks } from "@/features/settings/looks";
import { NewWebhookForm } from "@/features/settings/new-webhook-form";
import classes from "@/features/settings/settings-page.module.css";
import { WebhookCard } from "@/features/settings/webhook-card";
import { listWebhooks } from "@/shared/api/webhooks";
import { Page } from "@/shared/layout/page";
import { Loaded } from "@/shared/states/loaded";
import { EmptyState } from "@/shared/states/states";

/** Who is told of what happens, and who looked at personal data. */
export function SettingsPage() {
  const query = useQuery(listWebhooks());
  const [opened, { open, close }] = useDisclosure();
  return (
    <Page title="Settings">
      <section className={classes.section} aria-label="Notices">
        <div className={classes.sectionHead}>
          <div>
            <Title order={2} size="h4">
              Notices
            </Title>
            <p className={classes.about}>Webhooks, e-mail addresses and Slack channels that hear of approvals, failures and ends.</p>
          </div>
          <Button leftSection={<IconPlus size={14} />} onClick={open}>
            Add a receiver
          </Button>
        </div>
        <Loaded query={query}>
          {({ items }) =>
            items.length === 0 ? (
              <div className="panel">
                <EmptyState icon={<IconBell size={28} stroke={1.5} />} title="Nobody is told yet">
                  Add a webhook, an e-mail address or a Slack channel, and it hears when something waits or fails.
                </EmptyState>
              </div>
            ) : (
              items.map((webhook) => <WebhookCard key={webhook.webhook_id} webhook={webhook} />)
            )
          }
        </Loaded>
      </section>
      <Looks />
      <Modal opened={opened} onClose={close} title="Add a receiver" size="lg">
        <NewWebhookForm onDone={close} />
      </Modal>
    </Page>
  );
}
