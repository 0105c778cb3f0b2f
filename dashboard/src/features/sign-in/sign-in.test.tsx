import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { dropOffer, keepOffer } from "@/features/sign-in/offered-token";
import { SignIn } from "@/features/sign-in/sign-in";
import { currentToken, forgetToken } from "@/shared/auth/token";
import { answerWith, draw } from "@/shared/testing/render";

beforeEach(() => {
  forgetToken();
  dropOffer();
});

describe("SignIn", () => {
  it("keeps a token that the server takes", async () => {
    const asked = answerWith(() => ({ body: { items: [], next_cursor: null } }));
    const onSignedIn = vi.fn();
    await draw(<SignIn onSignedIn={onSignedIn} />);
    await userEvent.type(screen.getByLabelText("Token"), " tct_good ");
    await userEvent.click(screen.getByRole("button", { name: "Sign in" }));

    await waitFor(() => expect(currentToken()).toBe("tct_good"));
    expect(onSignedIn).toHaveBeenCalledOnce();
    expect(asked[0]?.headers.get("Authorization")).toBe("Bearer tct_good");
  });

  it("says why a token is refused and keeps nothing", async () => {
    answerWith(() => ({ status: 401, body: { success: false, error: "the token is not known", code: "NOT_AUTHENTICATED" } }));
    await draw(<SignIn onSignedIn={() => undefined} />);
    await userEvent.type(screen.getByLabelText("Token"), "tct_bad");
    await userEvent.click(screen.getByRole("button", { name: "Sign in" }));

    expect((await screen.findByRole("alert")).textContent).toBe("the token is not known");
    expect(currentToken()).toBeNull();
  });

  it("uses the token of a link only after a click", async () => {
    keepOffer("tct_link");
    const asked = answerWith(() => ({ body: { items: [], next_cursor: null } }));
    await draw(<SignIn onSignedIn={() => undefined} />);
    expect(asked).toHaveLength(0);

    await userEvent.click(screen.getByRole("button", { name: "Sign in" }));

    await waitFor(() => expect(currentToken()).toBe("tct_link"));
  });
});
