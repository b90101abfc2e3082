// The types of what is imported: checks, destinations and other things of another service, described in rollcall's
// terms. They are the same for every service.

import { isRefusal } from "../domain/errors.ts";
import { LABEL_LENGTH, NOTE_LENGTH } from "../domain/limits.ts";
import { readLabels } from "../domain/settings/declaration.ts";
import { cleanLine } from "../domain/text.ts";

/**
 * When reports are expected; `none` means at no certain time. `refused` means that rollcall has no such schedule, and
 * the sentence `why` says why.
 */
export type Timing =
  | { readonly kind: "schedule"; readonly schedule: string }
  | { readonly kind: "every"; readonly seconds: number }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly why: string };

/**
 * A feature that the other service has and rollcall has not. `what` names it, such as `a badge`; the sentence `instead`
 * says what rollcall has in its place.
 */
export interface Lost {
  readonly what: string;
  /** More about the feature, such as a name; absent when there is no more to say. */
  readonly detail?: string;
  readonly instead: string;
}

export interface ImportedCheck {
  /** The key by which jobs report, which is kept as it is (R6); `null` when the key is made from `stem`. */
  readonly key: string | null;
  /** The text that becomes the monitor's key; empty when the check has no name. */
  readonly stem: string;
  /**
   * Texts that may be added to the key to make it unique, the better ones first. Where the service has ids, the last
   * one is an id.
   */
  readonly surnames: readonly string[];
  readonly name: string | null;
  /** When the service expects a report, as the service writes it: `period 1d`, `0 7 * * 7`. */
  readonly said: string;
  readonly timing: Timing;
  /** The IANA name of the schedule's time zone, spelled as rollcall does; `null` when the service names none. */
  readonly timezone: string | null;
  readonly graceSeconds: number;
  /** How many seconds a run may take after its start; `null` when the service has no such limit. */
  readonly maxRuntimeSeconds: number | null;
  /** The service's tags as labels of rollcall, as they are stored; `null` when there are none. */
  readonly labels: string | null;
  readonly note: string | null;
  readonly mailRule: string | null;
  /** At which miss in a row, and at which failure in a row, the service alerts; `null` when it has no such setting. */
  readonly alertAfterMisses: number | null;
  readonly alertAfterFailures: number | null;
  /** The check's state in the service's own words: `up`, `paused`. */
  readonly state: string;
  readonly isPaused: boolean;
  /** The paths at which jobs report to the service. Each contains a secret. */
  readonly addresses: readonly string[];
  /** The destinations to which the service sends the check's alerts. */
  readonly destinations: readonly ImportedDestination[];
  readonly lost: readonly Lost[];
}

export const UNSAID = {
  key: null,
  timezone: null,
  maxRuntimeSeconds: null,
  labels: null,
  note: null,
  mailRule: null,
  alertAfterMisses: null,
  alertAfterFailures: null,
  addresses: [],
  destinations: [],
  lost: [],
} as const satisfies Partial<ImportedCheck>;

export interface ImportSource {
  readonly service: string;
  readonly checks: readonly ImportedCheck[];
  /** Monitors of the service that rollcall cannot watch, such as `"Website" (http)`, and why. */
  readonly unwatched: readonly Lost[];
  readonly lost: readonly Lost[];
  readonly destinations: readonly ImportedDestination[];
}

/** A destination of the other service. `name` is its name in rollcall. */
export interface ImportedDestination {
  readonly name: string;
  /** The destination's kind and name at the service: `slack "ops room"`. */
  readonly said: string;
  /** The destination's type and other settings in rollcall, with secrets; `null` when it cannot be taken over. */
  readonly settings: Readonly<Record<string, string>> | null;
  /** Whether the service also sends alerts of new checks to this destination. */
  readonly byDefault: boolean;
  /**
   * Why the destination cannot be taken over, and the command by which a person adds it. `why` is `null` when it is
   * taken over; `line` is `null` then too, and when no command can add it.
   */
  readonly why: string | null;
  readonly line: string | null;
  /** The destination's settings at the service that no destination of rollcall has. */
  readonly lost: readonly Lost[];
}

const SECONDS_MIN = 60;

export const atLeastMinute = (seconds: number): number => Math.max(SECONDS_MIN, Math.ceil(seconds));

/** A feature that a check of the service may have and rollcall has not; `false` when the check does not have it. */
export type PossibleLoss = Lost | false;

export const losses = (...those: readonly PossibleLoss[]): readonly Lost[] =>
  those.filter((one): one is Lost => one !== false);

/**
 * Makes labels of tags; `null` when none is left. Signs that no label may have become `-`. The last tags are left out
 * when the labels are too long together.
 */
export function labelsFrom(tags: readonly string[]): string | null {
  const words = tags.map((tag) => tag.toLowerCase().replaceAll(/[^\p{Ll}\p{Lo}\p{N}._:/@+-]+/gu, "-"));
  const labels = words.map((word) => [...word.replace(/^[^\p{Ll}\p{Lo}\p{N}]+/u, "")].slice(0, LABEL_LENGTH).join(""));
  for (let count = labels.length; count > 0; count--) {
    const kept = readLabels(labels.slice(0, count).join(" "), "labels");
    if (!isRefusal(kept)) return kept;
  }
  return null;
}

export const lostGroup = (group: string): PossibleLoss =>
  group !== "" && { what: "group", detail: group, instead: "a monitor is in one application, and no other group" };

/** The description that people wrote at the service, on one line; `null` when there is none. */
export const importedNote = (text: string): string | null => cleanLine(text, NOTE_LENGTH) || null;

export const lostReminders = (has: boolean): PossibleLoss =>
  has && { what: "its own reminders", instead: "reminders come as the configuration says ([alerts])" };

export const LOST_HISTORY: Lost = { what: "the history of reports", instead: "it begins with the next report" };

/** Why rollcall cannot watch a check by which the other service itself asks a server, such as a website. */
export const ASKS_NO_SERVER = "rollcall waits for reports and asks no server itself; a job may ask, and report";
