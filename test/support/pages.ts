// The dashboard's pages on a server for themselves, for a viewer whom the test chooses.

import { after, systemClock } from "../../src/cli/clock.ts";
import { refuse } from "../../src/domain/errors.ts";
import { passkeySite } from "../../src/domain/people/sign-in.ts";
import type { StatusPageSettings } from "../../src/domain/settings/status-page-settings.ts";
import type { Clock, SelfPingHealth } from "../../src/engine/api.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { MakePages } from "../../src/http/handler.ts";
import type { Server } from "../../src/http/server.ts";
import type { Oidc } from "../../src/web/account/oidc.ts";
import { createPages } from "../../src/web/pages.ts";
import type { PagesSettings } from "../../src/web/pages-parts.ts";
import type { SettingsInForce } from "../../src/web/settings/setting.ts";
import type { Viewer } from "../../src/web/viewer.ts";
import { openService } from "./engine.ts";
import { type PublicServerChanges, startPublicServer } from "./public-server.ts";

export const ADA: Viewer = {
  id: 1,
  name: "Ada",
  role: "admin",
  applications: null,
  sessionId: 1,
  address: "127.0.0.1",
};

const NOTHING_SET: SettingsInForce = {
  settings: [],
  sources: [],
  onDisk: () => ({ kind: "read", changes: [] }),
};

export interface PagesChanges extends PublicServerChanges {
  /** A function is called at each request. */
  readonly viewer?: Viewer | null | (() => Viewer | null);
  readonly clock?: Clock;
  readonly inForce?: SettingsInForce;
  readonly troubles?: Engine["troubles"];
  readonly statusPages?: readonly StatusPageSettings[];
  readonly selfPing?: SelfPingHealth;
  readonly takePostedReply?: PagesSettings["takePostedReply"];
  readonly commandLine?: string;
  /** The domain for reports by mail; absent when no mail is taken. */
  readonly mailDomain?: string;
  /** The address for passkeys, and the provider; `null` or absent when there are none. */
  readonly doors?: { readonly url: string; readonly oidc: Oidc } | null;
}

/** Every request counts as one of `viewer`. */
const pagesFor = (
  engine: Engine,
  {
    viewer = ADA,
    clock = systemClock,
    inForce = NOTHING_SET,
    statusPages = [],
    log = () => {},
    troubles = engine.troubles,
    selfPing,
    doors = null,
    mailDomain,
    commandLine = "rollcall",
    takePostedReply = () => refuse("NOT_FOUND", "no service posts here"),
  }: PagesChanges,
): MakePages =>
  createPages({
    engine,
    clock,
    after,
    log,
    version: "1.2.3",
    commandLine,
    takePostedReply,
    troubles,
    selfPing: () => selfPing ?? null,
    inForce,
    statusPages,
    address: null,
    mailDomain: mailDomain ?? null,
    viewersAt: () => () => (typeof viewer === "function" ? viewer() : viewer),
    oidc: doors?.oidc ?? null,
    passkeySite: passkeySite(doors?.url ?? null),
  });

/** The path of the live updates for pages at these addresses. */
export const livePathOf = (...pages: readonly string[]): string =>
  `/live/windows?${pages.map((page) => `of=${encodeURIComponent(page)}`).join("&")}`;

/**
 * Starts the pages beside the paths of jobs. Every request counts as one of `viewer`, who is an administrator unless
 * the test says otherwise.
 */
export const startPages = (engine: Engine, given: PagesChanges = {}): Server => {
  const { viewer, clock = systemClock, inForce, statusPages, ...changes } = given;
  return startPublicServer(engine, { clock, pages: pagesFor(engine, given), ...changes });
};

/** Every route of the pages, for a server with these status pages and ways to sign in. */
export function routesOfPages(
  statusPages: readonly StatusPageSettings[],
  doors: PagesChanges["doors"] = null,
): readonly { readonly method: string; readonly path: string }[] {
  using service = openService();
  const requestOrigin = {
    clientOf: () => "127.0.0.1",
    isSecure: () => false,
    isByProxy: () => false,
    refuseHost: () => null,
  };
  return pagesFor(service.engine, { statusPages, doors })(requestOrigin).routes.routes.map(({ method, path }) => ({
    method,
    path,
  }));
}
