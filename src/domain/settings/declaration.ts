// A monitor's settings as a person or a registry declares them, checked by the same grammar and bounds as a report's.
// The values already have their types; the edges deal with how they were spelled outside.

import { isRefusal, type NamedField, type Refusal, refuseField } from "../errors.ts";
import { EVERY_SECONDS_MAX, EVERY_SECONDS_MIN, LABEL_LENGTH, LABELS_LENGTH, SCHEDULE_LENGTH } from "../limits.ts";
import { SEVERITIES } from "../message/presentation.ts";
import { checkSchedule, type Dialect, spellSchedule } from "../schedule/schedule.ts";
import { quote } from "../schedule/schedule-field.ts";
import { spellTimezone } from "../schedule/zone.ts";
import { checkLength, checkLine } from "../text.ts";
import { DAY, parseDuration, SECOND } from "../time.ts";
import { NOTHING_DECLARED } from "./declared.ts";
import { isMailRule, MAIL_RULE_FORM } from "./mail-rule.ts";
import type { Declared, DeclaredField, DeclaredKind, Kinds } from "./settings.ts";
import { DECLARED_FIELDS, DECLARED_SETTINGS } from "./settings.ts";

export type FieldName = (field: DeclaredField) => CalledField;

type CalledField = Exclude<NamedField, string>;

const calledItself = (field: string): CalledField => ({ field, called: field });

export const parameterName: FieldName = (field) => calledItself(DECLARED_SETTINGS[field].parameter ?? field);

export const ownName: FieldName = calledItself;

/** For operations: the field as an API has it, with the option where that has another word and no bounds of its own. */
export const operatorName: FieldName = (field) => ({
  field,
  called: field === "everySeconds" ? "everySeconds (--every)" : field,
});

/** The settings as we keep them; else 400, naming the field (R1). Null leaves a field as it was (R42). */
export function checkDeclared(said: Declared, dialect: Dialect, nameOf: FieldName): Declared | Refusal {
  let kept = NOTHING_DECLARED;
  for (const field of DECLARED_FIELDS) {
    const value = said[field];
    if (value === null) continue;
    const checked = checkSetting(field, value, dialect, nameOf(field));
    if (isRefusal(checked)) return checked;
    kept = { ...kept, [field]: checked };
  }
  return checkOneRhythm(kept, nameOf) ?? kept;
}

/** R44: a schedule and an interval would be two answers to one question. */
export const checkOneRhythm = ({ schedule, everySeconds }: RhythmSaid, nameOf: FieldName): Refusal | null =>
  schedule === null || everySeconds === null
    ? null
    : refuseField(
        both(nameOf("schedule"), nameOf("everySeconds")),
        "both are given, name one of them",
        "INVALID_SCHEDULE",
      );

/** People look at the first of them. */
const both = (first: CalledField, second: CalledField): CalledField => ({
  field: first.field,
  called: `${first.called}, ${second.called}`,
});

type RhythmSaid = Pick<Declared, "schedule" | "everySeconds">;

const EVERY_RULE = `write a duration such as 90s, 15m, 25h or 7d, from ${EVERY_SECONDS_MIN}s to ${(EVERY_SECONDS_MAX * SECOND) / DAY}d`;

/** The seconds of an interval as people write it; else 400. It is a kind of schedule, so its faults are one's (R29). */
export function readEvery(text: string, name: NamedField): number | Refusal {
  const duration = parseDuration(text);
  if (duration === null)
    return refuseField(name, `${quote(text)} is not a duration, ${EVERY_RULE}`, "INVALID_SCHEDULE");
  const refused = checkEvery(duration / SECOND, name, quote(text));
  return refused ?? duration / SECOND;
}

function checkEvery(seconds: number, name: NamedField, written: string): Refusal | null {
  if (Number.isInteger(seconds) && seconds >= EVERY_SECONDS_MIN && seconds <= EVERY_SECONDS_MAX) return null;
  const problem = seconds > EVERY_SECONDS_MAX ? "too long" : "too short";
  return refuseField(name, `${written} is ${problem}, ${EVERY_RULE}`, "INVALID_SCHEDULE");
}

type Rule = Readonly<{ name: NamedField; dialect: Dialect; least: number; most: number; longest: number }>;

