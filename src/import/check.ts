// One check of another service as rollcall can understand it, and what that service has besides, whichever service it
// is.

/**
 * When reports are expected; `none`: at no time. `why`: rollcall has no such schedule, in a sentence without a full
 * stop.
 */
export type Timing =
  | { readonly kind: "schedule"; readonly schedule: string }
  | { readonly kind: "every"; readonly seconds: number }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly why: string };

/** What a check has that no monitor has: `what` such as `tags`; `instead`: what there is in rollcall, in a sentence. */
export interface Lost {
  readonly what: string;
  /** What it is for this check, such as `prod db`; left out: there is no more to say. */
  readonly detail?: string;
  readonly instead: string;
}

export interface ImportedCheck {
  /** What its key begins as; empty: it has no name. */
  readonly stem: string;
  /** What may be added to make the key unique, the better first; the last is unique at its service. */
  readonly surnames: readonly string[];
  readonly name: string | null;
  /** When the service expects it, in its own words: `period 1d`, `0 7 * * 7`. */
  readonly said: string;
  readonly timing: Timing;
  /** An IANA name in its one spelling; null: the service names none. */
  readonly timezone: string | null;
  readonly graceSeconds: number;
  /** How long a run may take that reported its start; null: the service knows no such limit. */
  readonly maxRuntimeSeconds: number | null;
  /** As the service has it: `up`, `paused`. */
  readonly state: string;
  readonly isPaused: boolean;
  /** Where jobs report there, as paths with their secrets. */
  readonly addresses: readonly string[];
  readonly lost: readonly Lost[];
  /** Lines for the table of this monitor in the configuration. */
  readonly configuration: readonly string[];
}

/** What a service has, before anybody decides what becomes of it. */
export interface ImportSource {
  /** Its name for people. */
  readonly service: string;
  readonly checks: readonly ImportedCheck[];
  /** What cannot be watched at all, as `monitor "Website" (http)`, and why. */
  readonly unwatched: readonly Lost[];
  /** What belongs to no single check. */
  readonly lost: readonly Lost[];
  readonly destinations: readonly ImportedDestination[];
}

/** Where the service tells people. */
export interface ImportedDestination {
  readonly name: string;
  /** As the service calls its kind, such as `slack`. */
  readonly kind: string;
}

/** The shortest grace and run that a monitor may have. */
const SECONDS_MIN = 60;

export const atLeastMinute = (seconds: number): number => Math.max(SECONDS_MIN, Math.ceil(seconds));
