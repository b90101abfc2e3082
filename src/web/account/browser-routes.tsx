// Handles the forms about browsers that notify a person: to add one, to remove one, and to send a test to all of them.

import { ECDH } from "node:crypto";
import { Elysia } from "elysia";
import { type Refusal, refuse } from "../../domain/errors.ts";
import type { Subscription } from "../../engine/people/browsers.ts";
import { PAGE_HEADERS, redirect } from "../response.ts";
import { type Asking, signedIn, withForm } from "../signed-in.ts";
import { ACCOUNT_PATH, accountPage } from "./account-page.tsx";
import { BROWSER_PATHS } from "./browsers-part.tsx";
import { accountRefusalSentence, browserAgentOf } from "./form-parts.tsx";
import type { PeoplePagesParts } from "./sign-in-routes.tsx";

const ENDPOINT_MAX = 2_000;
const NOT_A_SUBSCRIPTION = refuse(
  "INVALID_REQUEST",
  `subscription: it must have an https address with a host's name, of ${ENDPOINT_MAX} characters at most, and two keys`,
);

export const browserRoutes = (parts: PeoplePagesParts) => {
  const { browsers } = parts.engine;
  const done = (asking: Asking, refused: Refusal | null, after = "#browsers"): Response =>
    refused === null
      ? redirect(`${ACCOUNT_PATH}${after}`)
      : accountPage(asking, parts, { browser: accountRefusalSentence(refused) }, 400);
  return new Elysia({ name: "browsers" })
    .use(signedIn(parts))
    .post(BROWSER_PATHS.ask, async () => {
      const { generateVAPIDKeys } = await import("web-push");
      const { publicKey } = JSON.parse(browsers.keys(() => JSON.stringify(generateVAPIDKeys())));
      return Response.json({ publicKey }, { headers: { ...PAGE_HEADERS, "content-type": "application/json" } });
    })
    .post(BROWSER_PATHS.add, ({ asking }) =>
      withForm(asking, (form) => {
        const { viewer, request } = asking;
        const read = readSubscription(form.get("answer") ?? "", viewer.address);
        return done(
          asking,
          read === null ? NOT_A_SUBSCRIPTION : browsers.add(viewer, read, browserAgentOf(request), viewer.address),
        );
      }),
    )
    .post(BROWSER_PATHS.remove, ({ asking }) =>
      withForm(asking, (form) =>
        done(asking, browsers.remove(asking.viewer, Number(form.get("browser")), asking.viewer.address)),
      ),
    )
    .post(BROWSER_PATHS.test, ({ asking }) => done(asking, browsers.test(asking.viewer), "?tested#browsers"));
};

/**
 * Matches the address of a push service. The host must have a name. If bare addresses were allowed, anyone who signs in
 * could make rollcall send requests into the networks around it.
 */
const OUTSIDE = /^https:\/\/(?:[\w-]+\.)+[a-z][\w-]*(?::\d+)?\/[!-~]*$/i;
/** Matches the address of a push service on this machine, which only a person at this machine may use. */
const HERE = /^https?:\/\/127\.0\.0\.1(?::\d+)?\/[!-~]*$/;

/**
 * Reads the subscription that a browser gave (Push API). Returns `null` when it is malformed or leads to no push
 * service.
 */
function readSubscription(text: string, from: string): Subscription | null {
  try {
    const { endpoint, keys } = JSON.parse(text);
    const { p256dh, auth } = keys;
    const isPlace = OUTSIDE.test(endpoint) || (from === "127.0.0.1" && HERE.test(endpoint));
    const isSmall = typeof endpoint === "string" && endpoint.length <= ENDPOINT_MAX;
    // The conversion throws when the key is not a point of the curve.
    const point = ECDH.convertKey(p256dh, "prime256v1", "base64url", "base64url");
    if (isPlace && isSmall && /^[\w-]{22}$/.test(auth)) return { endpoint, keys: { p256dh: String(point), auth } };
  } catch {
    // The text is not a subscription that a browser gives.
  }
  return null;
}