const LABEL = new RegExp(`^[\\p{Ll}\\p{Lo}\\p{N}](?:[\\p{Ll}\\p{Lo}\\p{N}._:/@+-]{0,${LABEL_LENGTH - 1}})$`, "u");

const wordsOfLabels = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== "");

/**
 * Labels as they are kept, from words between commas or spaces: each once, in lower case and in their order; else 400.
 * Null: there is none.
 */
export function readLabels(text: string, name: NamedField, longest = LABELS_LENGTH): string | null | Refusal {
  const labels = [...new Set(wordsOfLabels(text))].sort();
  const odd = labels.find((label) => !LABEL.test(label));
  const rule = `write letters, digits and ._:/@+- between commas, at most ${LABEL_LENGTH} in each`;
  if (odd !== undefined) return refuseField(name, `${quote(odd)} is no label, ${rule}`);
  return labels.length === 0 ? null : (checkLength(name, labels.join(" "), longest) ?? labels.join(" "));
}

/** What a person says of labels: all of them, or by `+db` and `-db` what to add and to remove. Empty: none is left. */
export function relabelled(before: string | null, said: string | null): string | null {
  const words = wordsOfLabels(said ?? "");
  if (!words.some((word) => /^[+-]/.test(word))) return said;
  const left = new Set(before?.split(" "));
  for (const word of words) {
    const label = word.replace(/^[+-]/, "");
    if (word.startsWith("-")) left.delete(label);
    else left.add(label);
  }
  return [...left].join(" ");
}

const wholeNumber = (count: number, { name, least, most }: Rule, of = ""): number | Refusal =>
  Number.isInteger(count) && count >= least && count <= most
    ? count
    : refuseField(name, `it must be a whole number${of}, ${least} to ${most}`);

/** For each kind, the value as we keep it, in its one spelling; null: it says nothing; else 400. */
const CHECKS: { readonly [Kind in DeclaredKind]: (value: Kinds[Kind], rule: Rule) => Kinds[Kind] | null | Refusal } = {
  line: (text, { name, longest }) => checkLine(name, text, longest) ?? text,
  schedule: (schedule, { dialect }) => checkScheduleText(schedule, dialect) ?? spellSchedule(schedule),
  timezone: (timezone) => spellTimezone(timezone) ?? noZone(timezone),
  interval: (seconds, { name }) => checkEvery(seconds, name, `${seconds}s`) ?? seconds,
  seconds: (seconds, rule) => wholeNumber(seconds, rule, " of seconds"),
  count: wholeNumber,
  severity: (severity, { name }) =>
    SEVERITIES.includes(severity) ? severity : refuseField(name, `it must be one of ${SEVERITIES.join(", ")}`),
  labels: (labels, { name, longest }) => readLabels(labels, name, longest),
  mailRule: (rule, { name, longest }) => checkLine(name, rule, longest) ?? checkMailRule(name, rule) ?? rule,
};

const checkMailRule = (name: NamedField, rule: string): Refusal | null =>
  isMailRule(rule) ? null : refuseField(name, `${quote(rule)} is no rule for mails, write ${MAIL_RULE_FORM}`);

const UNBOUNDED = { least: 0, most: Number.MAX_SAFE_INTEGER, longest: Number.MAX_SAFE_INTEGER };

function checkSetting(
  field: DeclaredField,
  value: string | number,
  dialect: Dialect,
  name: NamedField,
): string | number | null | Refusal {
  const setting = DECLARED_SETTINGS[field];
  // The table pairs each field with the kind of its value; the types of a union cannot say so.
  const check = CHECKS[setting.kind] as (value: string | number, rule: Rule) => string | number | null | Refusal;
  return check(value, { ...UNBOUNDED, ...setting, name, dialect });
}

/** Null when the schedule is accepted, else 400. */
export const checkScheduleText = (schedule: string, dialect: Dialect): Refusal | null =>
  checkLength("schedule", schedule, SCHEDULE_LENGTH) ?? checkSchedule(schedule, dialect);

/** R13. */
export const noZone = (timezone: string): Refusal =>
  refuseField("timezone", `${quote(timezone)} is no time zone, write an IANA name such as "Europe/Berlin"`);
