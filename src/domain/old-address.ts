// Addresses of other services: the one spelling of each, and how it is shown without its secret.

import { KEY_PREFIX } from "./api-key.ts";
import { type Refusal, refuseField } from "./errors.ts";

/**
 * Which service an address is from, and what it names: `healthchecks` a check by its UUID, `healthchecks-slug` one by a
 * project's ping key and its slug, `healthchecks-create` all that such a key may create, `kuma` a push monitor of
 * Uptime Kuma.
 */
export const CONVENTIONS = ["healthchecks", "healthchecks-slug", "healthchecks-create", "kuma"] as const;

export type Convention = (typeof CONVENTIONS)[number];

export interface OldAddress {
  readonly convention: Convention;
  /** Its path in one spelling, of which only the hash is kept: who knows it can report. */
  readonly path: string;
  /** As people may see it: without what is secret in it. */
  readonly shown: string;
}

/** What stands before an address of the convention of Healthchecks. */
const PING = "/ping/";
export const PUSH = "/api/push/";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PING_KEY = /^[\w-]{16,128}$/;
const isPingKey = (text: string): boolean => PING_KEY.test(text) && !UUID.test(text) && !text.startsWith(KEY_PREFIX);
const SLUG = /^[\w-]{1,100}$/;
/** Uptime Kuma makes 32 letters and digits, and once made 10; a person may have chosen others. */
const TOKEN = /^[\w-]{8,128}$/;

/** What may follow an address of Healthchecks; the number is an exit status. */
const ACTION = /^(?:start|fail|log|\d{1,9})$/;

export interface NamedOldAddress {
  readonly address: OldAddress;
  /** The ping key alone, which may create what its slug names; null: it names no slug. */
  readonly creating: { readonly address: OldAddress; readonly slug: string } | null;
  /** `start`, `fail`, `log` or an exit status; empty: none. */
  readonly action: string;
}

/** What the segments of a path behind `/ping` name, still encoded; null: no address of Healthchecks. */
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

/** Of a shorter secret the last letters would say too much. */
const HINT_FROM = 20;
const HINT_LENGTH = 4;

function addressFrom(convention: Convention, before: string, secret: string, behind: string): OldAddress {
  const hint = secret.length < HINT_FROM ? "" : secret.slice(-HINT_LENGTH);
  return { convention, path: before + secret + behind, shown: `${before}…${hint}${behind}` };
}

const RULE =
  "is no address of Healthchecks or Uptime Kuma: it must be https://HOST/ping/UUID, https://HOST/ping/PING-KEY/SLUG, " +
  "https://HOST/ping/PING-KEY or https://HOST/api/push/TOKEN; host and /ping may be left out, but one of them stands before a PING-KEY alone";

/** As a person has it: a URL or the end of one, with or without what a job adds. The refusal repeats none of it. */
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
  // A word alone may be anything.
  if (named.length === 1 && (isWhole || isPing)) return addressOfUuid(named[0]!) ?? addressOfPingKey(named[0]!);
  return namedBy(named)?.address ?? null;
}
