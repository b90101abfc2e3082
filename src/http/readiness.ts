// Says whether the service is alive and ready, over plain HTTP from anywhere: the response names no job and no person.

import Type from "typebox";
import { jsonHeaders, okResponse, responseOf } from "./json-responses.ts";
import { responseBody } from "./json-shapes.ts";

export const HEALTH_PATHS = { live: "/healthz", ready: "/readyz" };

export const well = responseBody(Type.Object({ status: Type.Literal("ok") }))(() => ({ status: "ok" }));

export const notReady = responseBody(
  Type.Object({
    error: Type.Literal("NOT_READY"),
    message: Type.String({ minLength: 1, description: "All troubles, for people." }),
    troubles: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
  }),
)((troubles: readonly string[]) => ({ error: "NOT_READY", message: troubles.join("; "), troubles: [...troubles] }));

export const liveResponse = (): Response => okResponse(well.of({}));

/** Answers 200 when a ping can be recorded and an alert delivered, else 503 with the reasons. */
export const readyResponse = (troubles: readonly string[]): Response =>
  troubles.length === 0 ? liveResponse() : responseOf(503, notReady.of(troubles), jsonHeaders());
