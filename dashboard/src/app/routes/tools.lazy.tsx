import { createLazyRoute } from "@tanstack/react-router";

import { ToolsPage } from "@/features/tools/tools-page";

export const route = createLazyRoute("/tools")({ component: ToolsPage });
