import { createLazyRoute } from "@tanstack/react-router";

import { HomePage } from "@/features/home/home-page";

export const route = createLazyRoute("/")({ component: HomePage });
