// The settings in force as the page gets them: texts, and none of them a secret.

export interface Setting {
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
  readonly settings: readonly Setting[];
  /** The names of what was read. */
  readonly sources: readonly string[];
}
