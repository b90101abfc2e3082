// The keys of the dashboard: where it listens, and how people sign in besides with a password.

import { isLoopbackHost } from "./addresses.ts";
import { atStart, BOOLEAN, into, optional, preset, secret, table } from "./kinds.ts";
import { HEADER, LABEL, LISTEN, OWN_TOKEN, PASSWORD, SAMPLE_STATUS_TOKEN, WEB_ADDRESS } from "./vocabulary.ts";

const OIDC = into(
  table(
    {},
    {
      issuer: optional(WEB_ADDRESS, "https://login.example.org", "Sign-on by OpenID Connect: the provider's address."),
      client_id: optional(LABEL, "rollcall", "The name under which the provider knows rollcall."),
      client_secret: secret(PASSWORD, "secret", "What it knows rollcall by."),
      name_claim: preset(
        LABEL,
        "preferred_username",
        "The claim that has a person's name here; people must not be able to change it themselves. An email must be verified.",
      ),
      label: preset(LABEL, "single sign-on", "What the page for signing in calls the provider."),
    },
  ),
  ({ issuer, clientId, clientSecret, ...others }, at) => {
    if (at.names([])?.length === 0) return null;
    const rule = "must be given for sign-on by OpenID Connect";
    if (issuer === null) at.miss(["issuer"], rule);
    if (clientId === null) at.miss(["client_id"], rule);
    if (clientSecret === null) at.miss(["client_secret"], `${rule}, as client_secret or client_secret_file`);
    if (!at.whole.isWritten(["server", "public_url"]))
      at.whole.miss(["server", "public_url"], `${rule}, because the provider leads back to it`);
    if (issuer === null || clientId === null || clientSecret === null) return null;
    const { protocol, hostname } = new URL(issuer);
    if (protocol === "http:" && !isLoopbackHost(hostname.replace(/^\[|\]$/g, "")))
      at.complain(["issuer"], "is plain HTTP", "must begin with https://, unless it is on this machine");
    return { issuer, clientId, clientSecret, ...others };
  },
);

/** Null: there is no dashboard. */
export const WEB = into(
  table(
    { meaning: "The dashboard: pages for people." },
    {
      enabled: preset(BOOLEAN, true, "Whether there is one."),
      listen: optional(
        atStart(LISTEN),
        "127.0.0.1:8788",
        "An address and port of its own, with the certificate and proxies of the server. Left out: the server's.",
      ),
      trusted_user_header: optional(
        HEADER,
        "Remote-User",
        "The header in which a trusted proxy says who has signed in there. Left out: nobody comes in that way.",
      ),
      trusted_user_secret: secret(
        OWN_TOKEN,
        SAMPLE_STATUS_TOKEN,
        "What that proxy sends as the header Rollcall-Proxy-Secret to be believed. Left out: its address is enough.",
      ),
      oidc: OIDC,
    },
  ),
  ({ enabled, ...web }, at) => {
    if (web.trustedUserSecret !== null && web.trustedUserHeader === null)
      at.miss(["trusted_user_header"], "must be given beside web.trusted_user_secret");
    return enabled ? web : null;
  },
);
