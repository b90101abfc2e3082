// Makes the fields that operations are asked with. A field is a schema together with what a person must know: its
// meaning, its name on the command line, and how a form asks for it. The rule of a field in words is here too.

import Type, { type TObject, type TSchema } from "typebox";
import Value from "typebox/value";
import { DAY, durationText, MINUTE, parseDuration, SECOND } from "../../domain/time.ts";

export interface Notes {
  readonly description: string;
  /** The name of the field in help, for a field that is given by its position on the command line. */
  readonly argument?: string;
  readonly option?: string;
  /** What help calls the value of the option, such as `slug`. An option that is true or false has none. */
  readonly value?: string;
  /** For a field that is a list of words: what help says of each word. Each is an option, such as `--waiting`. */
  readonly options?: Readonly<Record<string, string>>;
  /**
   * A secret for which the command asks at the terminal. Given the field's `option`, the command does not ask, and the
   * field stays empty. The secret is in no log and no audit.
   */
  readonly asked?: "password";
  /** A secret that a person gives. It is in no log, no audit and no refusal. */
  readonly secret?: true;
  readonly form?: InForm;
}

/** How a form on a page asks for a field, as far as its schema, option and description do not say it already. */
export interface InForm {
  /** What the form calls the field. Without it, that is the option in words. */
  readonly label?: string;
  /** The text below the field. Without it, that is the description; `null` means that there is no text. */
  readonly help?: string | null;
  /** An example, shown while the field is empty. */
  readonly sample?: string;
  /** For a choice that may be left out: the words of the entry that chooses nothing. */
  readonly none?: string;
  /** For a choice: the words that people read in place of each value. */
  readonly says?: Readonly<Record<string, string>>;
  /**
   * How a person enters the value. `moment`: a date and time, from a calendar. `choices` (a list) and `some` (a text
   * with commas): chosen from the existing values. `jobs`: all jobs, or those that are ticked. `zone`: typed, with the
   * names of zones offered.
   */
  readonly as?: "moment" | "choices" | "some" | "jobs" | "zone";
  /** How many code points (characters) may be entered. */
  readonly longest?: number;
  /** True when the form demands a value, although a program may leave it out. */
  readonly needed?: true;
  /** True when few people need the field. The form hides it at first. */
  readonly more?: true;
}

/** What is noted on a field besides its type. A field without `default` must be given. */
export interface Annotated extends Partial<Notes> {
  readonly default?: unknown;
  /** True for a whole number of seconds, which people write as a duration such as `15m`. */
  readonly seconds?: true;
  /** True for a path. On the command line a relative path counts from the present directory. */
  readonly path?: true;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export const isSecret = ({ asked, secret }: Annotated): boolean => asked !== undefined || secret === true;

export const annotationsOf = (field: TSchema): Annotated => field as Annotated;

/** Returns the values that the audit keeps: without secrets, and without fields that have their default. */
export const auditedOf = ({ properties }: TObject, asked: object): object =>
  Object.fromEntries(
    Object.entries(asked).filter(([name, value]) => {
      const annotations = annotationsOf(properties[name]!);
      return !isSecret(annotations) && JSON.stringify(value) !== JSON.stringify(annotations.default);
    }),
  );

export const text = (notes: Notes) => Type.String({ ...notes });

export const secretText = (notes: Notes) => Type.String({ ...notes, secret: true });

export const optionalText = (notes: Notes) => Type.Union([Type.String(), Type.Null()], { ...notes, default: null });

/**
 * Makes the field for an optional path on the computer of the service; `null` when left out. On the command line it may
 * be relative.
 */
export const optionalPath = (notes: Notes) => ({ ...optionalText(notes), path: true as const });

/** Makes the field for the hash of a password for which the command asks; `null` when no password is set. */
export const askedPassword = (notes: Notes) =>
  Type.Union([Type.String(), Type.Null()], { ...notes, asked: "password", default: null });

export const rowNumber = (notes: Notes) => Type.Integer({ minimum: 0, ...notes });

export const optionalSeconds = (minimum: number, maximum: number, notes: Notes) =>
  Type.Union([Type.Integer({ minimum, maximum }), Type.Null()], { ...notes, seconds: true, default: null });

export const optionalCount = ({ least, most }: { readonly least: number; readonly most: number }, notes: Notes) =>
  Type.Union([Type.Integer({ minimum: least, maximum: most }), Type.Null()], { ...notes, default: null });

export const secondsField = (minimum: number, maximum: number, standard: number, notes: Notes) =>
  Type.Integer({
    minimum,
    maximum,
    ...notes,
    description: `${notes.description}, up to ${durationText(maximum)} (default: ${durationText(standard)})`,
    seconds: true,
    default: standard,
  });

export const choice = <const Words extends [string, ...string[]]>(
  words: Words,
  standard: Words[number],
  notes: Notes,
) => Type.Enum(words, { ...notes, default: standard }) as unknown as Type.TEnum<Words>;

export const optionalChoice = <const Words extends readonly [string, ...string[]]>(words: Words, notes: Notes) =>
  Type.Union([Type.Enum([...words]) as unknown as Type.TEnum<[...Words]>, Type.Null()], { ...notes, default: null });

/**
 * Makes a field whose value is a list of some of these words. When a person leaves the field out, it has all of them.
 */
export const choices = <const Words extends [string, ...string[]]>(words: Words, notes: Notes) =>
  Type.Array(Type.Enum(words) as unknown as Type.TEnum<Words>, {
    minItems: 1,
    uniqueItems: true,
    ...notes,
    default: words,
  });

/**
 * Makes a field whose value is a list of up to `maxItems` words, given by their position on the command line. When a
 * person leaves the field out, the list is empty.
 */
export const wordsField = (maxItems: number, notes: Notes) =>
  Type.Array(Type.String(), { maxItems, ...notes, default: [] });

/** Makes a field whose value is a list of up to 50 secret words, given by their position on the command line. */
export const secretWords = (notes: Notes) =>
  Type.Array(Type.String({ maxLength: 4_000 }), { maxItems: 50, ...notes, secret: true, default: [] });

export const flag = (notes: Notes) => Type.Boolean({ ...notes, default: false });

export const listedApplication = () =>
  optionalText({ description: "only those of this application", option: "app", value: "slug" });

/** How far back the field of `sinceField` may let a list go, at least and at most, in seconds. */
const SINCE_MIN = MINUTE / SECOND;
const SINCE_MAX = (3_650 * DAY) / SECOND;

/** Makes the field for how many seconds back a list goes; `null` means back to its beginning. */
export const sinceField = (otherwise = "") =>
  optionalSeconds(SINCE_MIN, SINCE_MAX, {
    description: `only of the last so long, such as 12h or 30d${otherwise}`,
    option: "since",
    value: "duration",
  });

export const monitorField = () =>
  optionalText({ description: "only those of this monitor", option: "monitor", value: "key" });

/** How many entries a person may ask for in a list whose field is made by `limitField`. People do not read more. */
export const LIST_MAX = 1_000;

/**
 * Makes the field for how many entries a list has at most; without it, `standard` entries. `of` says which entries are
 * counted, such as ` that are over`.
 */
export const limitField = (standard: number, of = "") =>
  Type.Integer({
    minimum: 1,
    maximum: LIST_MAX,
    default: standard,
    description: `at most this many${of}, 1 to ${LIST_MAX} (default: ${standard})`,
    option: "limit",
    value: "count",
  });

/**
 * Makes the field with which a person asks for the next part of a list: only rows with a smaller number than this, the
 * newest first. Without it, the list begins with the newest row.
 */
export const beforeField = () =>
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    default: Number.MAX_SAFE_INTEGER,
    description: "only those with a smaller number, to see older ones",
    option: "before",
    value: "number",
  });

