// Gathers all public paths and their handlers: reports, bulk sync, administrators' programs and the OpenAPI documents.
// A new group of paths is one more line here; no group may know another.

import type { Log } from "../domain/log.ts";
import type { Clock } from "../engine/api.ts";
import type { Engine } from "../engine/engine.ts";
import { createKeyFailureLog } from "./api/failed-authentication.ts";
import { createOldAddresses } from "./api/old-address-routes.ts";
import { syncRoutes } from "./api/sync-routes.ts";
import { telemetryRoutes } from "./api/telemetry-routes.ts";
import { createThrottle } from "./api/throttle.ts";
import { type Limits, syncRateLimits, VERSIONS } from "./api/versions.ts";
import type { PublicPaths, RespondUnknown } from "./handler.ts";
import { adminRoutes } from "./management/admin-routes.ts";
import { documentRoutes } from "./openapi/openapi.ts";
import { createRespondInPieces } from "./respond-in-pieces.ts";
import { createYield } from "./yield.ts";

/**
 * Makes the handlers of all public paths. They count requests for the rate limits and note failed authentication, so a
 * server must never have two sets: each would count only a part of the requests. A reload that changes the server's
 * settings makes new ones, which begin at zero.
 */
export function publicPaths(engine: Engine, limits: Limits, clock: Clock, log: Log): PublicPaths {
  const noteFailure = createKeyFailureLog(clock, log);
  const inPieces = createRespondInPieces(log, createYield(engine.scheduler));
  const syncLimits = syncRateLimits(limits);
  const throttles = { sync: createThrottle(syncLimits, clock, log), status: createThrottle(syncLimits, clock, log) };
  let unknown: RespondUnknown | null = null;
  const ofVersions = VERSIONS.map((version) => {
    const rateLimits = version.rateLimits(limits);
    const throttle = createThrottle(rateLimits, clock, log, engine.intake.rhythmsOf);
    const late = createThrottle(version.lateRateLimits(limits), clock, log);
    const oldAddresses = version.hasOldAddresses ? createOldAddresses(engine, clock, throttle, noteFailure) : null;
    unknown ??= oldAddresses?.bare ?? null;
    return {
      ...oldAddresses?.routes,
      ...telemetryRoutes({ version, engine, throttle, late, noteFailure, oldAddresses }),
      ...syncRoutes({ version, engine, noteFailure }, throttles, rateLimits, inPieces),
    };
  });
  const ofAdministrators = adminRoutes(engine, limits, clock, log, inPieces);
  return { routes: Object.assign({}, ...ofVersions, documentRoutes, ofAdministrators), unknown };
}
