import { describe, expect, it } from "vitest";

import { takeTokenFromAddress } from "@/shared/auth/token";

describe("takeTokenFromAddress", () => {
  it("returns the token and clears it from the address", () => {
    window.history.replaceState(null, "", "/inbox?status=pending#token=tct_a%2Bb");

    const token = takeTokenFromAddress(window.location, window.history);

    expect(token).toBe("tct_a+b");
    expect(window.location.href).toMatch(/\/inbox\?status=pending$/);
  });

  it("leaves an address without a token alone", () => {
    window.history.replaceState(null, "", "/inbox#part");

    expect(takeTokenFromAddress(window.location, window.history)).toBeNull();
    expect(window.location.hash).toBe("#part");
  });
});
