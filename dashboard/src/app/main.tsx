import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "@/shared/theme/tokens.css";

import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { App } from "@/app/app";
import { createAppRouter } from "@/app/router";
import { keepOffer } from "@/features/sign-in/offered-token";
import { createQueryClient } from "@/shared/api/query-client";
import { takeTokenFromAddress } from "@/shared/auth/token";
import { styleNonce } from "@/shared/theme/nonce";

const offered = takeTokenFromAddress(window.location, window.history);
if (offered !== null) keepOffer(offered);
setNonce(styleNonce());

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no #root");
createRoot(root).render(
  <StrictMode>
    <App router={createAppRouter()} client={createQueryClient()} />
  </StrictMode>,
);
