import { Button, Collapse } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBrandSlack, IconMail, IconWebhook } from "@tabler/icons-react";

import { Deliveries } from "@/features/settings/deliveries";
import classes from "@/features/settings/settings-page.module.css";
import type { Webhook } from "@/shared/api/webhooks";
import { NOTICE_EVENTS, useDeleteWebhook, useTestWebhook } from "@/shared/api/webhooks";
import { ConfirmButton } from "@/shared/layout/confirm-button";
import { say, sayError } from "@/shared/states/notice";
import { When } from "@/shared/time/when";

const CHANNELS = {
  webhook: { label: "Webhook", icon: IconWebhook },
  email: { label: "E-mail", icon: IconMail },
  slack: { label: "Slack", icon: IconBrandSlack },
};

/** One receiver: where it is, what it hears of, a test, and what was sent there. */
export function WebhookCard({ webhook }: { webhook: Webhook }) {
  const [opened, { toggle, open }] = useDisclosure();
  const test = useTestWebhook(webhook.webhook_id);
  const remove = useDeleteWebhook(webhook.webhook_id);
  const { label, icon: Icon } = CHANNELS[webhook.channel];
  const send = () =>
    test.mutate(undefined, {
      onError: sayError,
      onSuccess: (delivery) => {
        open();
        if (delivery.error === null) say("The test arrived.");
        else sayError(new Error(`The test did not arrive: ${delivery.error}`));
      },
    });
  return (
    <article className={`panel ${classes.webhook}`} aria-label={webhook.target}>
      <div className={classes.head}>
        <span className={classes.channel}>
          <Icon size={16} stroke={1.7} aria-hidden /> {label}
        </span>
        <span className={classes.target}>{webhook.target}</span>
        <span className={classes.actions}>
          <Button variant="default" loading={test.isPending} onClick={send}>
            Send a test
          </Button>
          <Button variant="default" onClick={toggle} aria-expanded={opened}>
            Deliveries
          </Button>
          <ConfirmButton
            label="Remove"
            question="Nothing more is sent there, also not what was to be tried again."
            loading={remove.isPending}
            onConfirm={() => remove.mutate(undefined, { onError: sayError })}
          />
        </span>
      </div>
      <div className={classes.facts}>
        {webhook.events.length === NOTICE_EVENTS.length ? "Everything" : webhook.events.join(", ")}. Added by {webhook.created_by},{" "}
        <When at={webhook.created_at} />.
      </div>
      <Collapse expanded={opened}>{opened && <Deliveries webhookId={webhook.webhook_id} />}</Collapse>
    </article>
  );
}
