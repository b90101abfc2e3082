// How every message presents a monitor (R38), and what it may say about the instance that sends it.

export type Severity = "info" | "warning" | "error" | "critical";

export interface Presentation {
  /** Null: people know it by its slug alone. */
  readonly applicationName: string | null;
  readonly teamName: string | null;
  readonly owner: string | null;
  readonly severity: Severity;
  readonly environment: string | null;
  readonly links: Readonly<Record<string, string>>;
}

export interface Instance {
  /** The name that people know: its public address, or the computer's name. */
  readonly from: string;
  readonly teamName: string | null;
  readonly timezone: string;
  readonly onlyApplication: boolean;
  /** The user to type its commands as, on this computer; null: not known. */
  readonly commandUser: string | null;
}
