import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "@/shared/theme/tokens.css";

import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { App } from "@/app/app";
import { createAppRouter } from "@/app/router";
import { keepOffer } from "@/features/sign-in/offered-token";
import { newestExecutions } from "@/shared/api/executions";
import { createQueryClient } from "@/shared/api/query-client";
import { currentToken, takeTokenFromAddress } from "@/shared/auth/token";
import { styleNonce } from "@/shared/theme/nonce";

const offered = takeTokenFromAddress(window.location, window.history);
if (offered !== null) keepOffer(offered);
setNonce(styleNonce());

const client = createQueryClient();
if (currentToken() !== null && window.location.pathname === "/") {
  // The first page's data are asked for while its code is still on the way; the page tells of a failure.
  void client.query(newestExecutions({})).catch(() => undefined);
}
const root = document.getElementById("root");
if (root === null) throw new Error("the page has no #root");
createRoot(root).render(
  <StrictMode>
    <App router={createAppRouter()} client={client} />
  </StrictMode>,
);
