// One scheduled job that was found on a machine, from whichever scheduler.

/** What has to be rewritten to watch a job. */
export type Place =
  | { readonly kind: "file"; readonly path: string }
  /** Read and written by `crontab`. */
  | { readonly kind: "crontab"; readonly user: string };

/** Another text for one line. */
export interface LineChange {
  readonly kind: "line";
  readonly place: Place;
  /** From 0. */
  readonly line: number;
  /** As it stands there. */
  readonly bare: string;
  wrap(key: string, executable: string): Wrapped;
}

/** A new file beside a unit. */
export interface DropIn {
  readonly kind: "drop-in";
  /** Whose unit it is; null: the system's. */
  readonly user: string | null;
  readonly path: string;
  content(key: string, executable: string): Wrapped;
}

/** How a job is wrapped. */
export type Change = LineChange | DropIn;

/** The wrapped text; or why the line stays as it is. */
export type Wrapped = { readonly text: string } | { readonly why: string };

export interface Found {
  /** For people, such as `/etc/crontab:12` or `backup.timer`. */
  readonly where: string;
  /** Whose rights it has. */
  readonly user: string;
  /** For people. */
  readonly command: string;
  /** What its key begins as: a name made of the command. */
  readonly stem: string;
  /** What may be added to make the key unique, the shorter first. */
  readonly surnames: readonly string[];
  /** As its scheduler has it. */
  readonly said: string;
  /** As rollcall reads it, five fields; null: no such schedule says the same. */
  readonly schedule: string | null;
  /** How far the ends of its runs may be apart, of a job without a schedule; null: nothing says it. */
  readonly everySeconds: number | null;
  /** Null: nothing says it. */
  readonly timezone: string | null;
  /** How late its scheduler may start it by itself, in seconds. */
  readonly delaySeconds: number;
  /** It is wrapped already, under this key. */
  readonly watchedAs: string | null;
  /** Why it cannot be watched, in a sentence without a full stop; null: it can. */
  readonly why: string | null;
  /** What a reader should know of it, in sentences. */
  readonly notes: readonly string[];
  /** Null: nothing here can be rewritten. */
  readonly change: Change | null;
}

/** What is known of what cannot be read as a job. */
export const NO_JOB = {
  command: "",
  surnames: [],
  said: "",
  schedule: null,
  everySeconds: null,
  timezone: null,
  delaySeconds: 0,
  watchedAs: null,
  notes: [],
  change: null,
} as const;
