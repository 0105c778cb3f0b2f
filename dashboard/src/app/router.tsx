import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";

import { NotFoundPage, RouteCrash, RoutePending } from "@/app/route-states";
import {
  readChatSearch,
  readCostsSearch,
  readExecutionSearch,
  readExecutionsSearch,
  readInboxSearch,
  readManifestSearch,
  readPlanSearch,
} from "@/app/search";
import { Shell } from "@/app/shell";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage });
const under = <P extends string>(path: P) => ({ getParentRoute: () => root, path }) as const;

const home = createRoute(under("/")).lazy(() => import("@/app/routes/home.lazy").then((m) => m.route));
const executions = createRoute({ ...under("/executions"), validateSearch: readExecutionsSearch }).lazy(() =>
  import("@/app/routes/executions.lazy").then((m) => m.route),
);
const execution = createRoute({
  ...under("/executions/$executionId"),
  validateSearch: readExecutionSearch,
}).lazy(() => import("@/app/routes/execution.lazy").then((m) => m.route));
const inbox = createRoute({ ...under("/inbox"), validateSearch: readInboxSearch }).lazy(() =>
  import("@/app/routes/inbox.lazy").then((m) => m.route),
);
const manifests = createRoute(under("/manifests")).lazy(() =>
  import("@/app/routes/manifests.lazy").then((m) => m.route),
);
const newManifest = createRoute(under("/manifests/new")).lazy(() =>
  import("@/app/routes/new-manifest.lazy").then((m) => m.route),
);
const manifest = createRoute({ ...under("/manifests/$name"), validateSearch: readManifestSearch }).lazy(() =>
  import("@/app/routes/manifest.lazy").then((m) => m.route),
);
const costs = createRoute({ ...under("/costs"), validateSearch: readCostsSearch }).lazy(() =>
  import("@/app/routes/costs.lazy").then((m) => m.route),
);

const agents = createRoute(under("/agents")).lazy(() => import("@/app/routes/agents.lazy").then((m) => m.route));
const agent = createRoute(under("/agents/$agentId")).lazy(() => import("@/app/routes/agent.lazy").then((m) => m.route));
const chat = createRoute({ ...under("/chat"), validateSearch: readChatSearch }).lazy(() =>
  import("@/app/routes/chat.lazy").then((m) => m.route),
);
const tools = createRoute(under("/tools")).lazy(() => import("@/app/routes/tools.lazy").then((m) => m.route));

const settings = createRoute(under("/settings")).lazy(() => import("@/app/routes/settings.lazy").then((m) => m.route));

const plans = createRoute(under("/plans")).lazy(() => import("@/app/routes/plans.lazy").then((m) => m.route));
const plan = createRoute({ ...under("/plans/$planId"), validateSearch: readPlanSearch }).lazy(() =>
  import("@/app/routes/plan.lazy").then((m) => m.route),
);

const routeTree = root.addChildren([
  home, executions, execution, inbox, manifests, newManifest, manifest, plans, plan, agents, agent, chat, tools, costs,
  settings,
]);

export function createAppRouter() {
  return createRouter({
    routeTree,
    defaultPreload: "intent",
    defaultPendingComponent: RoutePending,
    defaultErrorComponent: RouteCrash,
    scrollRestoration: true,
  });
}

export type AppRouter = ReturnType<typeof createAppRouter>;

declare module "@tanstack/react-router" {
  interface Register {
    router: AppRouter;
  }
}
