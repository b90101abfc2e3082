// The administrator's API, for programs elsewhere that have an administrator's key: they ask for operations through the
// public server. While no such key is valid, its paths answer 404. Cookies are not read here.

import { isRefusal, refuse } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import { boundedMap } from "../../domain/maps.ts";
import { COUNTERS } from "../../domain/people/sign-in.ts";
import { judgeRate, type RateExcess, type Window } from "../../domain/rate-limit.ts";
import type { Clock } from "../../engine/api.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Operator } from "../../engine/operations/operate.ts";
import { createKeyFailureLog } from "../api/failed-authentication.ts";
import { NO_SUCH_PATH } from "../api/read-path.ts";
import { createThrottle } from "../api/throttle.ts";
import { adminRateLimits, type Limits } from "../api/versions.ts";
import { bearerIn } from "../bearer.ts";
import { readBody } from "../body.ts";
import { methodResponse, rateResponse, refusalResponse, refusalWith } from "../error-responses.ts";
import { type Handler, type Routes, withSlash } from "../handler.ts";
import { peerSiteNetwork } from "../https.ts";
import { okText } from "../json-responses.ts";
import { adminDocumentText } from "../openapi/admin-document.ts";
import { splitRequestTarget } from "../request-target.ts";
import type { RespondInPieces } from "../respond-in-pieces.ts";
import { createYield } from "../yield.ts";
import { bodyBytesMaxOf, operationResponse } from "./operation-response.ts";
import { ADMIN_DOCUMENT_PATH, ADMIN_PATH, withViewContextHeader } from "./wire.ts";

const METHOD = "POST";

const NO_KEY = refuse("AUTHENTICATION_REQUIRED", "an administrator's key is required, as `Authorization: Bearer KEY`");

export function adminRoutes(engine: Engine, limits: Limits, clock: Clock, log: Log, inPieces: RespondInPieces): Routes {
  const throttle = createThrottle(adminRateLimits(limits), clock, log);
  const noteFailure = createKeyFailureLog(clock, log, {
    failed: "admin_authentication_failed",
    revoked: "revoked_admin_key_used",
  });
  const wrongKey = createWrongKeyLimit(clock);
  const yieldNow = createYield(engine.scheduler);

  const handle: Handler = (request, client) => {
    if (!engine.adminKeys.isOpen()) return refusalResponse(NO_SUCH_PATH);
    if (request.method !== METHOD) return methodResponse(request.method, METHOD);
    const sent = bearerIn(request.headers);
    const address = client();
    const key = engine.adminKeys.authenticate(sent, address);
    if (key === null) {
      const revoked = engine.adminKeys.revoked(sent);
      noteFailure(address, revoked === null ? null : { keyId: revoked });
      const excess = wrongKey(address);
      // The header says Bearer and not Basic, because for Basic a browser would ask a person for a password.
      if (excess === null) return refusalWith(NO_KEY, { "www-authenticate": 'Bearer realm="rollcall"' });
      return rateResponse({ ...excess, sender: "this address" });
    }
    const excess = throttle({ keyId: key.id });
    return excess === null ? respond(engine.as({ kind: "key", key, address }), request) : rateResponse(excess);
  };

  async function respond(operator: Operator, request: Request): Promise<Response> {
    const [pathName = ""] = splitRequestTarget(request.url).path.slice(ADMIN_PATH.length).split("/");
    const bytes = await readBody(request, bodyBytesMaxOf(pathName));
    if (isRefusal(bytes)) return refusalResponse(bytes);
    return withViewContextHeader(await operationResponse(operator, inPieces, yieldNow, pathName, bytes), engine);
  }

  const document: Handler = ({ method }) => {
    if (!engine.adminKeys.isOpen()) return refusalResponse(NO_SUCH_PATH);
    return method === "GET" || method === "HEAD" ? okText(adminDocumentText()) : methodResponse(method, "GET, HEAD");
  };
  return { ...withSlash(`${ADMIN_PATH}:operation`, handle), [ADMIN_DOCUMENT_PATH]: document };
}

const NETWORKS_KEPT = 20_000;

/**
 * Makes a function that counts a wrong key from an address. It returns the limit that the address's network exceeds, or
 * `null` when it exceeds none. A right key is never refused: it cannot be guessed, and a neighbour in the same network
 * must not be able to lock its owner out.
 */
function createWrongKeyLimit(clock: Clock): (address: string) => RateExcess | null {
  const limits = COUNTERS.network.map((limit) => ({ ...limit, setting: "with a wrong key" }));
  const networks = boundedMap<readonly Window[]>(NETWORKS_KEPT);
  return (address) => {
    const network = peerSiteNetwork(address);
    const verdict = judgeRate(limits, networks.get(network), clock.monotonic());
    if (!verdict.accepted) return verdict;
    networks.set(network, verdict.windows);
    return null;
  };
}
