// What the views read from. Settings are replaced while rollcall runs, so they must be taken from here each time.

import type { FoundGap } from "../domain/monitor/gap.ts";
import type { Policy } from "../domain/settings/policy.ts";
import type { Failing } from "../domain/settings/reach.ts";
import type { Instant } from "../domain/time.ts";
import type { NewRefused } from "../store/refused-reports.ts";
import type { Store } from "../store/store.ts";
import type { PLAIN_REFUSAL } from "./schemas/received-schemas.ts";
import type { InEngine } from "./schemas/schema-kinds.ts";

/** What is stored, and the settings under which it is read. */
export type MonitorReads = Readonly<{ store: Store; policy: Policy }>;

export interface ViewSource extends MonitorReads {
  /** The destinations that take nothing now. */
  readonly failing: () => Failing;
  /** What an operation did, in the past tense (`Paused`); `null` when it is not one that acts. */
  readonly inStory: (action: string) => string | null;
  /** The times from this instant on in which rollcall could not hear (R26). */
  readonly gaps: { since(from: Instant): readonly FoundGap[] };
  /** Refused reports that are counted and not written yet (R33). */
  readonly refusals: { unwritten(): readonly NewRefused[] };
  /** Reports that came over plain HTTP and were refused since the start, by network (R35). */
  readonly plainRefusals: { all(): readonly InEngine<typeof PLAIN_REFUSAL>[] };
}

/** When a key or an address was last used, even if that is not written yet. */
export interface LastUses {
  readonly keyring: {
    withLastUse<Row extends { readonly id: number; readonly lastUsedAt: Instant | null }>(row: Row): Row;
  };
}
