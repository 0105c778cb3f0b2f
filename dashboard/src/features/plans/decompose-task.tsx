import { Alert, Button, Group, Progress, Select, Stack, Text } from "@mantine/core";
import { IconListTree } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { listAgents } from "@/shared/api/agents";
import type { Decomposition } from "@/shared/api/plan-runs";
import { useDecompose } from "@/shared/api/plan-runs";
import type { PlanTask } from "@/shared/api/plans";
import { activeWorkers } from "@/shared/api/workers";

/** Has an agent split the task into subtasks, and says how sure it is of them. */
export function DecomposeTask({ planId, task }: { planId: string; task: PlanTask }) {
  const workers = activeWorkers(useQuery(listAgents()).data ?? []);
  const [chosen, setChosen] = useState<string | null>(null);
  const decompose = useDecompose(planId);
  const agentId = chosen ?? workers[0]?.id;
  if (agentId === undefined) {
    return (
      <Text size="sm" c="dimmed">
        No agent worker is registered that could split this task.{" "}
        <Link to="/agents" className="link">
          Register one
        </Link>
      </Text>
    );
  }
  const split = () =>
    decompose.mutate({
      agentId,
      task: { task_id: task.task_id, title: task.title || task.task_id, description: task.description, assignee_role: task.assignee_role },
    });
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-end">
        <Select label="Have it split by" size="xs" data={workers.map((worker) => ({ value: worker.id, label: worker.name }))} value={agentId} onChange={setChosen} allowDeselect={false} />
        <Button variant="default" leftSection={<IconListTree size={14} />} loading={decompose.isPending} onClick={split}>
          Decompose
        </Button>
      </Group>
      {decompose.error && (
        <Alert color="red" variant="light" p="xs" role="alert">
          {decompose.error.message}
        </Alert>
      )}
      {decompose.data && <Confidence of={decompose.data} />}
    </Stack>
  );
}

function Confidence({ of }: { of: Decomposition }) {
  const percent = Math.round(100 * of.decomposition_confidence);
  return (
    <Alert color={of.human_review_required ? "orange" : "teal"} variant="light" p="xs" title={`${of.decomposed_subtasks.length} subtasks, ${percent} % sure`}>
      <Progress value={percent} size={5} aria-label="Confidence" mb={6} color={of.human_review_required ? "orange" : "teal"} />
      {of.human_review_required && <Text size="sm">A person checks them before they run.</Text>}
      {of.notes !== "" && (
        <Text size="sm" className="prose">
          {of.notes}
        </Text>
      )}
      {of.warnings.map((warning) => (
        <Text key={warning} size="sm" className="prose">
          {warning}
        </Text>
      ))}
    </Alert>
  );
}
