// What every operation of the engine works with: engine.ts makes it once and passes it to each.

import type { Instance } from "../domain/message/instance.ts";
import type { DeliveryStatements } from "../store/deliveries.ts";
import type { ViewSource } from "../views/context.ts";
import type { ActiveCounts } from "./active-counts.ts";
import type { Gaps } from "./hearing/gap-tracker.ts";
import type { EngineSettings } from "./reloads.ts";

/** Settings are replaced while the engine runs: take them from here each time. */
export interface EngineContext extends EngineSettings, ViewSource {
  readonly deliveries: DeliveryStatements;
  /** The user it runs as and takes commands from; null: not known. */
  readonly user: string | null;
  /** For the limit of a plan (R34). */
  readonly active: ActiveCounts;
  readonly gaps: Gaps;
}

export const instanceOf = ({ store, policy, home, user }: EngineContext): Instance => ({
  from: home,
  teamName: policy.team.name,
  timezone: policy.timezone,
  onlyApplication: store.applications.count() === 1,
  commandUser: user,
});
