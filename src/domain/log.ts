// The shape of a log, so that every floor can say what happened without knowing where it is written. Types only:
// cli/logger.ts writes, formats and redacts.

export type LogLevel = "debug" | "info" | "warn" | "error";

/** What belongs to the fact; values of any shape. The three names every line has are not to be given again. */
export type LogFields = Readonly<Record<string, unknown>> & {
  readonly at?: never;
  readonly level?: never;
  readonly event?: never;
};

/** Writes one fact. `event` is a stable lower-case word or two joined by underscores, such as `server_started`. */
export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;
