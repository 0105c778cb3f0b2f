import { createLazyRoute } from "@tanstack/react-router";

import { SettingsPage } from "@/features/settings/settings-page";

export const route = createLazyRoute("/settings")({ component: SettingsPage });
