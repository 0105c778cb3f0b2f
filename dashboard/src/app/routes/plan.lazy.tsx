import { createLazyRoute } from "@tanstack/react-router";

import { PlanPage } from "@/features/plans/plan-page";

export const route = createLazyRoute("/plans/$planId")({ component: Plan });

function Plan() {
  const { planId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <PlanPage
      key={planId}
      planId={planId}
      view={search}
      onView={(change) => void navigate({ search: { ...search, ...change }, replace: change.task === undefined })}
      onOpen={(executionId) => void navigate({ to: "/executions/$executionId", params: { executionId } })}
      onDeleted={() => void navigate({ to: "/plans" })}
    />
  );
}
