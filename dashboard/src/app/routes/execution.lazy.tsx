import { createLazyRoute } from "@tanstack/react-router";

import { ExecutionPage } from "@/features/executions/one/execution-page";

export const route = createLazyRoute("/executions/$executionId")({ component: Execution });

function Execution() {
  const { executionId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ExecutionPage
      key={executionId}
      executionId={executionId}
      view={search}
      onView={(change) => void navigate({ search: { ...search, ...change }, replace: change.task === undefined })}
      onOpen={(id) => void navigate({ to: "/executions/$executionId", params: { executionId: id }, search: {} })}
    />
  );
}
