// `/status/TOKEN`, a status page for everybody who knows its address, with its badges. A wrong token is a path like any
// other that does not exist.

import { Elysia, NotFoundError } from "elysia";
import type { StatusPageSettings } from "../../domain/people/status-page-settings.ts";
import type { Clock } from "../../engine/api.ts";
import type { Engine } from "../../engine/parts.ts";
import type { Entrance, Socket } from "../../http/pages.ts";
import { assetRoutes } from "../assets/assets.ts";
import { type Badge, badgeJson, badgeSvg } from "./badge.tsx";
import { BadgesPage } from "./badges-page.tsx";
import { type Made, made, publicAnswer, tooMany } from "./public-answer.ts";
import { badgeName, hashOf, placeOf } from "./secrets.ts";
import { createSnapshot, FRESH } from "./snapshots.ts";
import type { Status } from "./status.ts";
import { StatusPage } from "./status-page.tsx";
import { createVisits } from "./visits.ts";

export interface StatusParts {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly statusPages: readonly StatusPageSettings[];
  /** Where everybody reaches this rollcall, without a slash at its end; null: where the page was asked for. */
  readonly address: string | null;
}

const HTML = "text/html; charset=utf-8";
/** Longer than pages: who shows a badge asks for it often. */
const BADGE_SECONDS = 60;
const PAGE_CACHE = { seconds: FRESH / 1_000, isForOtherSites: false };
const BADGE_CACHE = { seconds: BADGE_SECONDS, isForOtherSites: true };

/** A page with its badges, as it was a moment ago. */
interface Snapshot {
  readonly status: Status;
  readonly page: Made;
  /** By the hash of a badge's name. */
  readonly badges: ReadonlyMap<string, Badge>;
}

export function statusRoutes(parts: StatusParts, { clientOf }: Pick<Entrance, "clientOf">) {
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
  /** Undefined: the visitor may go on. */
  const turnedAway = (request: Request, socket: Socket): Response | undefined => {
    const wait = visit(clientOf(request, socket));
    return wait === null ? undefined : tooMany(wait);
  };
  const routes = new Elysia({ name: "status" }).use(assetRoutes);
  if (pages.length === 0) return routes;
  return routes
    .onBeforeHandle(({ request, server }) => turnedAway(request, server))
    .get("/status/:token", async ({ request, params: { token } }) =>
      publicAnswer(request, (await pageOf(token).snapshot()).page, PAGE_CACHE),
    )
    .get("/status/:token/badges", async ({ request, params: { token } }) => {
      const { settings, snapshot } = pageOf(token);
      const { status } = await snapshot();
      const address = parts.address ?? new URL(request.url).origin;
      const html = `<!doctype html>${<BadgesPage {...badgesOf(settings, status, address)} />}`;
      return publicAnswer(request, made(html, HTML), PAGE_CACHE);
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
      return publicAnswer(request, picture, BADGE_CACHE);
    });
}

const statusPath = (token: string): string => `/status/${token}`;
const badgesPath = (token: string): string => `${statusPath(token)}/badges`;
const badgePath = (token: string, key: string | null): string => `/badge/${badgeName(token, key)}`;

function snapshotOf({ token }: StatusPageSettings, status: Status): Snapshot {
  const { title, summary, jobs } = status;
  const html = `<!doctype html>${<StatusPage status={status} badgesPath={badgesPath(token)} />}`;
  const hashed = (key: string | null): string => hashOf(badgeName(token, key)).toString("base64");
  const badges = jobs.map(({ key, name, standing }): [string, Badge] => [
    hashed(key),
    { label: name, message: standing, standing },
  ]);
  const ofAll = { label: title, message: summary.short, standing: summary.standing };
  return { status, page: made(html, HTML), badges: new Map([[hashed(null), ofAll], ...badges]) };
}

function badgesOf({ token }: StatusPageSettings, { title, jobs }: Status, address: string) {
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
