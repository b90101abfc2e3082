// The type of a check of another service in rollcall's terms, and of what that service has besides, whichever service
// it is.

import { isRefusal } from "../domain/errors.ts";
import { LABEL_LENGTH, NOTE_LENGTH } from "../domain/limits.ts";
import { readLabels } from "../domain/settings/declaration.ts";
import { cleanLine } from "../domain/text.ts";

/**
 * When reports are expected; `none` says at no time. `why` is a sentence that says why rollcall has no such schedule.
 */
export type Timing =
  | { readonly kind: "schedule"; readonly schedule: string }
  | { readonly kind: "every"; readonly seconds: number }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly why: string };

/**
 * A feature that a check has and no monitor has: `what`, such as `a badge`, and `instead`, a sentence about what there
 * is here.
 */
export interface Lost {
  readonly what: string;
  /** The feature's value for this check, such as a name; absent when there is no more to say. */
  readonly detail?: string;
  readonly instead: string;
}

export interface ImportedCheck {
  /** The beginning of the monitor's key; empty when the check has no name. */
  readonly stem: string;
  /** Texts that may be added to make the key unique, the better ones first; the last is unique at its service. */
  readonly surnames: readonly string[];
  readonly name: string | null;
  /** When the service expects a report, in its words: `period 1d`, `0 7 * * 7`. */
  readonly said: string;
  readonly timing: Timing;
  /** An IANA name in its one spelling; `null` when the service names none. */
  readonly timezone: string | null;
  readonly graceSeconds: number;
  /** How long a run may take that reported its start; `null` when the service knows no such limit. */
  readonly maxRuntimeSeconds: number | null;
  /** The service's tags, in the form of labels; `null` when there are none. */
  readonly labels: string | null;
  readonly note: string | null;
  readonly mailRule: string | null;
  /** At which miss and which failure in a row the service tells; `null` when it knows no such number. */
  readonly alertAfterMisses: number | null;
  readonly alertAfterFailures: number | null;
  /** The state in the service's words: `up`, `paused`. */
  readonly state: string;
  readonly isPaused: boolean;
  /** The addresses at which jobs report to the service, as paths with their secrets. */
  readonly addresses: readonly string[];
  /** The destinations that the service tells about the check. */
  readonly tells: readonly ImportedDestination[];
  readonly lost: readonly Lost[];
}

export const UNSAID = {
  timezone: null,
  maxRuntimeSeconds: null,
  labels: null,
  note: null,
  mailRule: null,
  alertAfterMisses: null,
  alertAfterFailures: null,
  addresses: [],
  tells: [],
  lost: [],
} as const satisfies Partial<ImportedCheck>;

export interface ImportSource {
  readonly service: string;
  readonly checks: readonly ImportedCheck[];
  /** Monitors that cannot be watched at all, such as `monitor "Website" (http)`, and why. */
  readonly unwatched: readonly Lost[];
  readonly lost: readonly Lost[];
  readonly destinations: readonly ImportedDestination[];
}

/** A destination of the other service; `name` is its name here. */
export interface ImportedDestination {
  readonly name: string;
  /** Its kind and name at the service: `slack "ops room"`. */
  readonly said: string;
  /** The type and the other settings, with secrets; `null` when the destination cannot be taken over. */
  readonly settings: Readonly<Record<string, string>> | null;
  /** Whether the service also tells this destination about a new monitor. */
  readonly byDefault: boolean;
  /** Why it cannot be taken over, and the command that adds it by hand; `null` when it can, or no command does. */
  readonly why: string | null;
  readonly line: string | null;
  /** The settings that it has at the service and no destination has here. */
  readonly lost: readonly Lost[];
}

const SECONDS_MIN = 60;

export const atLeastMinute = (seconds: number): number => Math.max(SECONDS_MIN, Math.ceil(seconds));

/** A feature that a check may have; `false` when this check lacks it. */
export type MayLose = Lost | false;

export const losses = (...those: readonly MayLose[]): readonly Lost[] =>
  those.filter((one): one is Lost => one !== false);

/**
 * Makes labels of tags: characters that no label may have become a hyphen, and labels beyond the limit are left out.
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

export const lostGroup = (group: string): MayLose =>
  group !== "" && { what: "group", detail: group, instead: "a monitor is in one application, and no other group" };

/** The note that people wrote at the service, on one line. */
export const noteFrom = (text: string): string | null => cleanLine(text, NOTE_LENGTH) || null;

export const lostReminders = (has: boolean): MayLose =>
  has && { what: "its own reminders", instead: "reminders come as the configuration says ([alerts])" };

export const LOST_HISTORY: Lost = { what: "the history of reports", instead: "it begins with the next report" };

/** Why a monitor whose service itself asks a server cannot be watched. */
export const ASKS_NO_SERVER = "rollcall waits for reports and asks no server itself; a job may ask, and report";
