import { Alert, Button, Code, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { dropOffer, takeOffer } from "@/features/sign-in/offered-token";
import classes from "@/features/sign-in/sign-in.module.css";
import { answerOf, api } from "@/shared/api/client";
import { keepToken } from "@/shared/auth/token";
import { Mark } from "@/shared/layout/mark";

/** Asks something small with the token: whoever gets an answer is signed in. */
async function check(token: string): Promise<string> {
  const headers = { Authorization: `Bearer ${token}` };
  await answerOf(api.GET("/api/v1/executions", { params: { query: { limit: 1 } }, headers }));
  return token;
}

export function SignIn({ onSignedIn }: { onSignedIn: () => void }) {
  useDocumentTitle("Sign in · Tercet");
  const offered = takeOffer();
  const [token, setToken] = useState("");
  const signIn = useMutation({
    mutationFn: check,
    onSuccess: (good) => {
      dropOffer();
      onSignedIn();
      keepToken(good);
    },
  });
  return (
    <main className={classes.place}>
      <form
        className={`panel ${classes.card}`}
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate((token || (offered ?? "")).trim());
        }}
      >
        <Stack gap="md">
          <Mark size={40} />
          <div>
            <Title order={1} size="h3">
              Sign in to Tercet
            </Title>
            <Text size="sm" c="dimmed">
              {offered === null ? "With the token of your data folder, or one made for you." : "The link that you followed has a token."}
            </Text>
          </div>
          {offered === null && <TokenField value={token} onChange={setToken} />}
          {signIn.error && (
            <Alert color="red" p="xs" role="alert">
              {signIn.error.message}
            </Alert>
          )}
          <Button type="submit" size="sm" loading={signIn.isPending} disabled={offered === null && token.trim() === ""} autoFocus={offered !== null}>
            Sign in
          </Button>
        </Stack>
      </form>
    </main>
  );
}

function TokenField({ value, onChange }: { value: string; onChange: (token: string) => void }) {
  return (
    <PasswordInput
      label="Token"
      description={
        <>
          <Code>cat .tercet/admin-token</Code> shows the owner’s; it stays in this tab only.
        </>
      }
      inputWrapperOrder={["label", "input", "description"]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      size="sm"
      autoFocus
      autoComplete="off"
      spellCheck={false}
    />
  );
}
