import { createLazyRoute } from "@tanstack/react-router";

import { ManifestPage } from "@/features/manifests/manifest-page";

export const route = createLazyRoute("/manifests/$name")({ component: Manifest });

function Manifest() {
  const { name } = route.useParams();
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ManifestPage
      key={name}
      name={name}
      tab={tab ?? "graph"}
      onTab={(next) => void navigate({ search: { tab: next }, replace: true })}
      onStarted={(id) => void navigate({ to: "/executions/$executionId", params: { executionId: id }, search: {} })}
    />
  );
}
