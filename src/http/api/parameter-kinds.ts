// The kinds of values that parameters of a report may have: how each is read, and its schema with the same limits for
// the OpenAPI document.

import Type, { type TSchema } from "typebox";
import { type Refusal, refuseField } from "../../domain/errors.ts";
import { LABELS_LENGTH } from "../../domain/limits.ts";
import { boundedMap } from "../../domain/maps.ts";
import { checkScheduleText, type Dialect, spellSchedule } from "../../domain/schedule/schedule.ts";
import { refuseTimezone, spellTimezone } from "../../domain/schedule/zone.ts";
import { readEvery, readLabels } from "../../domain/settings/declaration.ts";
import { checkLength, cutTo, hasControl, isLongerThan, quote } from "../../domain/text.ts";
import { lineShape } from "../json-shapes.ts";

export interface ParameterKind<Value> {
  readonly schema: TSchema;
  /**
   * Reads a decoded text. Returns the value; `null` when the text counts as absent; or a 400 that calls the parameter
   * by its `name` (R1).
   */
  readonly read: (text: string, name: string) => Value | null | Refusal;
}

const refusedParameter = (name: string, problem: string): Refusal => refuseField(name, problem);

const INTEGER = /^[0-9]{1,9}$/;

/** The largest whole number that is taken. A text with more digits counts as no number (R7). */
const WHOLE_NUMBER_MAX = 999_999_999;

/** A whole number from `minimum` to `maximum`, written as 1 to 9 digits and nothing else (R7). */
export const wholeNumberKind = (minimum: number, maximum = WHOLE_NUMBER_MAX): ParameterKind<number> => ({
  schema: Type.Integer({ minimum, maximum }),
  read(text, name) {
    if (!INTEGER.test(text))
      return refusedParameter(name, `${quote(text)} is not a whole number, write 1 to 9 digits, at least ${minimum}`);
    const value = Number(text);
    if (value < minimum) return refusedParameter(name, `${text} is too small, it must be at least ${minimum}`);
    return value <= maximum ? value : refusedParameter(name, `${text} is too large, it must be at most ${maximum}`);
  },
});

const SECONDS = /^([0-9]{1,9})(\.[0-9]{1,9})?$/;

/** A length of time in seconds that was measured, such as `12` or `12.5`. The fraction is dropped. */
export const measuredSeconds: ParameterKind<number> = {
  schema: Type.Number({ minimum: 0, maximum: WHOLE_NUMBER_MAX }),
  read(text, name) {
    const seconds = SECONDS.exec(text)?.[1];
    if (seconds !== undefined) return Number(seconds);
    const rule = "write 1 to 9 digits, and a fraction if there is one: 12 or 12.5";
    return refusedParameter(name, `${quote(text)} is not a number of seconds, ${rule}`);
  },
};

/**
 * A kind of text with at most this many code points. An empty text counts as absent, because scripts send unset
 * variables.
 */
export const boundedText = (maxLength: number): ParameterKind<string> => ({
  schema: Type.String({ maxLength }),
  read: (text, name) => (text === "" ? null : (checkLength(name, text, maxLength) ?? text)),
});

export const boundedLine = (maxLength: number): ParameterKind<string> => ({
  schema: lineShape(maxLength),
  read(text, name) {
    if (text === "") return null;
    const tooLong = checkLength(name, text, maxLength);
    if (tooLong !== null) return tooLong;
    return hasControl(text) ? refusedParameter(name, "it has a control character, which it may not have") : text;
  },
});

export const boundedBytes = (most: number): ParameterKind<string> => ({
  schema: Type.String(),
  read(text, name) {
    if (text === "") return null;
    if (Buffer.byteLength(text) <= most) return text;
    return refusedParameter(name, `it is longer than ${most} bytes, the most it may have`);
  },
});

/**
 * Labels of a monitor, with commas or spaces between them (R38): `db, nightly` is kept as `db nightly`, sorted. An
 * empty list counts as absent.
 */
export const labels: ParameterKind<string> = {
  schema: Type.String({ maxLength: LABELS_LENGTH }),
  read: (text, name) => readLabels(text, name),
};

export const anyText: ParameterKind<string> = { schema: Type.String(), read: (text) => text || null };

/** A kind of text that is cut to its beginning when it is too long (R10). */
export const cutText = (maxLength: number): ParameterKind<string> => ({
  schema: Type.String(),
  read: (text) => cutTo(text, maxLength) || null,
});

const PATTERNS: Readonly<Record<Dialect, string>> = {
  five: "^[ \\t]*[^ \\t]+([ \\t]+[^ \\t]+){4}[ \\t]*$",
  alias: "^[ \\t]*(@[A-Za-z]+|[^ \\t]+([ \\t]+[^ \\t]+){4,5})[ \\t]*$",
};

/**
 * A cron expression. It is kept with one space between its fields, so that more spaces do not make another expression
 * (R12). An empty text is refused: if it counted as absent, the sender would not learn that the schedule is missing.
 */
export function cronExpression(maxLength: number, dialect: Dialect): ParameterKind<string> {
  // Texts that were accepted, each with the spelling that is kept. Jobs that register themselves send their schedule
  // with every ping, and to check it takes longer than the rest of the request.
  const accepted = boundedMap<string>(1_000);
  return {
    schema: Type.String({ minLength: 1, maxLength, pattern: PATTERNS[dialect] }),
    read(text) {
      const known = accepted.get(text);
      if (known !== undefined) return known;
      const refusal = checkScheduleText(text, dialect);
      if (refusal !== null) return refusal;
      const spelled = spellSchedule(text);
      accepted.set(text, spelled);
      return spelled;
    },
  };
}

/** An interval, such as `25h`, which is read as seconds (R44). An empty text is refused, as an empty schedule is. */
export const interval: ParameterKind<number> = {
  schema: Type.String({ pattern: "^[0-9]{1,9}[smhd]$" }),
  read: readEvery,
};

/**
 * The name of a time zone (R13). It is brought to one spelling here, because later code compares names letter by letter
 * (R12).
 */
export const timeZone: ParameterKind<string> = {
  schema: Type.String(),
  read: (text) => spellTimezone(text) ?? refuseTimezone(text),
};

/**
 * An idempotency key; `known` makes the value that is kept of it. An empty key, or one that is too long, counts as
 * absent, because a report is worth more than its key. If an empty key counted, all reports of a script with an unset
 * variable would seem to repeat the first (R11).
 */
export const keyKind = <Value>(maxLength: number, known: (key: string) => Value): ParameterKind<Value> => ({
  schema: Type.String({ maxLength }),
  read: (text) => (text === "" || isLongerThan(text, maxLength) ? null : known(text)),
});
