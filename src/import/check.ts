// One check of another service as rollcall can understand it, and what that service has besides, whichever it is.

/** When reports are expected; `none`: at no time. `why`: rollcall has no such schedule, as a sentence. */
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
  readonly configuration: readonly string[];
}

export const UNSAID = {
  timezone: null,
  maxRuntimeSeconds: null,
  addresses: [],
  lost: [],
  configuration: [],
} as const satisfies Partial<ImportedCheck>;

export interface ImportSource {
  readonly service: string;
  readonly checks: readonly ImportedCheck[];
  /** What cannot be watched at all, as `monitor "Website" (http)`, and why. */
  readonly unwatched: readonly Lost[];
  readonly lost: readonly Lost[];
  readonly destinations: readonly ImportedDestination[];
}

export type ImportedDestination = Readonly<{ name: string; kind: string }>;

const SECONDS_MIN = 60;

export const atLeastMinute = (seconds: number): number => Math.max(SECONDS_MIN, Math.ceil(seconds));

/** What a check may have; false: this one lacks it. */
export type MayLose = Lost | false;

export const losses = (...those: readonly MayLose[]): readonly Lost[] =>
  those.filter((one): one is Lost => one !== false);

export const lostTags = (tags: string): MayLose =>
  tags !== "" && { what: "tags", detail: tags, instead: "a monitor has no tags: patterns of keys choose several" };

export const lostGroup = (group: string): MayLose =>
  group !== "" && { what: "group", detail: group, instead: "a monitor is in one application, and no other group" };

/** `what`: as the service calls what a person has written. */
export const lostText = (what: "a description" | "a note", text: string): MayLose =>
  text.trim() !== "" && { what, instead: "links of the configuration can lead to a runbook" };

export const lostReminders = (has: boolean): MayLose =>
  has && { what: "its own reminders", instead: "reminders come as the configuration says ([alerts])" };

export const lostNotified = (names: readonly string[]): MayLose =>
  names.length > 0 && {
    what: "tells",
    detail: names.join(", "),
    instead: "destinations are set in the configuration, for all monitors or for one",
  };

export const LOST_HISTORY: Lost = { what: "the history of reports", instead: "it begins with the next report" };

/** Why a monitor by which a service asks a server itself cannot be watched. */
export const ASKS_NO_SERVER = "rollcall waits for reports and asks no server itself; a job may ask, and report";
