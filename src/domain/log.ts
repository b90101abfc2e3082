// The shape of a log, so that every layer can report events without knowing where they are written.

export type LogLevel = "debug" | "info" | "warn" | "error";

/** The fields of the event, with values of any shape. The three names that every line has must not be used. */
export type LogFields = Readonly<Record<string, unknown>> & {
  readonly at?: never;
  readonly level?: never;
  readonly event?: never;
};

/** Writes one event. `event` is a stable name of lower-case words joined by underscores, such as `server_started`. */
export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;
