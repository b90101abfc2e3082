// What several services have and rollcall has not: each said once, in the same words for all of them.

import type { Lost } from "./check.ts";

/** What a check may have; false: this one has it not. */
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

/** `names`: of those that it tells. */
export const lostTold = (names: readonly string[]): MayLose =>
  names.length > 0 && {
    what: "tells",
    detail: names.join(", "),
    instead: "destinations are set in the configuration, for all monitors or for one",
  };

export const LOST_HISTORY: Lost = { what: "the history of reports", instead: "it begins anew with the next report" };

/** Why a monitor by which a service asks a server itself cannot be watched. */
export const ASKS_NO_SERVER = "rollcall waits for reports and asks no server itself; a job may ask, and report";
