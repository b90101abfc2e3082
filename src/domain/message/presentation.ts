// How every message presents a monitor: whose it is, and how bad its trouble is (R38). The policy decides.

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
