// Defines the settings as the page gets them, in force and as a start would read them: as texts, without secrets.

import type { ChangedKey } from "../../engine/engine-settings.ts";

export interface DisplayedSetting {
  /** The dotted key, for example `server.listen`. */
  readonly key: string;
  /** The value as people write it; `null` when it is absent or a secret. */
  readonly value: string | null;
  /** `true` when the value is set and not shown. */
  readonly secret: boolean;
  /** The source of the value: a file with its line, a variable or a credential; `null` for the default. */
  readonly from: string | null;
  readonly meaning: string;
}

export interface SettingsInForce {
  readonly settings: readonly DisplayedSetting[];
  /** The names of the sources that were read. */
  readonly sources: readonly string[];
  readonly onDisk: () => OnDisk;
}

/**
 * The result of reading the settings again, when it differs from those in force: the changes, or the faults that would
 * prevent a start.
 */
export type OnDisk =
  | { readonly kind: "read"; readonly changes: readonly ChangedKey[] }
  | { readonly kind: "faulty"; readonly faults: readonly string[] };
