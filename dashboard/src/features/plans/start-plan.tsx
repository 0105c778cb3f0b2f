import { Alert, Button, Modal, MultiSelect, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { listAgents } from "@/shared/api/agents";
import { useStartPlan } from "@/shared/api/plan-runs";
import type { PlanDetail } from "@/shared/api/plans";
import { actionsNobodyDoes, activeWorkers } from "@/shared/api/workers";

const ALL = "*";

export function StartPlan({ plan, onOpen }: { plan: PlanDetail; onOpen: (executionId: string) => void }) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button leftSection={<IconPlayerPlay size={14} />} onClick={open}>
        Start
      </Button>
      <Modal opened={opened} onClose={close} title="Start this plan" size="lg">
        <StartForm plan={plan} onOpen={onOpen} />
      </Modal>
    </>
  );
}

/** Who may take the work; what nobody of them can do is told before and after the start. */
function StartForm({ plan, onOpen }: { plan: PlanDetail; onOpen: (executionId: string) => void }) {
  const [chosen, setChosen] = useState<string[]>([ALL]);
  const workers = activeWorkers(useQuery(listAgents()).data ?? []);
  const start = useStartPlan(plan.plan_id);
  const actions = plan.plan.phases.flatMap((phase) => phase.tasks).flatMap((task) => task.subtasks.map((subtask) => subtask.action));
  const missing = actionsNobodyDoes(actions, chosen.includes(ALL) ? workers : workers.filter((worker) => chosen.includes(worker.id)));
  if (start.data) return <Started executionId={start.data.execution_id} missing={start.data.unsupported_actions} />;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate(chosen, { onSuccess: (started) => started.unsupported_actions.length === 0 && onOpen(started.execution_id) });
      }}
    >
      <Stack gap="sm">
        <MultiSelect
          label="Agents"
          description={workers.length === 0 ? "No agent worker is registered and active: people can do their part, the rest waits until one comes." : "Who may take the work."}
          size="xs"
          data={[{ value: ALL, label: "Every agent, also those that come later" }, ...workers.map((worker) => ({ value: worker.id, label: worker.name }))]}
          value={chosen}
          onChange={setChosen}
          searchable
          data-autofocus
        />
        {missing.length > 0 && <Missing actions={missing} />}
        {start.error && (
          <Alert color="red" variant="light" p="xs" role="alert">
            {start.error.message}
          </Alert>
        )}
        <Button type="submit" loading={start.isPending} disabled={chosen.length === 0} style={{ alignSelf: "flex-start" }}>
          Start
        </Button>
      </Stack>
    </form>
  );
}

function Missing({ actions }: { actions: readonly string[] }) {
  return (
    <Alert color="orange" variant="light" p="xs" title="Nobody of these can do">
      <Text size="sm" className="mono prose">
        {actions.join(", ")}
      </Text>
      <Text size="xs">Such subtasks wait until an agent with the capability is there.</Text>
    </Alert>
  );
}

function Started({ executionId, missing }: { executionId: string; missing: readonly string[] }) {
  return (
    <Stack gap="sm">
      <Text size="sm">The plan is at work.</Text>
      {missing.length > 0 && <Missing actions={missing} />}
      <Link to="/executions/$executionId" params={{ executionId }} className="link">
        Follow its execution
      </Link>
    </Stack>
  );
}
