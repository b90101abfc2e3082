// One check of another service as rollcall can understand it, and what that service has besides, whichever it is.

import { isRefusal } from "../domain/errors.ts";
import { LABEL_LENGTH, NOTE_LENGTH } from "../domain/limits.ts";
import { readLabels } from "../domain/settings/declaration.ts";
import { cleanLine } from "../domain/text.ts";

/** When reports are expected; `none`: at no time. `why`: rollcall has no such schedule, as a sentence. */
export type Timing =
  | { readonly kind: "schedule"; readonly schedule: string }
  | { readonly kind: "every"; readonly seconds: number }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly why: string };

/** What a check has that no monitor has: `what` such as `a badge`; `instead`: what there is here, in a sentence. */
export interface Lost {
  readonly what: string;
  /** What it is for this check, such as its name; left out: there is no more to say. */
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
  /** What it calls tags, as labels are kept; null: it has none. */
  readonly labels: string | null;
  readonly note: string | null;
  readonly mailRule: string | null;
  /** At which miss and which failure in a row it tells; null: it knows no such number. */
  readonly alertAfterMisses: number | null;
  readonly alertAfterFailures: number | null;
  /** As the service has it: `up`, `paused`. */
  readonly state: string;
  readonly isPaused: boolean;
  /** Where jobs report there, as paths with their secrets. */
  readonly addresses: readonly string[];
  /** What is told of it there. */
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
  /** What cannot be watched at all, as `monitor "Website" (http)`, and why. */
  readonly unwatched: readonly Lost[];
  readonly lost: readonly Lost[];
  readonly destinations: readonly ImportedDestination[];
}

/** A place where the other service sends; `name` is what it is called here. */
export interface ImportedDestination {
  readonly name: string;
  /** Its kind and name there: `slack "ops room"`. */
  readonly said: string;
  /** Its type and the rest, with secrets; null: it cannot be taken. */
  readonly settings: Readonly<Record<string, string>> | null;
  /** Whether it is told of a monitor that is new there. */
  readonly byDefault: boolean;
  /** Why it cannot be taken, and the command that adds it by hand; null: it can, or no command does. */
  readonly why: string | null;
  readonly line: string | null;
  /** What it has there, and no destination has here. */
  readonly lost: readonly Lost[];
}

const SECONDS_MIN = 60;

export const atLeastMinute = (seconds: number): number => Math.max(SECONDS_MIN, Math.ceil(seconds));

/** What a check may have; false: this one lacks it. */
export type MayLose = Lost | false;

export const losses = (...those: readonly MayLose[]): readonly Lost[] =>
  those.filter((one): one is Lost => one !== false);

/** Tags as labels: what no label may have becomes a hyphen, and those for which there is no room are left out. */
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

/** What people wrote of it there, on one line. */
export const noteFrom = (text: string): string | null => cleanLine(text, NOTE_LENGTH) || null;

export const lostReminders = (has: boolean): MayLose =>
  has && { what: "its own reminders", instead: "reminders come as the configuration says ([alerts])" };

export const LOST_HISTORY: Lost = { what: "the history of reports", instead: "it begins with the next report" };

/** Why a monitor by which a service asks a server itself cannot be watched. */
export const ASKS_NO_SERVER = "rollcall waits for reports and asks no server itself; a job may ask, and report";
