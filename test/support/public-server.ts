// The public server with all of the product's paths, put together as `rollcall serve` does, on a free port of this
// machine.

import { systemClock } from "../../src/cli/clock.ts";
import type { Clock } from "../../src/engine/api.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { Limits } from "../../src/http/api/versions.ts";
import { publicPaths } from "../../src/http/public-routes.ts";
import { createServer, type Server, type ServerParts } from "../../src/http/server.ts";

/** Limits that no test reaches which is about something else. */
export const NO_LIMITS: Limits = {
  v1PerMinute: 0,
  v1PerHour: 0,
  aliasPerMinute: 0,
  syncPerMinute: 0,
  adminPerMinute: 0,
};

export interface PublicServerChanges extends Partial<Omit<ServerParts, "routes" | "troubles">> {
  readonly limits?: Limits;
  readonly clock?: Clock;
}

/** Has no rate limits, and trusts proxies of this machine, unless the test says otherwise. */
export function startPublicServer(engine: Engine, changes: PublicServerChanges = {}): Server {
  const { limits = NO_LIMITS, clock = systemClock, log = () => {}, ...parts } = changes;
  return createServer({
    ...publicPaths(engine, limits, clock, log),
    pages: null,
    troubles: engine.troubles,
    metrics: null,
    adminKeys: engine.adminKeys,
    listen: { host: "127.0.0.1", port: 0 },
    tls: null,
    trust: { plainHttp: "loopback", trustedProxies: ["127.0.0.0/8", "::1/128"] },
    ownHosts: [],
    log,
    notePlain: () => {},
    ...parts,
  });
}
