// What an application's operator allows of its jobs' output, and wants hidden (R46).

import type { OutputRules } from "../../domain/output/kept-output.ts";
import { hiderOf } from "../../domain/output/patterns.ts";
import type { Policy } from "../../domain/settings/policy.ts";

/** For one report. Null, as nearly always: messages are kept as they come, and no output. */
export function outputRulesOf({ applications }: Policy, application: string): OutputRules | null {
  const { keepOutput: keep = false, mask = [] } = applications.get(application) ?? {};
  return keep || mask.length > 0 ? { keep, hide: hiderOf(mask) } : null;
}
