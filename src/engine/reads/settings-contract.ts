// What is in force for a monitor and why, as an operator is shown it. Types only.

import type { Severity } from "../../domain/message/presentation.ts";
import type { Expectation } from "../../domain/monitor/outcomes.ts";
import type { MaintenanceWindow } from "../../domain/schedule/maintenance.ts";
import type { DeclaredField, InForceOf } from "../../domain/settings/settings.ts";
import type { Instant } from "../../domain/time.ts";

/** Where a value in force comes from: the nearest that has one (R13, R31). */
export type ValueSource = "configuration" | "declared" | "application" | "server" | "key" | "default";

/** A value in force, where it comes from, and what was declared beside it (R31); null: nothing was. */
export interface Setting<Value> {
  readonly value: Value;
  readonly from: ValueSource;
  readonly declared: Value | null;
}

/** The settings that may be declared. */
export type ShownSettings = { readonly [Field in DeclaredField]: Setting<InForceOf<Field>> };

export interface MonitorSettings extends ShownSettings {
  /** R41; configuration alone. */
  readonly alertAfterMisses: number;
  readonly alertAfterFailures: number;
  /** R24; configuration alone. */
  readonly maintenance: readonly MaintenanceWindow[];
  /** R27; configuration alone. In its order. */
  readonly outcomes: readonly (Expectation & { readonly name: string })[];
}

/** A maintenance window (R24), with the time it takes place now or next; null: never again. */
export interface PlannedWindow extends MaintenanceWindow {
  readonly next: { readonly from: Instant; readonly until: Instant } | null;
}

/** How long a run that starts now may take (R21), and what that follows from. */
export interface RunLimit {
  readonly seconds: number;
  readonly from: "max_runtime" | "schedule" | "no_schedule" | "last_run";
}

/** Whom an alert of this monitor would reach, and what it would say of it (R38). */
export interface AlertRouting {
  readonly destinations: readonly string[];
  /** Why it would reach nobody now; null when it would reach somebody (R36). */
  readonly unreachable: string | null;
  /** Those of them whose last attempt failed for every message, and when the first of these failed. */
  readonly failing: readonly { readonly destination: string; readonly answer: string; readonly since: Instant }[];
  readonly severity: Severity;
  readonly owner: string | null;
  readonly environment: string | null;
  readonly links: Readonly<Record<string, string>>;
}
