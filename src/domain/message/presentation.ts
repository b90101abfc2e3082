// How a monitor is presented in everything that is told of it: whose it is, and how bad its trouble is (R38). The policy says.

export type Severity = "info" | "warning" | "error" | "critical";

export interface Presentation {
  /** Null: it is known by its slug alone. */
  readonly applicationName: string | null;
  readonly teamName: string | null;
  readonly owner: string | null;
  readonly severity: Severity;
  readonly environment: string | null;
  readonly links: Readonly<Record<string, string>>;
}
