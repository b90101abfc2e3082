// Checks settings that a person or a registry declares for a monitor, by the same rules as those that a report
// declares. The callers have read the values, so that each has its type.

import { isRefusal, type NamedField, type Refusal, refuseField } from "../errors.ts";
import { EVERY_SECONDS_MAX, EVERY_SECONDS_MIN, LABEL_LENGTH, LABELS_LENGTH } from "../limits.ts";
import { isMailRule, MAIL_RULE_FORM } from "../mail/mail-rule.ts";
import { SEVERITIES } from "../message/presentation.ts";
import { checkScheduleText, type Dialect, spellSchedule } from "../schedule/schedule.ts";
import { refuseTimezone, spellTimezone } from "../schedule/zone.ts";
import { checkLength, checkLine, quote } from "../text.ts";
import { DAY, parseDuration, SECOND } from "../time.ts";
import { NOTHING_DECLARED } from "./declared.ts";
import {
  DECLARED_FIELDS,
  DECLARED_SETTINGS,
  type Declared,
  type DeclaredField,
  type DeclaredKind,
  type Kinds,
} from "./settings.ts";

export type FieldName = (field: DeclaredField) => CalledField;

type CalledField = Exclude<NamedField, string>;

const calledItself = (field: string): CalledField => ({ field, called: field });

export const parameterName: FieldName = (field) => calledItself(DECLARED_SETTINGS[field].parameter ?? field);

export const ownName: FieldName = calledItself;

/** How errors of an operation call a field: by its name in the API, with the command's option where that differs. */
export const operatorName: FieldName = (field) => ({
  field,
  called: field === "everySeconds" ? "everySeconds (--every)" : field,
});

/**
 * Returns the settings in their stored spelling, or a refusal (400) that names the field (R1). A field that is `null`
 * declares nothing and stays `null` (R42).
 */
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

/** Refuses a schedule and an interval together, because a monitor has only one of them (R44). */
export const checkOneRhythm = ({ schedule, everySeconds }: RhythmSaid, nameOf: FieldName): Refusal | null =>
  schedule === null || everySeconds === null
    ? null
    : refuseField(
        both(nameOf("schedule"), nameOf("everySeconds")),
        "both are given, name one of them",
        "INVALID_SCHEDULE",
      );

const both = (first: CalledField, second: CalledField): CalledField => ({
  field: first.field,
  called: `${first.called}, ${second.called}`,
});

type RhythmSaid = Pick<Declared, "schedule" | "everySeconds">;

const EVERY_RULE = `write a duration such as 90s, 15m, 25h or 7d, from ${EVERY_SECONDS_MIN}s to ${(EVERY_SECONDS_MAX * SECOND) / DAY}d`;

/** Reads an interval such as `15m`. Returns its seconds, or a refusal (400) with the code of a wrong schedule (R29). */
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
 * Reads labels between commas or spaces. Returns each label once, in lower case, sorted, with a space between two;
 * `null` when there is none; or a refusal (400) that names a wrong one.
 */
export function readLabels(text: string, name: NamedField, longest = LABELS_LENGTH): string | null | Refusal {
  const labels = [...new Set(wordsOfLabels(text))].sort();
  const odd = labels.find((label) => !LABEL.test(label));
  const rule = `write letters, digits and ._:/@+- between commas, at most ${LABEL_LENGTH} in each`;
  if (odd !== undefined) return refuseField(name, `${quote(odd)} is no label, ${rule}`);
  return labels.length === 0 ? null : (checkLength(name, labels.join(" "), longest) ?? labels.join(" "));
}

/**
 * The labels after a person's change. The change, `said`, is a whole new list, or `+db` and `-db` to add and remove
 * single labels. An empty result removes all labels.
 */
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

const checkedCount = (count: number, { name, least, most }: Rule, of = ""): number | Refusal =>
  Number.isInteger(count) && count >= least && count <= most
    ? count
    : refuseField(name, `it must be a whole number${of}, ${least} to ${most}`);

/**
 * Each check returns the value in its stored spelling; `null` when the value says nothing, as a list without labels
 * does; or a refusal (400).
 */
const CHECKS: { readonly [Kind in DeclaredKind]: (value: Kinds[Kind], rule: Rule) => Kinds[Kind] | null | Refusal } = {
  line: (text, { name, longest }) => checkLine(name, text, longest) ?? text,
  schedule: (schedule, { dialect }) => checkScheduleText(schedule, dialect) ?? spellSchedule(schedule),
  timezone: (timezone) => spellTimezone(timezone) ?? refuseTimezone(timezone),
  interval: (seconds, { name }) => checkEvery(seconds, name, `${seconds}s`) ?? seconds,
  seconds: (seconds, rule) => checkedCount(seconds, rule, " of seconds"),
  count: checkedCount,
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
  // The types cannot say that a field's value is always of the field's kind, so the check is cast.
  const check = CHECKS[setting.kind] as (value: string | number, rule: Rule) => string | number | null | Refusal;
  return check(value, { ...UNBOUNDED, ...setting, name, dialect });
}
