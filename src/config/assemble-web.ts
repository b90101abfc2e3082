// Makes the dashboard's settings; knows which of them need each other.

import type { OidcSettings } from "../domain/people/oidc-settings.ts";
import { isLoopbackHost, parseListen } from "./addresses.ts";
import type { WebSettings } from "./config.ts";
import { type ConfigDraft, complain, complainMissing } from "./draft.ts";
import { nodeAt } from "./tree.ts";

/** Null: there is no dashboard. */
export function assembleWeb(draft: ConfigDraft): WebSettings | null {
  const { enabled, listen, trusted_user_header: trustedUserHeader = null } = draft.values.web;
  const { trusted_user_secret: trustedUserSecret = null } = draft.values.web;
  if (trustedUserSecret !== null && trustedUserHeader === null)
    complainMissing(draft, ["web", "trusted_user_header"], "must be given beside web.trusted_user_secret");
  const oidc = assembleOidc(draft);
  if (!enabled) return null;
  return { listen: listen === undefined ? null : parseListen(listen), trustedUserHeader, trustedUserSecret, oidc };
}

/** Whether anything of [web.oidc] was written; a credential alone is not enough. */
function wantsOidc(draft: ConfigDraft): boolean {
  const node = nodeAt(draft.tree, ["web", "oidc"]);
  return node !== undefined && (node.kind !== "table" || node.entries.size > 0);
}

/** Null without [web.oidc], and after a fault. */
function assembleOidc(draft: ConfigDraft): OidcSettings | null {
  if (!wantsOidc(draft)) return null;
  const {
    issuer,
    client_id: clientId,
    client_secret: clientSecret,
    name_claim: nameClaim,
    label,
  } = draft.values.web.oidc;
  const publicUrl = draft.values.server.public_url;
  const rule = "must be given for sign-on by OpenID Connect";
  if (issuer === undefined) complainMissing(draft, ["web", "oidc", "issuer"], rule);
  if (clientId === undefined) complainMissing(draft, ["web", "oidc", "client_id"], rule);
  if (clientSecret === undefined)
    complainMissing(draft, ["web", "oidc", "client_secret"], `${rule}, as client_secret or client_secret_file`);
  if (publicUrl === undefined)
    complainMissing(draft, ["server", "public_url"], `${rule}, because the provider leads back to it`);
  if (issuer === undefined || clientId === undefined || clientSecret === undefined || publicUrl === undefined)
    return null;
  const { protocol, hostname } = new URL(issuer);
  if (protocol === "http:" && !isLoopbackHost(hostname.replace(/^\[|\]$/g, "")))
    complain(
      draft,
      ["web", "oidc", "issuer"],
      "is plain HTTP",
      "must begin with https://, unless it is on this machine",
    );
  return { issuer, clientId, clientSecret, nameClaim, label, publicUrl: publicUrl.replace(/\/+$/, "") };
}
