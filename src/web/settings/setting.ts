// The settings as the page gets them, in force and as a start would read them: texts, and none of them a secret.

import type { ChangedKey } from "../../engine/engine-settings.ts";

export interface DisplayedSetting {
  /** Dotted, `server.listen`. */
  readonly key: string;
  /** As people write it; null: it is left out, or a secret. */
  readonly value: string | null;
  /** It is set, and not shown. */
  readonly secret: boolean;
  /** A file with its line, a variable or a credential; null: it is the default. */
  readonly from: string | null;
  readonly meaning: string;
}

export interface SettingsInForce {
  readonly settings: readonly DisplayedSetting[];
  /** The names of what was read. */
  readonly sources: readonly string[];
  readonly onDisk: () => OnDisk;
}

/** What a start would read now: something else than what is in force, or nothing that it could start with. */
export type OnDisk =
  | { readonly kind: "read"; readonly changes: readonly ChangedKey[] }
  | { readonly kind: "faulty"; readonly faults: readonly string[] };
