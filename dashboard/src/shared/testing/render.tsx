import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import type { ReactElement } from "react";

import { theme } from "@/shared/theme/theme";

/** Draws an element as the app would: with theme, queries and a router that knows no page but this one. */
export async function draw(element: ReactElement): Promise<void> {
  const root = createRootRoute({ component: () => <div data-testid="drawn">{element}</div>, notFoundComponent: () => null });
  const router = createRouter({ routeTree: root, history: createMemoryHistory() });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={client}>
        <RouterProvider router={router as never} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  await screen.findByTestId("drawn");
}

/** Answers every request of a test; returns what was asked. */
export function answerWith(answer: (request: Request) => { status?: number; body: unknown }): Request[] {
  const asked: Request[] = [];
  window.fetch = (input) => {
    const request = input as Request;
    asked.push(request.clone());
    const { status = 200, body } = answer(request);
    return Promise.resolve(new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } }));
  };
  return asked;
}
