// Serves `/status/TOKEN`, a status page with its badges for everyone who knows the address. A wrong token gets the same
// response as any path that does not exist.

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { Elysia, NotFoundError } from "elysia";
import { boundedMap } from "../../domain/maps.ts";
import { judgeRate, type RateLimit, type Window } from "../../domain/rate-limit.ts";
import { type StatusPageSettings, statusPath } from "../../domain/settings/status-page-settings.ts";
import { targetMatcherOf } from "../../domain/settings/targets.ts";
import { MINUTE, SECOND } from "../../domain/time.ts";
import type { Clock } from "../../engine/api.ts";
import { refusalResponse } from "../../http/error-responses.ts";
import type { MakePages, RequestOrigin, Socket } from "../../http/handler.ts";
import { peerNetwork } from "../../http/https.ts";
import { doInPieces } from "../../http/yield.ts";
import { assetRoutes } from "../assets/assets.ts";
import type { PagesSettings } from "../pages-parts.ts";
import { methodsOfPaths } from "../path-methods.ts";
import { codedBody } from "../response.ts";
import { type Badge, BadgesPage, badgeJson, badgeSvg } from "./badge.tsx";
import { DAYS_SHOWN, JOBS_SHOWN, type PublicStatus, statusPageView } from "./status.ts";
import { StatusPage } from "./status-page.tsx";

export type StatusParts = Pick<PagesSettings, "engine" | "clock" | "statusPages" | "address">;

const HTML = "text/html; charset=utf-8";
/** For how many milliseconds the same page is served before it is made again. */
const FRESH = 10 * SECOND;
/** For how many seconds caches keep a badge: longer than a page, because sites that show a badge ask for it often. */
const BADGE_SECONDS = 60;
const PAGE_CACHE = { seconds: FRESH / 1_000, isForOtherSites: false };
const BADGE_CACHE = { seconds: BADGE_SECONDS, isForOtherSites: true };

interface Snapshot {
  readonly status: PublicStatus;
  readonly page: MadeBody;
  /** The badges by the hash of the names in their addresses. */
  readonly badges: ReadonlyMap<string, Badge>;
}

export function statusRoutes(parts: StatusParts, { clientOf }: Pick<RequestOrigin, "clientOf">) {
  const visit = createVisits(parts.clock);
  const pages = parts.statusPages.map((settings) => ({
    settings,
    snapshot: createSnapshot(parts, settings, (status) => snapshotOf(settings, status)),
  }));
  const hashes = parts.statusPages.map(({ token }) => hashOf(token));
  const pageOf = (token: string) => {
    const page = pages[placeOf(hashes, token)];
    if (page === undefined) throw new NotFoundError();
    return page;
  };
  /** The response to a visitor who asks too often; `undefined` when the visitor may go on. */
  const turnedAway = (request: Request, socket: Socket): Response | undefined => {
    const wait = visit(clientOf(request, socket));
    return wait === null ? undefined : tooMany(wait);
  };
  const routes = new Elysia({ name: "status" }).use(assetRoutes);
  if (pages.length === 0) return routes;
  return routes
    .onBeforeHandle(({ request, server }) => turnedAway(request, server))
    .get("/status/:token", async ({ request, params: { token } }) =>
      publicResponse(request, (await pageOf(token).snapshot()).page, PAGE_CACHE),
    )
    .get("/status/:token/badges", async ({ request, params: { token } }) => {
      const { settings, snapshot } = pageOf(token);
      const { status } = await snapshot();
      const address = parts.address ?? new URL(request.url).origin;
      const html = `<!doctype html>${<BadgesPage {...badgesOf(settings, status, address)} />}`;
      return publicResponse(request, made(html, HTML), PAGE_CACHE);
    })
    .get("/badge/:file", async ({ request, params: { file } }) => {
      const [, name = "", ending] = /^([\w-]+)\.(svg|json)$/.exec(file) ?? [];
      const hash = hashOf(name).toString("base64");
      const snapshots = ending === undefined ? [] : await Promise.all(pages.map(({ snapshot }) => snapshot()));
      const badge = snapshots.map(({ badges }) => badges.get(hash)).find((found) => found !== undefined);
      if (badge === undefined) throw new NotFoundError();
      const picture =
        ending === "svg"
          ? made(badgeSvg(badge), "image/svg+xml; charset=utf-8")
          : made(badgeJson(badge), "application/json");
      return publicResponse(request, picture, BADGE_CACHE);
    });
}

const badgesPath = (token: string): string => `${statusPath(token)}/badges`;
const badgePath = (token: string, key: string | null): string => `/badge/${badgeName(token, key)}`;

function snapshotOf({ token }: StatusPageSettings, status: PublicStatus): Snapshot {
  const { title, summary, jobs } = status;
  const html = `<!doctype html>${<StatusPage status={status} badgesPath={badgesPath(token)} />}`;
  const hashed = (key: string | null): string => hashOf(badgeName(token, key)).toString("base64");
  const badges = jobs.map(({ key, name, health }): [string, Badge] => [
    hashed(key),
    { label: name, message: health, health },
  ]);
  const ofAll = { label: title, message: summary.short, health: summary.health };
  return { status, page: made(html, HTML), badges: new Map([[hashed(null), ofAll], ...badges]) };
}

function badgesOf({ token }: StatusPageSettings, { title, jobs }: PublicStatus, address: string) {
  const listed = (name: string, key: string | null) => {
    const path = badgePath(token, key);
    return { name, path, address: address + path };
  };
  return {
    title,
    statusPath: statusPath(token),
    badges: [listed(title, null), ...jobs.map(({ name, key }) => listed(name, key))],
  };
}

