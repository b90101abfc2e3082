// Reads the report addresses of other services: the one spelling of each, and how it is shown without its secret.

import { KEY_PREFIX } from "./api-key.ts";
import { type Refusal, refuseField } from "./errors.ts";

/**
 * The services and forms of addresses. `healthchecks` names a check by its UUID, `healthchecks-slug` by a project's
 * ping key and a slug, `healthchecks-create` everything that such a key may create, and `kuma` a push monitor of Uptime
 * Kuma.
 */
export const CONVENTIONS = ["healthchecks", "healthchecks-slug", "healthchecks-create", "kuma"] as const;

export type Convention = (typeof CONVENTIONS)[number];

export interface OldAddress {
  readonly convention: Convention;
  /** The address's path in one spelling. Only its hash is stored, because anyone who knows the path can report. */
  readonly path: string;
  /** The address as people may see it, without its secret part. */
  readonly shown: string;
}

/** The beginning of an address in the form of Healthchecks. */
const PING = "/ping/";
export const PUSH = "/api/push/";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PING_KEY = /^[\w-]{16,128}$/;
const isPingKey = (text: string): boolean => PING_KEY.test(text) && !UUID.test(text) && !text.startsWith(KEY_PREFIX);
const SLUG = /^[\w-]{1,100}$/;
/** Uptime Kuma's tokens have 32 letters and digits, earlier ones 10; a person may have chosen another one. */
const TOKEN = /^[\w-]{8,128}$/;

/** What may follow an address of Healthchecks. A number is an exit status. */
const ACTION = /^(?:start|fail|log|\d{1,9})$/;

export interface NamedOldAddress {
  readonly address: OldAddress;
  /** The address of the ping key alone, which may create the check of its slug; `null` when the address has no slug. */
  readonly creating: { readonly address: OldAddress; readonly slug: string } | null;
  /** `start`, `fail`, `log` or an exit status; empty when there is none. */
  readonly action: string;
}

/** What the segments of a path after `/ping` name, still encoded; `null` when it is not an address of Healthchecks. */
export function namedBy(segments: readonly string[]): NamedOldAddress | null {
  const [first = "", second = "", third = ""] = segments;
  const byUuid = segments.length <= 2 ? addressOfUuid(first) : null;
  if (byUuid !== null)
    return second === "" || ACTION.test(second) ? { address: byUuid, creating: null, action: second } : null;
  const bySlug =
    segments.length === 2 || (segments.length === 3 && ACTION.test(third)) ? addressOfSlug(first, second) : null;
  return bySlug && { address: bySlug, creating: { address: addressOfPingKey(first)!, slug: second }, action: third };
}

export const addressOfUuid = (uuid: string): OldAddress | null =>
  UUID.test(uuid) ? addressFrom("healthchecks", PING, uuid.toLowerCase(), "") : null;

export const addressOfSlug = (pingKey: string, slug: string): OldAddress | null =>
  isPingKey(pingKey) && SLUG.test(slug) ? addressFrom("healthchecks-slug", PING, pingKey, `/${slug}`) : null;

export const addressOfPingKey = (pingKey: string): OldAddress | null =>
  isPingKey(pingKey) ? addressFrom("healthchecks-create", PING, pingKey, "/*") : null;

export const addressOfToken = (token: string): OldAddress | null =>
  TOKEN.test(token) ? addressFrom("kuma", PUSH, token, "") : null;

/** For a shorter secret the last letters would reveal too much, so no hint is shown. */
const HINT_FROM = 20;
const HINT_LENGTH = 4;

function addressFrom(convention: Convention, before: string, secret: string, behind: string): OldAddress {
  const hint = secret.length < HINT_FROM ? "" : secret.slice(-HINT_LENGTH);
  return { convention, path: before + secret + behind, shown: `${before}…${hint}${behind}` };
}

const RULE =
  "is no address of Healthchecks or Uptime Kuma: it must be https://HOST/ping/UUID, https://HOST/ping/PING-KEY/SLUG, " +
  "https://HOST/ping/PING-KEY or https://HOST/api/push/TOKEN; host and /ping may be left out, but one of them stands before a PING-KEY alone";

/**
 * Reads an address as a person has it: a URL or its end, with or without what a job appends. The refusal repeats none
 * of it, because it may be secret.
 */
export function readOldAddress(text: string): OldAddress | Refusal {
  const [, host, rest = ""] = /^(https?:\/\/[^/?#]*)?([^?#]*)/i.exec(text.trim())!;
  const segments = rest.split("/").filter((segment) => segment !== "");
  return addressInSegments(segments, host !== undefined) ?? refuseField("address", `what was sent ${RULE}`);
}

function addressInSegments(segments: readonly string[], isWhole: boolean): OldAddress | null {
  if (segments[0] === "api" && segments[1] === "push")
    return segments.length === 3 ? addressOfToken(segments[2]!) : null;
  const isPing = segments[0] === PING.slice(1, -1);
  const named = isPing ? segments.slice(1) : segments;
  // A single word could be anything, so it counts only in a whole URL or after `/ping/`.
  if (named.length === 1 && (isWhole || isPing)) return addressOfUuid(named[0]!) ?? addressOfPingKey(named[0]!);
  return namedBy(named)?.address ?? null;
}
