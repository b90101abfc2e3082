// Makes the log: one line per event, as JSON for machines or as aligned text for people. It hides API keys, secrets of
// the configuration and control characters, and takes values of any shape and size.

import type { Log, LogLevel } from "../../domain/log.ts";
import { maskKeys } from "../../domain/output/secrets.ts";
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
 * Fields that hold rollcall's own paths and commands. Of all secrets only API keys are hidden in these fields. Hiding a
 * password that is an ordinary word, such as `backup`, would make the fields unreadable.
 */
const OWN_WORDS: ReadonlySet<string> = new Set(["rule", "directory", "file", "copy", "sources", "socket"]);

/** Values nested deeper than this become `…`, because a line of the log must stay short. */
const DEPTH_MAX = 6;
/**
 * Text with more UTF-16 units than this is cut. Secrets are hidden before, because half a secret would not be
 * recognized.
 */
const TEXT_LENGTH_MAX = 4_000;

/**
 * Characters that JSON does not escape but that a terminal may obey: DEL, the C1 control characters, line separators,
 * and marks that set the direction of text.
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

/**
 * Writes a value for the log of people. Text without spaces and quotes stays as it is; other text becomes JSON, so that
 * programs can read the line back.
 */
const bare = (value: unknown): string =>
  typeof value === "string" && /^[^\s"\\=\p{C}]+$/u.test(value) ? value : toJson(value);

const toJson = (value: unknown): string =>
  JSON.stringify(value).replace(UNSAFE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);

/**
 * Returns the value as plain data without secrets, which `JSON.stringify` takes. `above` are the objects in which it
 * lies; a value that contains itself is found by them.
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
