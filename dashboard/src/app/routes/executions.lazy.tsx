import { createLazyRoute } from "@tanstack/react-router";

import { ExecutionsPage } from "@/features/executions/list/executions-page";

export const route = createLazyRoute("/executions")({ component: Executions });

function Executions() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <ExecutionsPage filter={search} onFilter={(change) => void navigate({ search: { ...search, ...change }, replace: true })} />;
}
