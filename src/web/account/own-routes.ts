// A person's own pages: sign-in, one-time links, account, passkeys. What they share in memory begins anew with each server.

import { Elysia } from "elysia";
import { isRefusal } from "../../domain/errors.ts";
import { createFailureLog } from "../../http/api/failed-authentication.ts";
import { fewAtOnce } from "../few-at-once.ts";
import type { PagesParts } from "../pages-parts.ts";
import { accountRoutes } from "./account-routes.tsx";
import { linkRoutes } from "./link-routes.tsx";
import { oidcRoutes } from "./oidc-routes.tsx";
import { passkeyDoorRoutes, passkeyRoutes } from "./passkey-routes.tsx";
import { signInRoutes } from "./sign-in-routes.tsx";
import { createSignInThrottle } from "./sign-in-throttle.ts";
import { createWebAuthn } from "./webauthn.ts";

/** Each needs 19 MiB and a core, and the cores are for reports first. */
const HASHING_AT_ONCE = 1;
const HASHING_WAITS = 20;

export function ownRoutes({ engine, viewerOf, entrance, clock, log, oidc, passkeySite }: PagesParts) {
  const webAuthn = isRefusal(passkeySite)
    ? passkeySite
    : createWebAuthn(passkeySite, clock, engine.people.passkeys.find);
  const parts = {
    people: engine.people,
    bearings: engine.bearings,
    throttle: createSignInThrottle(clock, engine.people.randomToken()),
    hashing: fewAtOnce(HASHING_AT_ONCE, HASHING_WAITS),
    noteFailure: createFailureLog(clock, log, "sign_in_failed"),
    entrance,
    viewerOf,
    oidc,
    webAuthn,
  };
  const routes = new Elysia({ name: "own" })
    .use(signInRoutes(parts))
    .use(linkRoutes(parts))
    .use(accountRoutes(parts))
    .use(passkeyRoutes(parts));
  if (!isRefusal(webAuthn)) routes.use(passkeyDoorRoutes(parts, webAuthn));
  return oidc === null ? routes : routes.use(oidcRoutes(parts, oidc, log));
}
