// Reads the addresses to which jobs report at other services. Of each address it gives the one spelling that rollcall
// stores, and a form for people without the secret part.

import { KEY_PREFIX } from "./api-key.ts";
import { type Refusal, refuseField } from "./errors.ts";

/**
 * The services and forms of addresses. `healthchecks` names a check by its UUID; `healthchecks-slug` names a check by a
 * project's ping key and a slug. `healthchecks-create` stands for all checks that such a ping key may create. `kuma`
 * names a push monitor of Uptime Kuma.
 */
export const CONVENTIONS = ["healthchecks", "healthchecks-slug", "healthchecks-create", "kuma"] as const;

export type Convention = (typeof CONVENTIONS)[number];

export interface OldAddress {
  readonly convention: Convention;
  /**
   * The path in the one spelling by which addresses are compared. Only its hash is stored: anyone who knows the path
   * can report.
   */
  readonly path: string;
  /** The address for people to see, without its secret part. */
  readonly shown: string;
}

/** The beginning of a path in the form of Healthchecks. */
const PING = "/ping/";
export const PUSH = "/api/push/";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PING_KEY = /^[\w-]{16,128}$/;
const isPingKey = (text: string): boolean => PING_KEY.test(text) && !UUID.test(text) && !text.startsWith(KEY_PREFIX);
const SLUG = /^[\w-]{1,100}$/;
/** Matches a token of Uptime Kuma: 32 letters and digits, 10 in earlier versions, or what a person has chosen. */
const TOKEN = /^[\w-]{8,128}$/;

/** Matches what a job may append to its address at Healthchecks. A number is the job's exit status. */
const ACTION = /^(?:start|fail|log|\d{1,9})$/;

export interface NamedOldAddress {
  readonly address: OldAddress;
  /** The address for all checks of the ping key, and the slug of the check to create; `null` without a slug. */
  readonly creating: { readonly address: OldAddress; readonly slug: string } | null;
  /** `start`, `fail`, `log` or an exit status, as the job appended it; empty when the job appended nothing. */
  readonly action: string;
}

/**
 * Reads a path in the form of Healthchecks. `segments` is what follows `/ping` in the path, still percent-encoded.
 * `null` when this is no path of Healthchecks.
 */
export function readHealthchecksPath(segments: readonly string[]): NamedOldAddress | null {
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

/** A secret shorter than this is shown without its last letters, because they would reveal too much of it. */
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
 * Reads an address as a person copies it: a whole URL or the end of one, with or without what the job appends (such as
 * `/fail`). The refusal does not repeat the text, because it may be secret.
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
  // A single word could be anything, so it counts only in a URL with a host or after `/ping/`.
  if (named.length === 1 && (isWhole || isPing)) return addressOfUuid(named[0]!) ?? addressOfPingKey(named[0]!);
  return readHealthchecksPath(named)?.address ?? null;
}
