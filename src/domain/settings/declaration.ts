// A monitor's settings as a person or a registry declares them, checked by the same grammar and bounds as a report's.
// The values already have their types; the edges deal with how they were spelled outside.

import { isRefusal, type Refusal, refuse } from "../errors.ts";
import { SCHEDULE_LENGTH } from "../limits.ts";
import { checkSchedule, type Dialect, spellSchedule } from "../schedule/schedule.ts";
import { quote } from "../schedule/schedule-field.ts";
import { spellTimezone } from "../schedule/zone.ts";
import { checkLength, checkLine } from "../text.ts";
import { NOTHING_DECLARED } from "./declared.ts";
import {
  DECLARED_FIELDS,
  DECLARED_SETTINGS,
  type Declared,
  type DeclaredField,
  type DeclaredKind,
  type Kinds,
} from "./settings.ts";

/** The name of a field in the place its value comes from. */
export type FieldName = (field: DeclaredField) => string;

/** The field's name in a query and in an entry of a registry. */
export const parameterName: FieldName = (field) => DECLARED_SETTINGS[field].parameter;

/** For places that use our own names. */
export const ownName: FieldName = (field) => field;

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
  return kept;
}

interface Rule {
  readonly name: string;
  readonly dialect: Dialect;
  readonly least: number;
  readonly most: number;
  readonly longest: number;
}

/** For each kind, the value as we keep it, in its one spelling; else 400. */
const CHECKS: { readonly [Kind in DeclaredKind]: (value: Kinds[Kind], rule: Rule) => Kinds[Kind] | Refusal } = {
  line: (text, { name, longest }) => checkLine(name, text, longest) ?? text,
  schedule: (schedule, { dialect }) => checkScheduleText(schedule, dialect) ?? spellSchedule(schedule),
  timezone: (timezone) => spellTimezone(timezone) ?? noZone(timezone),
  seconds: (seconds, { name, least, most }) =>
    Number.isInteger(seconds) && seconds >= least && seconds <= most
      ? seconds
      : refuse("INVALID_REQUEST", `${name}: it must be a whole number of seconds, ${least} to ${most}`),
};

const UNBOUNDED = { least: 0, most: Number.MAX_SAFE_INTEGER, longest: Number.MAX_SAFE_INTEGER };

function checkSetting(
  field: DeclaredField,
  value: string | number,
  dialect: Dialect,
  name: string,
): string | number | Refusal {
  const setting = DECLARED_SETTINGS[field];
  // The table pairs each field with the kind of its value; the types of a union cannot say so.
  const check = CHECKS[setting.kind] as (value: string | number, rule: Rule) => string | number | Refusal;
  return check(value, { ...UNBOUNDED, ...setting, name, dialect });
}

/** Null when the schedule is accepted, else 400. */
export const checkScheduleText = (schedule: string, dialect: Dialect): Refusal | null =>
  checkLength("schedule", schedule, SCHEDULE_LENGTH) ?? checkSchedule(schedule, dialect);

/** R13. */
export const noZone = (timezone: string): Refusal =>
  refuse("INVALID_REQUEST", `timezone: ${quote(timezone)} is no time zone, write an IANA name such as "Europe/Berlin"`);