// Protects status pages and badges. The address of a page has a token. The address of a badge is a hash that is made
// from the token. So a badge in a public place leads neither to the page nor to another badge.

const hashOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();

/**
 * The index in `hashes` of the secret's hash, or -1. The search always takes the same time, so that the time reveals
 * nothing about the secret.
 */
function placeOf(hashes: readonly Buffer[], secret: string): number {
  const wanted = hashOf(secret);
  return hashes.reduce((found, hash, place) => (timingSafeEqual(hash, wanted) ? place : found), -1);
}

const BADGE_LENGTH = 27;

/** The name in the address of a badge. `key` is the job's key, or `null` for the badge of the whole application. */
const badgeName = (token: string, key: string | null): string =>
  createHmac("sha256", token)
    .update(key === null ? "application" : `job ${key}`)
    .digest("base64url")
    .slice(0, BADGE_LENGTH);

// Limits how often one network may ask for public pages. A page full of badges needs far less; guessing tokens, or
// keeping the server busy, would need far more.

const LIMITS: readonly RateLimit[] = [{ setting: "visits from a network in a minute", most: 600, span: MINUTE }];
const KEPT = 20_000;

/** Makes a function that counts a visit and returns `null`, or the seconds to wait when there were too many visits. */
function createVisits(clock: Pick<Clock, "monotonic">): (address: string) => number | null {
  const networks = boundedMap<readonly Window[]>(KEPT);
  return (address) => {
    const network = peerNetwork(address);
    const verdict = judgeRate(LIMITS, networks.get(network), clock.monotonic());
    if (!verdict.accepted) return verdict.retryAfterSeconds;
    networks.set(network, verdict.windows);
    return null;
  };
}

// Keeps the content of a status page for some seconds, so that it is made only once in that time, however many people
// ask for the page. The content is made in pieces, between which other work is done.

/**
 * Makes the function that returns the content of a status page, at most `FRESH` milliseconds old. When the status is
 * read again, `make` turns it into that content. The function rejects with SQLite's errors.
 */
function createSnapshot<Kept>(
  { engine, clock }: Pick<StatusParts, "engine" | "clock">,
  settings: StatusPageSettings,
  make: (status: PublicStatus) => Kept,
): () => Promise<Kept> {
  const asked = {
    application: settings.application,
    isChosen: targetMatcherOf(settings.jobs),
    days: DAYS_SHOWN,
    limit: JOBS_SHOWN,
  };
  let kept: { readonly at: number; readonly made: Promise<Kept> } | null = null;
  return () => {
    const now = clock.monotonic();
    if (kept !== null && now - kept.at < FRESH) return kept.made;
    const mine = {
      at: now,
      made: doInPieces(engine.scheduler, engine.views.lookBack(asked)).then((past) =>
        make(statusPageView(settings, past)),
      ),
    };
    kept = mine;
    mine.made.catch(() => {
      if (kept === mine) kept = null;
    });
    return mine.made;
  };
}

// Makes public responses. Caches keep them for a moment, and then ask by the tag whether they have changed. Such a
// response sets no cookie, runs no script, and is shown in no frame.

/** A body, with its content type and the tag by which caches know it. */
type MadeBody = Readonly<{ text: string; type: string; tag: string }>;

const made = (text: string, type: string): MadeBody => ({ text, type, tag: `W/"${Bun.hash(text).toString(36)}"` });

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow",
  "cross-origin-opener-policy": "same-origin",
};

/**
 * Makes a response for everybody. `seconds` says how long a cache may keep it. `isForOtherSites` says that pages of
 * other sites may show it.
 */
function publicResponse(
  request: Request,
  { text, type, tag }: MadeBody,
  { seconds, isForOtherSites }: { readonly seconds: number; readonly isForOtherSites: boolean },
): Response {
  const common = {
    ...HEADERS,
    "cache-control": `public, max-age=${seconds}`,
    "cross-origin-resource-policy": isForOtherSites ? "cross-origin" : "same-origin",
    ...(isForOtherSites ? { "access-control-allow-origin": "*" } : {}),
    etag: tag,
    vary: "accept-encoding",
  };
  if (isKnown(request.headers.get("if-none-match"), tag)) return new Response(null, { status: 304, headers: common });
  const { body, headers } = codedBody(text, request.headers.get("accept-encoding"));
  return new Response(body, { headers: { ...common, "content-type": type, ...headers } });
}

const isKnown = (tags: string | null, tag: string): boolean =>
  tags !== null && tags.length < 1_000 && tags.split(",").some((one) => one.trim() === tag || one.trim() === "*");

const tooMany = (seconds: number): Response =>
  new Response("too many requests from here; try again later\n", {
    status: 429,
    headers: { ...HEADERS, "content-type": "text/plain; charset=utf-8", "retry-after": String(seconds) },
  });

// Serves the status pages alone. It is used where the pages for people are switched off or have another address.

export const createStatusPages =
  (parts: StatusParts): MakePages =>
  (requestOrigin) => {
    const routes = new Elysia({ name: "status-alone" }).use(statusRoutes(parts, requestOrigin));
    return {
      routes,
      allowed: methodsOfPaths(routes),
      admit: (_request, _socket, answer) => answer(),
      stop: () => {},
      refused: (_request, refusal) => refusalResponse(refusal),
    };
  };
