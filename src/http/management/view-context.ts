// What every screen's words depend on, in the headers of each answer of the management socket. No body has it, because
// no answer is about it.

import { toIso } from "../../domain/time.ts";
import type { Engine } from "../../engine/engine.ts";

/** Headers of every good answer: the service's time, the server's zone, whether there is one application alone. */
export const VIEW_CONTEXT = {
  now: "rollcall-now",
  timezone: "rollcall-timezone",
  onlyApplication: "rollcall-only-application",
} as const;

export function withViewContext(answer: Response, engine: Engine): Response {
  if (!answer.ok) return answer;
  const { now, timezone, onlyApplication } = engine.views.viewContext();
  answer.headers.set(VIEW_CONTEXT.now, toIso(now));
  answer.headers.set(VIEW_CONTEXT.timezone, timezone);
  answer.headers.set(VIEW_CONTEXT.onlyApplication, String(onlyApplication));
  return answer;
}
