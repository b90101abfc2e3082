// Reads single values of other programs' tables, JSON and YAML. Each value is checked before it is used.

export type Value = string | number | bigint | boolean | Uint8Array | null;
export type Row = Readonly<Record<string, Value | undefined>>;

export type Tables = ReadonlyMap<string, readonly Row[]>;

/** Called with the part of the file that has been read, from 0 to 1. */
export type Progress = (part: number) => void;

/** The most rows that one table may have. No table of checks is so large. */
export const ROWS_MAX = 100_000;

export const tooManyRows = (table: string): string =>
  `table ${table} has more than ${ROWS_MAX} rows, and the import reads no more`;

/** How many bytes of a file may be held in memory at once. No file of these programs needs more. */
export const READ_MAX = 64 * 1_024 * 1_024;

export function valueText(value: Value | undefined): string {
  if (value === null || value === undefined) return "";
  return value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : String(value);
}

export const truthOf = (value: Value | undefined): boolean => /^(?:t|true|1)$/i.test(valueText(value));

export function valueNumber(value: Value | undefined): number | null {
  const text = valueText(value).trim();
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : null;
}

/** The UUID with dashes and in lower case; `null` when the value is none. */
export function uuidOf(value: Value | undefined): string | null {
  const text =
    value instanceof Uint8Array && value.length === 16 ? Buffer.from(value).toString("hex") : valueText(value);
  const [, ...parts] =
    /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/.exec(text.toLowerCase()) ?? [];
  return parts.length === 0 ? null : parts.join("-");
}

const MICROSECONDS = 1_000_000;
const DAY_SECONDS = 86_400;

/**
 * A duration that Django stored, in seconds. SQLite and MySQL keep microseconds, PostgreSQL writes `7 days 01:00:00`,
 * and `dumpdata` writes `7 01:00:00`. `null` when the value is none of these.
 */
export function djangoSeconds(value: Value | undefined): number | null {
  const whole = valueNumber(value);
  if (whole !== null) return whole / MICROSECONDS;
  const [found, days, time, hours, minutes, seconds] =
    /^(?:(\d+)(?: days?)?)?(?:(?:^| )((\d+):(\d\d):(\d\d(?:\.\d+)?)))?$/.exec(valueText(value)) ?? [];
  if (found === undefined || found === "" || (time === undefined && !/day/.test(found))) return null;
  const clock = Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
  return Number(days ?? 0) * DAY_SECONDS + clock;
}

export type JsonFields = Readonly<Record<string, unknown>>;

export const isJsonFields = (value: unknown): value is JsonFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function textField(object: JsonFields, name: string): string {
  const value = object[name];
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

export function numberIn(object: JsonFields, name: string): number | null {
  const value = object[name];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export const isTrueIn = (object: JsonFields, name: string): boolean => object[name] === true;

export function recordsIn(object: JsonFields, name: string): readonly JsonFields[] | null {
  const value = object[name];
  return Array.isArray(value) ? value.filter(isJsonFields) : null;
}

export function textsIn(object: JsonFields, name: string): readonly string[] {
  const value = object[name];
  if (Array.isArray(value)) return value.filter((one): one is string => typeof one === "string");
  return typeof value === "string" && value !== "" ? [value] : [];
}
