// The fields of operations. Each field is a schema with what a person must know to give it: its meaning, and its name.
// An absent field has its default. The rule of each field and the words for it are here, too.

import Type, { type TObject, type TSchema } from "typebox";
import Value from "typebox/value";
import { DAY, durationText, MINUTE, parseDuration, SECOND } from "../../domain/time.ts";

export interface Notes {
  readonly description: string;
  /** The field's name in help, if it is given only by its position. */
  readonly argument?: string;
  readonly option?: string;
  /** The name of the option's value in help. An option that is true or false has none. */
  readonly value?: string;
  /** For a list of words, the option of each word. */
  readonly options?: Readonly<Record<string, string>>;
  /**
   * A secret for which a person is asked, unless the option says to leave it out. It appears in no log and no audit.
   */
  readonly asked?: "password";
  /** A secret that a person gives. It appears in no log, no audit and no refusal. */
  readonly secret?: true;
  readonly form?: InForm;
}

/** How a form asks for a field, as far as its schema, its option and its description do not say it. */
export interface InForm {
  /** The label. Without it the form uses the words of the option. */
  readonly label?: string;
  /** The text below the field. Without it the form uses the description; `null` means no text. */
  readonly help?: string | null;
  /** An example that is shown while the field is empty. */
  readonly sample?: string;
  /** For a choice that may be left out, the words for choosing none. */
  readonly none?: string;
  /** For a choice, the words that people read for each value. */
  readonly says?: Readonly<Record<string, string>>;
  /**
   * How the value is entered. `moment` is chosen from a calendar. `choices` (a list) and `some` (a text with commas)
   * are chosen from the existing values. `jobs` are all jobs or the ticked ones. A `zone` is typed, with names offered.
   */
  readonly as?: "moment" | "choices" | "some" | "jobs" | "zone";
  /** How many code points may be entered. */
  readonly longest?: number;
  /** True when a person must fill it in, although programs may leave it out. */
  readonly needed?: true;
  /** True when few people need the field, so that the form hides it at first. */
  readonly more?: true;
}

/** A field's notes and its default. Without a default the field must be given. */
export interface Annotated extends Partial<Notes> {
  readonly default?: unknown;
  /** A whole number of seconds, which people write as a duration. */
  readonly seconds?: true;
  /** A path. A relative one counts from the directory in which the person is. */
  readonly path?: true;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export const isSecret = ({ asked, secret }: Annotated): boolean => asked !== undefined || secret === true;

export const annotationsOf = (field: TSchema): Annotated => field as Annotated;

/** What the audit keeps of a request, without fields that have their defaults and without secrets. */
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
 * The path of a file on the service's machine, which people may write relative to their directory; optional (`null`).
 */
export const optionalPath = (notes: Notes) => ({ ...optionalText(notes), path: true as const });

/** The hash of a password for which a person is asked; optional (`null`). */
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

/** Some of these words; all when left out. */
export const choices = <const Words extends [string, ...string[]]>(words: Words, notes: Notes) =>
  Type.Array(Type.Enum(words) as unknown as Type.TEnum<Words>, {
    minItems: 1,
    uniqueItems: true,
    ...notes,
    default: words,
  });

/** Up to `maxItems` words, which a person gives by position; none when left out. */
export const words = (maxItems: number, notes: Notes) => Type.Array(Type.String(), { maxItems, ...notes, default: [] });

/** Any number of words, which a person gives by position. They are secret. */
export const secretWords = (notes: Notes) =>
  Type.Array(Type.String({ maxLength: 4_000 }), { maxItems: 50, ...notes, secret: true, default: [] });

export const flag = (notes: Notes) => Type.Boolean({ ...notes, default: false });

export const listedApplication = () =>
  optionalText({ description: "only those of this application", option: "app", value: "slug" });

/** The shortest span, in seconds. */
const SINCE_MIN = MINUTE / SECOND;
const SINCE_MAX = (3_650 * DAY) / SECOND;

/** How far back a list goes; without it, the list has everything. */
export const since = (otherwise = "") =>
  optionalSeconds(SINCE_MIN, SINCE_MAX, {
    description: `only of the last so long, such as 12h or 30d${otherwise}`,
    option: "since",
    value: "duration",
  });

export const listedMonitor = () =>
  optionalText({ description: "only those of this monitor", option: "monitor", value: "key" });

/** How many entries any list has at most, because people do not read more. */
export const LIST_MAX = 1_000;

/** How many entries a list has, the newest first. `of` says what is counted, if that is not the whole list. */
export const limit = (standard: number, of = "") =>
  Type.Integer({
    minimum: 1,
    maximum: LIST_MAX,
    default: standard,
    description: `at most this many${of}, 1 to ${LIST_MAX} (default: ${standard})`,
    option: "limit",
    value: "count",
  });

/**
 * The row before which a list continues; its rows are numbered and the newest comes first. Without it, the list begins
 * at the newest.
 */
export const before = () =>
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

/** What a field must be, as the end of a sentence that begins "it must be". */
export function ruleOf(field: TSchema): string {
  if (Type.IsUnion(field)) return ruleOf(field.anyOf[0]!);
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

/** Reads a duration as people write it; `null` when the field does not accept it. */
export function readSeconds(field: TSchema, typed: string): number | null {
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
