import { createLazyRoute } from "@tanstack/react-router";

import { CostsPage } from "@/features/costs/costs-page";

export const route = createLazyRoute("/costs")({ component: Costs });

function Costs() {
  const { by } = route.useSearch();
  const navigate = route.useNavigate();
  return <CostsPage by={by ?? "day"} onBy={(next) => void navigate({ search: { by: next }, replace: true })} />;
}
