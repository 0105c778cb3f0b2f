import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import type { QueryClient } from "@tanstack/react-query";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";

import type { AppRouter } from "@/app/router";
import { SignIn } from "@/features/sign-in/sign-in";
import { useToken } from "@/shared/auth/token";
import { styleNonce } from "@/shared/theme/nonce";
import { theme } from "@/shared/theme/theme";

export function App({ router, client }: { router: AppRouter; client: QueryClient }) {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <QueryClientProvider client={client}>
        <Notifications position="bottom-right" limit={4} />
        <Gate router={router} client={client} />
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** Without a token there is nothing but the sign-in; the address stays, so one lands where one wanted to go. */
function Gate({ router, client }: { router: AppRouter; client: QueryClient }) {
  const token = useToken();
  if (token === null) return <SignIn onSignedIn={() => client.clear()} />;
  return <RouterProvider router={router} />;
}
