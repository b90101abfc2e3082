// What the words of any screen depend on, in the head of each answer of the management socket: every screen needs it, and
// none is about it, so it stands in no body.

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
