// Every public path and what answers it: telemetry, bulk sync and sync status of each version, and the document that
// describes them. A new room of paths is one more line here; none may know of another.

import type { Log } from "../domain/log.ts";
import type { Clock } from "../engine/api.ts";
import type { Engine } from "../engine/parts.ts";
import { createFailureLog } from "./api/failed-authentication.ts";
import { syncRoutes } from "./api/sync.ts";
import { telemetryRoutes } from "./api/telemetry.ts";
import { createThrottle } from "./api/throttle.ts";
import { type Limits, syncRateLimits, VERSIONS } from "./api/versions.ts";
import type { Routes } from "./handler.ts";
import { documentRoutes } from "./openapi/openapi.ts";
import { createStretches } from "./stretches.ts";

export interface RouteParts {
  readonly engine: Engine;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Log;
}

/** The paths with what they remember: rate limits and failed authentication, from now on. To be made once a server. */
export function publicRoutes({ engine, limits, clock, log }: RouteParts): Routes {
  const noteFailure = createFailureLog(clock, log);
  const inStretches = createStretches(log);
  const syncLimits = syncRateLimits(limits);
  const throttles = { sync: createThrottle(syncLimits, clock, log), status: createThrottle(syncLimits, clock, log) };
  const ofVersions = VERSIONS.map((version) => {
    const throttle = createThrottle(version.rateLimits(limits), clock, log);
    return {
      ...telemetryRoutes({ version, engine, throttle, noteFailure }),
      ...syncRoutes({ version, engine, throttles, noteFailure, inStretches }),
    };
  });
  return Object.assign({}, ...ofVersions, documentRoutes);
}