export const ONE_MONITOR = {
  key: text({ description: "the monitor's key, as reports name it", argument: "key" }),
  application: optionalText({
    description: "its application (default: the only one that has such a monitor)",
    option: "app",
    value: "slug",
  }),
};

export const AT = optionalText({
  description: "at another time, on the clocks of its zone or with Z behind it (default: now)",
  option: "at",
  value: "time",
});

export const fieldLabel = (name: string, { form, option = name }: Annotated): string =>
  form?.label ?? option.replaceAll("-", " ");

/** Returns what a field must be, in words that follow "it must be". */
export function ruleOfField(field: TSchema): string {
  if (Type.IsUnion(field)) return ruleOfField(field.anyOf[0]!);
  if (Type.IsArray(field) && Type.IsObject(field.items)) {
    const { minItems, maxItems } = annotationsOf(field);
    return `a list of ${minItems} to ${maxItems} things, each with exactly the described fields`;
  }
  if (Type.IsArray(field) && Type.IsString(field.items)) return "a list of texts";
  if (Type.IsArray(field)) return `a list of some of ${wordsOf(field.items).join(", ")}, each once`;
  if (Type.IsEnum(field)) return `one of ${wordsOf(field).join(", ")}`;
  if (Type.IsBoolean(field)) return "true or false";
  if (!Type.IsInteger(field)) return "a text";
  const { minimum, maximum } = boundsOf(field);
  return maximum === undefined ? "a whole number" : `a whole number from ${minimum} to ${maximum}`;
}

/** Reads a duration that a person typed, as seconds; `null` when it is none, or the field does not allow it. */
export function readFieldSeconds(field: TSchema, typed: string): number | null {
  const seconds = (parseDuration(typed) ?? Number.NaN) / SECOND;
  return Value.Check(field, seconds) ? (seconds as number) : null;
}

export function secondsRule(field: TSchema): string {
  const { minimum = 0, maximum = 0 } = boundsOf(field);
  return `a duration such as 90s, 15m, 2h or 7d, from ${durationText(minimum)} to ${durationText(maximum)}`;
}

export function wordsOf(field: TSchema): readonly string[] {
  if (Type.IsUnion(field)) return wordsOf(field.anyOf[0]!);
  if (Type.IsArray(field)) return wordsOf(field.items);
  return Type.IsEnum(field) ? field.enum.map(String) : [];
}

const boundsOf = (field: TSchema): Pick<Annotated, "minimum" | "maximum"> =>
  annotationsOf(Type.IsUnion(field) ? field.anyOf[0]! : field);
