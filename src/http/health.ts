// Whether the service is alive and ready, for load balancers and probes. They speak plain HTTP from anywhere, so what
// they are told names nobody; it must not decide what a trouble is.

import { jsonAnswer, jsonHeaders, okAnswer } from "./answers.ts";

/** The paths served here; HEAD is taken as well as GET. */
export const HEALTH_PATHS = { live: "/healthz", ready: "/readyz" };

const HEADERS = jsonHeaders();

/** 200 while the process serves. */
export const answerLive = (): Response => okAnswer({ status: "ok" });

/** 200 when a ping can be recorded and an alert delivered; 503 with the reasons otherwise. */
export function answerReady(troubles: readonly string[]): Response {
  if (troubles.length === 0) return okAnswer({ status: "ok" });
  return jsonAnswer(503, { error: "NOT_READY", message: troubles.join("; "), troubles }, HEADERS);
}
