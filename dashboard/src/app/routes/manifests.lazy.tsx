import { createLazyRoute } from "@tanstack/react-router";

import { ManifestsPage } from "@/features/manifests/manifests-page";

export const route = createLazyRoute("/manifests")({ component: ManifestsPage });
