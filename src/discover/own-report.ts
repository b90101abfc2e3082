// Finds out whether a command already reports by itself: to rollcall, or to an address of another service.

import { readOldAddress } from "../domain/old-address.ts";
import { isFlush } from "./wrap.ts";

/** The monitoring services that are known by their host, each with the form of the paths at which it takes reports. */
const HOSTED: readonly (readonly [host: RegExp, path: RegExp])[] = [
  [/^hc-ping\.com$/, /^\/[\w-]{16,}/],
  [/^(?:cronitor\.link|cronitor\.io)$/, /^\/(?:p|ping)?\/?[\w-]+/],
  [/^nosnch\.in$/, /^\/[0-9a-f]{10}/],
  [/^(?:ping\.ohdear\.app|cronhub\.io)$/, /^\/(?:ping\/|start\/|finish\/)?[\w-]{16,}/],
  [/^uptime\.(?:betterstack|betteruptime)\.com$/, /^\/api\/v1\/heartbeat\/\w+/],
  [/^heartbeat\.uptimerobot\.com$/, /^\/[\w-]+/],
  [/^(?:[\w.-]+\.)?sentry\.io$/, /^\/api\/\d+\/cron\/[\w-]+/],
];

/** Matches a word of a command that may be an address. Such a word has no characters that mean something to a shell. */
const WORD = /[^\s'"<>|;&()`]+/g;

/**
 * Says why a job need not be wrapped, as the end of a sentence and without a secret. Returns `null` when the job
 * reports to no service, as far as its command shows.
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
  // People's own Healthchecks or Uptime Kuma may have something in the path before `/ping/` or `/api/push/`.
  const [own] = /\/(?:ping|api\/push)\/.*$/.exec(path) ?? [];
  if (own === undefined || !(isAddress || /\/ping\/[0-9a-f]{8}-/i.test(own))) return null;
  const read = readOldAddress(own);
  return "shown" in read ? `${name}${read.shown}` : null;
}
