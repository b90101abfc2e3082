// Reads one field of a schedule, such as the hours: the values that it lists, or what is wrong with it (R15, R16).

import { quote } from "../text.ts";

export interface FieldRule {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names for numbers, in lower case: the first one means `min`. Empty when the field takes only numbers. */
  readonly names: readonly string[];
}

const WEEKDAY: FieldRule = {
  name: "day of week",
  min: 0,
  max: 6,
  names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
};

export const FIELD_RULES: readonly FieldRule[] = [
  { name: "second", min: 0, max: 59, names: [] },
  { name: "minute", min: 0, max: 59, names: [] },
  { name: "hour", min: 0, max: 23, names: [] },
  { name: "day of month", min: 1, max: 31, names: [] },
  {
    name: "month",
    min: 1,
    max: 12,
    names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  WEEKDAY,
];

/** The values that a field lists, in ascending order. */
export interface FieldValues {
  readonly values: readonly number[];
  /** False for a field that begins with `*` or lists all values that it can have (R16). */
  readonly restricted: boolean;
}

/** Matches `*`, a value or a range, with an optional step. Whether the numbers are allowed is checked after that. */
const ITEM = /^(?:\*|([0-9a-z]+)(?:-([0-9a-z]+))?)(?:\/([0-9]+))?$/i;

/**
 * Reads one field: `*`, `n` and `n-m`, separated by commas, with an optional `/step` after `*` or a range (R15). When
 * the field is wrong it returns what is wrong, as a sentence without a full stop.
 */
export function readScheduleField(text: string, rule: FieldRule): FieldValues | string {
  const width = rule.max - rule.min + 1;
  const wanted = new Set<number>();
  for (const item of text.split(",")) {
    const span = readItem(item, rule);
    if (typeof span === "string") return span;
    for (let value = span.low; value <= span.high; value += span.step) wanted.add(value);
  }
  const values = [...wanted].sort((one, other) => one - other);
  return { values, restricted: !text.startsWith("*") && values.length < width };
}

type FieldRange = Readonly<{ low: number; high: number; step: number }>;

function readItem(item: string, rule: FieldRule): FieldRange | string {
  if (item === "") return "a value is missing beside a comma";
  const parts = ITEM.exec(item);
  if (parts === null) return whyNot(item, rule);

  const [, from, to, stepText] = parts;
  const low = from === undefined ? rule.min : readValue(from, rule);
  if (typeof low === "string") return low;
  const high = to === undefined ? (from === undefined ? rule.max : low) : readValue(to, rule);
  if (typeof high === "string") return high;
  if (low > high) return `${quote(item)} runs backwards, a range ascends${rule === WEEKDAY ? " and Sunday is 0" : ""}`;

  if (stepText === undefined) return { low, high, step: 1 };
  if (from !== undefined && to === undefined) return `${quote(item)} has a step, which may follow only "*" or a range`;
  const step = Number(stepText);
  const width = rule.max - rule.min + 1;
  if (step < 1 || step > width) return `${quote(item)} has a step outside 1-${width}`;
  return { low, high, step };
}

function readValue(text: string, rule: FieldRule): number | string {
  if (!/^[0-9]+$/.test(text)) {
    const index = rule.names.indexOf(text.toLowerCase());
    return index < 0 ? whyNot(text, rule) : rule.min + index;
  }
  const value = Number(text);
  if (value >= rule.min && value <= rule.max) return value;
  return `${quote(text)} is outside ${rule.min}-${rule.max}${rule === WEEKDAY && value === 7 ? ", Sunday is 0" : ""}`;
}

/** Forms that other schedulers accept and rollcall refuses. The refusal names the form that it has found. */
const FOREIGN: readonly (readonly [RegExp, string])[] = [
  [/\?/, '"?" is not taken, "*" says the same'],
  [/#/, '"#" (a weekday of a week of the month) is not taken'],
  [/\+/, '"+" is not taken'],
  [/^(?:L|LW|WL|[0-9]+L)$/i, '"L" (last) is not taken'],
  [/^[0-9]*W$/i, '"W" (nearest working day) is not taken'],
  [/^H(?:\(|$)/i, '"H" (a value chosen by the server) is not taken'],
];

function whyNot(item: string, rule: FieldRule): string {
  const foreign = FOREIGN.find(([pattern]) => pattern.test(item));
  if (foreign !== undefined) return foreign[1];
  const name = rule.names.length > 0 ? `, a name (${rule.names[0]} to ${rule.names.at(-1)})` : "";
  return `${quote(item)} is not "*", a number${name} or a range`;
}
