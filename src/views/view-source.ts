// Everything that the views read: the store, the settings, and facts that other parts hold in memory. Settings are
// replaced while rollcall runs, so a view reads them from here each time and keeps no copy.

import type { FoundGap } from "../domain/monitor/gap.ts";
import type { Policy } from "../domain/settings/policy.ts";
import type { Failing } from "../domain/telling/reach.ts";
import type { Instant } from "../domain/time.ts";
import type { NewRefused } from "../store/refused-reports.ts";
import type { Store } from "../store/store.ts";
import type { PLAIN_REFUSAL } from "./schemas/received-schemas.ts";
import type { InEngine } from "./schemas/schema-kinds.ts";

export type MonitorReads = Readonly<{ store: Store; policy: Policy }>;

export interface ViewSource extends MonitorReads {
  /** The destinations that take no messages now: their last attempts all failed. */
  readonly failing: () => Failing;
  /** What the operation of this name did, such as `Paused`; `null` when no operation of this name changes anything. */
  readonly inStory: (action: string) => string | null;
  /** `since` returns the gaps from an instant on (R26). */
  readonly gaps: { since(from: Instant): readonly FoundGap[] };
  /** The refused reports that are counted in memory and not stored yet (R33). */
  readonly refusals: { unwritten(): readonly NewRefused[] };
  /** Reports that came over plain HTTP and were refused since the start, by network (R35). */
  readonly plainRefusals: { all(): readonly InEngine<typeof PLAIN_REFUSAL>[] };
}

/**
 * When keys and addresses of other services were last used. `withLastUse` returns the row with its last use, even one
 * that is not stored yet.
 */
export interface LastUses {
  readonly keyring: {
    withLastUse<Row extends { readonly id: number; readonly lastUsedAt: Instant | null }>(row: Row): Row;
  };
}
