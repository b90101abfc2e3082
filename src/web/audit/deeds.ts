// What the audit's entries say to people: each deed in a few words, and the kinds by which they are narrowed.

import { durationText } from "../../domain/duration.ts";
import { GROUPS, isOperationName, OPERATIONS } from "../../engine/operations/operations.ts";

const WORDS: Readonly<Record<string, string>> = {
  "sign in": "signed in",
  "sign out": "signed out",
  "use link": "set a password by a link",
  "change password": "changed their password",
  "end session": "ended a session of theirs",
  "end other sessions": "ended their other sessions",
  "add passkey": "added a passkey",
  "remove passkey": "removed a passkey",
  "app create": "created an application",
  "app rename": "renamed an application",
  "app suspend": "suspended an application",
  "app resume": "resumed an application",
  "app delete": "deleted an application",
  "key create": "made a key",
  "key rotate": "rotated a key",
  "key revoke": "revoked a key",
  "address add": "added an old address",
  "address revoke": "revoked an old address",
  "monitor create": "created a job",
  "monitor set": "changed settings of a job",
  "monitor rename": "gave a job another key",
  "monitor pause": "paused a job",
  "monitor resume": "resumed a job",
  "monitor delete": "deleted a job",
  "monitor undelete": "brought a deleted job back",
  import: "imported jobs of another service",
  "incident ack": "acknowledged an incident",
  "incident resolve": "closed an incident",
  "notify test": "tested a destination",
  "notify resend": "sent a message again",
  "user create": "let a person in",
  "user passwd": "set a person's password",
  "user change": "changed what a person may do",
  "user sign-out": "signed a person out",
  "user unbind": "unbound a person from an account of a provider",
  "user delete": "deleted a person",
  "admin-key create": "made an administrator's key",
  "admin-key revoke": "revoked an administrator's key",
};

/** The command's own words where we have none of ours. */
export const deedInWords = (action: string): string => WORDS[action] ?? action;

const KIND_WORDS: Readonly<Record<string, string>> = {
  app: "applications",
  key: "keys",
  address: "old addresses",
  monitor: "jobs",
  incident: "incidents",
  notify: "messages",
  user: "people",
  "admin-key": "administrators' keys",
};

/** By the word that the audit takes; in the order of the commands. */
export const KINDS: readonly (readonly [kind: string, words: string])[] = [
  ...Object.keys(GROUPS)
    .filter((group) => Object.keys(OPERATIONS).some((name) => isOf(group, name)))
    .map((group) => [group, KIND_WORDS[group] ?? group] as const),
  ["account", "sign-ins and accounts"],
];

function isOf(group: string, name: string): boolean {
  return name.startsWith(`${group} `) && isOperationName(name) && OPERATIONS[name].effect === "acts";
}

const DETAIL_LENGTH = 80;

/** What was asked, beside what it was about: `duration 2h`, `Ben, role operator`. */
export const detailsInWords = (details: Readonly<Record<string, unknown>>, application: string | null): string =>
  Object.entries(details)
    .filter(([name, value]) => value !== null && value !== application && !ABOUT.has(name))
    .map(([name, value]) => detailInWords(name, value))
    .map((text) => (text.length > DETAIL_LENGTH ? `${text.slice(0, DETAIL_LENGTH)}…` : text))
    .join(", ");

/** Stands in a place of its own. */
const ABOUT = new Set(["application", "key"]);

function detailInWords(name: string, value: unknown): string {
  // What the deed was done to says enough by itself.
  if (name === "name" || name === "slug") return String(value);
  if (name === "id") return `number ${value}`;
  if (name.endsWith("Seconds") && typeof value === "number")
    return `${spaced(name.slice(0, -7))} ${durationText(value)}`;
  return `${spaced(name)} ${typeof value === "string" ? value : JSON.stringify(value)}`;
}

const spaced = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
