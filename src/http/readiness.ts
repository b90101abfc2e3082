// Makes the responses of `/healthz` (whether the service is alive) and `/readyz` (whether it is ready). They are also
// sent over plain HTTP and to anyone.

import Type from "typebox";
import { jsonHeaders, okResponse, responseOf } from "./json-responses.ts";
import { responseBodyShape } from "./json-shapes.ts";

export const HEALTH_PATHS = { live: "/healthz", ready: "/readyz" };

export const well = responseBodyShape(Type.Object({ status: Type.Literal("ok") }))(() => ({ status: "ok" }));

export const notReady = responseBodyShape(
  Type.Object({
    error: Type.Literal("NOT_READY"),
    message: Type.String({ minLength: 1, description: "All troubles, for people." }),
    troubles: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
  }),
)((troubles: readonly string[]) => ({ error: "NOT_READY", message: troubles.join("; "), troubles: [...troubles] }));

export const liveResponse = (): Response => okResponse(well.of({}));

/**
 * Answers 200 when there are no troubles: pings can be recorded and alerts delivered. Otherwise it answers 503 and
 * names the troubles.
 */
export const readyResponse = (troubles: readonly string[]): Response =>
  troubles.length === 0 ? liveResponse() : responseOf(503, notReady.of(troubles), jsonHeaders());
