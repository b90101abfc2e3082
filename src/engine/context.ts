// What every operation of the engine works with: engine.ts makes it once and passes it to each.

import type { Instance } from "../domain/message/instance.ts";
import type { LastRefusalNotice } from "../domain/message/refusal-notice.ts";
import type { Failing } from "../domain/settings/reach.ts";
import type { DeliveryStatements } from "../store/deliveries.ts";
import type { Store } from "../store/store.ts";
import type { ActiveCounts } from "./active-counts.ts";
import type { Gaps } from "./clock/gap-tracker.ts";
import type { RateLimitedMemory } from "./intake/rate-limited-memory.ts";
import type { RejectionCounts } from "./intake/rejection-counts.ts";
import type { EngineSettings } from "./reloads.ts";

/** Settings are replaced while the engine runs: take them from here each time. */
export interface EngineContext extends EngineSettings {
  readonly store: Store;
  readonly deliveries: DeliveryStatements;
  readonly failing: () => Failing;
  /** The user it runs as and takes commands from; null: not known. */
  readonly user: string | null;
  readonly rateLimitedMemory: RateLimitedMemory;
  readonly rejectionCounts: RejectionCounts;
  /** There is at most one in an hour, whatever refused the reports (R33). */
  readonly lastRefusalNotice: LastRefusalNotice;
  /** For the limit of a plan (R34). */
  readonly active: ActiveCounts;
  /** When we could not hear (R26). */
  readonly gaps: Gaps;
}

/** What every message may say about us. */
export const instanceOf = ({ store, policy, home, user }: EngineContext): Instance => ({
  from: home,
  teamName: policy.team.name,
  timezone: policy.timezone,
  onlyApplication: store.applications.count() === 1,
  commandUser: user,
});
