// Says whether a command already reports by itself: to rollcall, or to a service whose addresses have this host and
// form.

import { readOldAddress } from "../domain/old-address.ts";
import { isFlush } from "./wrap.ts";

/** The services that are known by their host, each with the form of its paths. */
const HOSTED: readonly (readonly [host: RegExp, path: RegExp])[] = [
  [/^hc-ping\.com$/, /^\/[\w-]{16,}/],
  [/^(?:cronitor\.link|cronitor\.io)$/, /^\/(?:p|ping)?\/?[\w-]+/],
  [/^nosnch\.in$/, /^\/[0-9a-f]{10}/],
  [/^(?:ping\.ohdear\.app|cronhub\.io)$/, /^\/(?:ping\/|start\/|finish\/)?[\w-]{16,}/],
  [/^uptime\.(?:betterstack|betteruptime)\.com$/, /^\/api\/v1\/heartbeat\/\w+/],
  [/^heartbeat\.uptimerobot\.com$/, /^\/[\w-]+/],
  [/^(?:[\w.-]+\.)?sentry\.io$/, /^\/api\/\d+\/cron\/[\w-]+/],
];

/** Matches a word of a command that may be an address; it has no characters that are signs for a shell. */
const WORD = /[^\s'"<>|;&()`]+/g;

/**
 * Why the job stays as it is, as the end of a sentence without a secret; `null` when it reports to no service, as far
 * as the command shows.
 */
export function whyItReports(command: string): string | null {
  if (isFlush(command)) return "it is rollcall's own: it sends the reports that wait";
  const seen = [...command.matchAll(WORD)].map(([word]) => addressInWord(word)).find((one) => one !== null);
  return seen === undefined
    ? null
    : `it reports by itself already, to ${seen}; rollcall import takes over the addresses of other services`;
}

function addressInWord(word: string): string | null {
  const [, scheme, host = "", path = ""] = /^(https?:\/\/)?([^/?#]+)(\/[^?#]*)?/i.exec(word) ?? [];
  const name = host.replace(/^.*@/, "").replace(/:\d+$/, "");
  if (HOSTED.some(([known, shape]) => known.test(name.toLowerCase()) && shape.test(path))) return `${name}/…`;
  const isAddress = scheme !== undefined || host.startsWith("$");
  if (isAddress && /\/api\/v1\/ping\/[^/]+/.test(path)) return `${name}/api/v1/ping/…`;
  if (isAddress && /\/ping\/ck_\w+/.test(path)) return `${name}/ping/…`;
  // An address of Healthchecks or Uptime Kuma on another host may have a path before its own.
  const [own] = /\/(?:ping|api\/push)\/.*$/.exec(path) ?? [];
  if (own === undefined || !(isAddress || /\/ping\/[0-9a-f]{8}-/i.test(own))) return null;
  const read = readOldAddress(own);
  return "shown" in read ? `${name}${read.shown}` : null;
}
