// What every screen's words depend on, in the headers of each answer of the management socket. No body has it, because
// no answer is about it.

import { toIso } from "../../domain/time.ts";
import type { Engine } from "../../engine/parts.ts";

/** Headers of every good answer: the service's time, the server's zone, whether there is one application alone. */
export const BEARINGS = {
  now: "rollcall-now",
  timezone: "rollcall-timezone",
  onlyApplication: "rollcall-only-application",
} as const;

export function withBearings(answer: Response, engine: Engine): Response {
  if (!answer.ok) return answer;
  const { now, timezone, onlyApplication } = engine.bearings();
  answer.headers.set(BEARINGS.now, toIso(now));
  answer.headers.set(BEARINGS.timezone, timezone);
  answer.headers.set(BEARINGS.onlyApplication, String(onlyApplication));
  return answer;
}
