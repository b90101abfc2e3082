// By what a changed destination is known again (R36): every setting counts, and nothing can be read from it.

import { expect, test } from "bun:test";
import type { Config } from "../../src/config/all-keys.ts";
import { destinationFingerprints } from "../../src/config/read-policy.ts";

const SMTP = {
  host: "mail.example.org",
  port: 465,
  security: "tls",
  login: { username: "rollcall", password: "wrong" },
  from: { name: null, address: "cron@example.org" },
};

const configOf = (hookUrl: string, smtp: unknown): Config =>
  ({
    smtp,
    destinations: new Map<string, unknown>([
      ["email", { type: "email", to: null }],
      ["chat", { type: "slack", url: hookUrl }],
    ]),
  }) as unknown as Config;

const HOOK = "https://hooks.example.org/T0SECRET";

test("R36: a changed address or SMTP password changes the fingerprint of what is sent through it alone", () => {
  const before = destinationFingerprints(configOf(HOOK, SMTP));
  expect(destinationFingerprints(configOf(HOOK, { ...SMTP }))).toEqual(before);
  const mended = destinationFingerprints(
    configOf(HOOK, { ...SMTP, login: { username: "rollcall", password: "right" } }),
  );
  expect([mended.get("email") === before.get("email"), mended.get("chat")]).toEqual([false, before.get("chat")]);
  const moved = destinationFingerprints(configOf(`${HOOK}2`, SMTP));
  expect([moved.get("email"), moved.get("chat") === before.get("chat")]).toEqual([before.get("email"), false]);
});

test("R40: a fingerprint is too short to try secrets against", () => {
  for (const fingerprint of destinationFingerprints(configOf(HOOK, SMTP)).values())
    expect(fingerprint).toMatch(/^[0-9a-f]{5}$/);
});
