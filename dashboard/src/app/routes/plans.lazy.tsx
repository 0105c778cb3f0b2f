import { createLazyRoute } from "@tanstack/react-router";

import { PlansPage } from "@/features/plans/plans-page";

export const route = createLazyRoute("/plans")({ component: Plans });

function Plans() {
  const navigate = route.useNavigate();
  return <PlansPage onImported={(plan) => void navigate({ to: "/plans/$planId", params: { planId: plan.plan_id }, search: {} })} />;
}
