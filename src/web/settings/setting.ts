// Defines the settings as the page `/settings` gets them: as texts, without secrets. The page compares the settings in
// force with those that a start would read now.

import type { ChangedKey } from "../../engine/engine-settings.ts";

export interface DisplayedSetting {
  /** The dotted key, for example `server.listen`. */
  readonly key: string;
  /** The value as people write it; `null` when it is absent or a secret. */
  readonly value: string | null;
  /** Whether the value is a secret that is set. */
  readonly secret: boolean;
  /** Where the value comes from: a file with its line, a variable or a credential; `null` for the default. */
  readonly from: string | null;
  readonly meaning: string;
}

export interface SettingsInForce {
  readonly settings: readonly DisplayedSetting[];
  /** The names of the files and other sources from which the settings in force were read. */
  readonly sources: readonly string[];
  readonly onDisk: () => OnDisk;
}

/**
 * The result of reading the settings again: which keys differ from those in force (none, if nothing was changed), or
 * the faults that would prevent a start.
 */
export type OnDisk =
  | { readonly kind: "read"; readonly changes: readonly ChangedKey[] }
  | { readonly kind: "faulty"; readonly faults: readonly string[] };
