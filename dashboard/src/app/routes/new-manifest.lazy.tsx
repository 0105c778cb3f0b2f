import { createLazyRoute } from "@tanstack/react-router";

import { NewManifestPage } from "@/features/manifests/new-manifest-page";

export const route = createLazyRoute("/manifests/new")({ component: NewManifest });

function NewManifest() {
  const navigate = route.useNavigate();
  return <NewManifestPage onDeployed={(name) => void navigate({ to: "/manifests/$name", params: { name }, search: {} })} />;
}
