// Makes the log: one line per event, JSON for machines or aligned text for people, written through the given function.
// It lets no key, destination URL or control character through, and takes values of any shape and size.

import { maskKeys } from "../../domain/api-key.ts";
import type { Log, LogLevel } from "../../domain/log.ts";
import { toIso } from "../../domain/time.ts";
import type { Clock } from "../../engine/api.ts";
import { type Color, colored } from "../screens/color.ts";

export type LogFormat = "json" | "pretty";

export interface LoggerSettings {
  readonly clock: Clock;
  readonly write: (line: string) => void;
  readonly format: LogFormat;
  readonly color: boolean;
  readonly redact: (text: string) => string;
}

/**
 * Fields with rollcall's own paths and commands. They are not redacted, because a password that is a word in them would
 * ruin them.
 */
const OWN_WORDS: ReadonlySet<string> = new Set(["rule", "directory", "file", "copy", "sources", "socket"]);

/** A value nested deeper than this becomes `…`: a log line is an event, not a dump. */
const DEPTH_MAX = 6;
/**
 * Longer text is cut after redaction, so that no secret loses only its recognizable half. The length is in UTF-16
 * units.
 */
const TEXT_LENGTH_MAX = 4_000;

/**
 * Characters that JSON leaves as they are but a terminal or log reader may obey: DEL, C1, line separators, direction
 * marks.
 */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const COLORS: Record<LogLevel, Color> = { debug: "dim", info: "green", warn: "yellow", error: "red" };

export function createLogger(settings: LoggerSettings): Log {
  const { redact } = settings;
  return (level, event, fields = {}) => {
    const at = toIso(settings.clock.now());
    const values = Object.fromEntries(
      loggedEntries(fields).map(([name, value]) => {
        const hide = OWN_WORDS.has(name) ? maskKeys : redact;
        return [cutText(maskKeys(name)), plainValue(value, hide, 1, [fields])];
      }),
    );
    const line =
      settings.format === "json"
        ? toJson({ at, level, event, ...values })
        : toText(at, level, event, values, settings.color);
    settings.write(line);
  };
}

function toText(at: string, level: LogLevel, event: string, values: Record<string, unknown>, color: boolean): string {
  const label = level.toUpperCase().padEnd(5);
  const pairs = Object.entries(values).map(([name, value]) => `${bare(name)}=${bare(value)}`);
  return [at, color ? colored(COLORS[level], label) : label, event, ...pairs].join(" ");
}

/** Text without a space or quote stays as it is; other text becomes JSON, so that programs can read the line back. */
const bare = (value: unknown): string =>
  typeof value === "string" && /^[^\s"\\=\p{C}]+$/u.test(value) ? value : toJson(value);

const toJson = (value: unknown): string =>
  JSON.stringify(value).replace(UNSAFE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);

/**
 * Returns the value as plain, redacted data that `JSON.stringify` takes. `above` are the values around it, by which
 * circles are found.
 */
function plainValue(
  value: unknown,
  redact: (text: string) => string,
  depth: number,
  above: readonly object[],
): unknown {
  if (typeof value === "string") return cutText(redact(value));
  if (typeof value === "bigint" || typeof value === "symbol") return cutText(redact(String(value)));
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "function") return "[function]";
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEPTH_MAX || above.includes(value)) return "…";
  const inside = (part: unknown) => plainValue(part, redact, depth + 1, [...above, value]);
  if (Array.isArray(value)) return value.map((item) => inside(item) ?? null);
  if (value instanceof Date) return value.toJSON();
  return Object.fromEntries(loggedEntries(value).map(([name, part]) => [cutText(redact(name)), inside(part)]));
}

function loggedEntries(value: object): [string, unknown][] {
  if (value instanceof Map) return [...value].map(([name, part]) => [String(name), part]);
  if (value instanceof Set) return [...value].map((part, place) => [String(place), part]);
  if (!(value instanceof Error)) return Object.entries(value);
  const { name, message, stack, cause } = value;
  return [["name", name], ["message", message], ...Object.entries(value), ["stack", stack], ["cause", cause]];
}

const cutText = (text: string): string =>
  text.length <= TEXT_LENGTH_MAX ? text : `${text.slice(0, TEXT_LENGTH_MAX)}…`;
