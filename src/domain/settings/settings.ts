// The one table of a monitor's settings: the kind, limits, default and names of each. Types, checks and names follow
// from it; it contains no rules.

import {
  ALERT_AFTER_MAX,
  EVERY_SECONDS_MAX,
  EVERY_SECONDS_MIN,
  GRACE_SECONDS_DEFAULT,
  GRACE_SECONDS_MIN,
  LABELS_LENGTH,
  MAX_RUNTIME_SECONDS_MIN,
  NAME_LENGTH,
  NOTE_LENGTH,
  SCHEDULE_LENGTH,
  SECONDS_MAX,
} from "../limits.ts";
import type { Severity } from "../message/presentation.ts";
import { type Expectations, NO_EXPECTATIONS } from "../monitor/reported-outcomes.ts";
import { type MaintenanceWindow, sameWindows } from "../schedule/maintenance.ts";

export interface Kinds {
  /** A text of one line. */
  readonly line: string;
  /** An expression that `checkSchedule` accepts. */
  readonly schedule: string;
  /** An IANA name in its one spelling. */
  readonly timezone: string;
  readonly seconds: number;
  /** A number of seconds that people write as a duration. */
  readonly interval: number;
  readonly count: number;
  /** Sorted words with a space between them: `db nightly`. */
  readonly labels: string;
  readonly severity: Severity;
  /** A rule for the words of a mail, as `isMailRule` accepts it. */
  readonly mailRule: string;
  readonly windows: readonly MaintenanceWindow[];
  readonly expectations: Expectations;
}

interface Setting {
  readonly kind: keyof Kinds;
  /** The key in a monitor's table of the configuration. Commands write `-` for `_`, and people read a space. */
  readonly key: string;
  /** The default, and where it comes from (R13, R31). */
  readonly otherwise: Otherwise;
  readonly least?: number;
  readonly most?: number;
  /** How many code points a text may have. */
  readonly longest?: number;
}

/**
 * `key`: the default is made from the monitor's key. `application`: it is the application's value, otherwise the
 * server's.
 */
type Otherwise = { readonly from: "default"; readonly value: unknown } | { readonly from: "key" | "application" };

const byDefault = <const Value>(value: Value) => ({ from: "default", value }) as const;

/** A setting that says at which trouble in a row the incident opens (R41). */
const tolerance = <const Key extends string>(key: Key) =>
  ({
    kind: "count",
    parameter: null,
    key,
    least: 1,
    most: ALERT_AFTER_MAX,
    otherwise: byDefault<number>(1),
  }) as const;

/**
 * Settings that may be declared, in the order in which they are checked. People may declare all of them; jobs and
 * registries only those with a parameter.
 */
export const DECLARED_SETTINGS = {
  /** `null` when the monitor has no schedule (R42). */
  schedule: {
    kind: "schedule",
    parameter: "schedule",
    key: "schedule",
    longest: SCHEDULE_LENGTH,
    otherwise: byDefault(null),
  },
  /**
   * How often the job must report at least, in seconds (R44); `null` when it does not report at intervals. It excludes
   * a schedule.
   */
  everySeconds: {
    kind: "interval",
    parameter: "every",
    key: "every",
    least: EVERY_SECONDS_MIN,
    most: EVERY_SECONDS_MAX,
    otherwise: byDefault(null),
  },
  name: { kind: "line", parameter: "name", key: "name", longest: NAME_LENGTH, otherwise: { from: "key" } },
  /** The zone in which the schedule is read (R13). */
  timezone: { kind: "timezone", parameter: "timezone", key: "timezone", otherwise: { from: "application" } },
  /** How late a report may be (R20). */
  graceSeconds: {
    kind: "seconds",
    parameter: "gracePeriod",
    key: "grace",
    least: GRACE_SECONDS_MIN,
    most: SECONDS_MAX,
    otherwise: byDefault(GRACE_SECONDS_DEFAULT),
  },
  /** How long a run may take (R21); `null` when rollcall estimates it. */
  maxRuntimeSeconds: {
    kind: "seconds",
    parameter: "maxRuntime",
    key: "max_runtime",
    least: MAX_RUNTIME_SECONDS_MIN,
    most: SECONDS_MAX,
    otherwise: byDefault(null),
  },
  alertAfterMisses: tolerance("alert_after_misses"),
  alertAfterFailures: tolerance("alert_after_failures"),
  /** How bad the monitor's alerts are, which also decides where they go (R38). */
  severity: { kind: "severity", parameter: null, key: "severity", otherwise: { from: "application" } },
  labels: { kind: "labels", parameter: "label", key: "labels", longest: LABELS_LENGTH, otherwise: byDefault(null) },
  /** What to do when the job fails. Alerts and the monitor's page show it. */
  note: { kind: "line", parameter: null, key: "note", longest: NOTE_LENGTH, otherwise: byDefault(null) },
  /** How mails to the monitor are read (R47); `null` means by the usual words. */
  mailRule: { kind: "mailRule", parameter: null, key: "mail_rule", longest: 2_000, otherwise: byDefault(null) },
} as const satisfies Readonly<Record<string, Setting & { readonly parameter: string | null }>>;

const CONFIGURED_SETTINGS = {
  /** The times at which the configuration pauses the monitor (R24). */
  maintenance: { kind: "windows", key: "maintenance", otherwise: byDefault<readonly MaintenanceWindow[]>([]) },
  /** How often a drill of the monitor's alerts is sent; `null` when it is not a drill monitor. */
  drillEverySeconds: { kind: "seconds", key: "drill_every", otherwise: byDefault(null) },
  /** What its completions must report, by name (R27). */
  outcomes: { kind: "expectations", key: "outcomes", otherwise: byDefault(NO_EXPECTATIONS) },
} as const satisfies Readonly<Record<string, Setting>>;

export const SETTINGS = { ...DECLARED_SETTINGS, ...CONFIGURED_SETTINGS } as const;

type SettingsTable = typeof SETTINGS;

export type DeclaredField = keyof typeof DECLARED_SETTINGS;
export type SettingField = keyof SettingsTable;
export type DeclaredKind = SettingsTable[DeclaredField]["kind"];

/** The two settings of which one removes the other when it is set (R44). */
export const RHYTHM_FIELDS = ["schedule", "everySeconds"] as const satisfies readonly DeclaredField[];

export type FieldOf<Kind extends keyof Kinds, Among extends SettingField = SettingField> = {
  [Field in Among]: SettingsTable[Field]["kind"] extends Kind ? Field : never;
}[Among];

export type SettingKey = SettingsTable[SettingField]["key"];

export type ValueOf<Field extends SettingField> = Kinds[SettingsTable[Field]["kind"]];

/** The value in force: the one that was set, or the default. */
export type InForceOf<Field extends SettingField> =
  | ValueOf<Field>
  | (SettingsTable[Field]["otherwise"] extends { readonly value: null } ? null : never);

/** What jobs, registries or people declared for a monitor; a field is `null` when nothing was declared (R31). */
export type Declared = { readonly [Field in DeclaredField]: ValueOf<Field> | null };

/** What the configuration sets for a monitor; an absent field sets nothing. */
export type ConfiguredValues = { readonly [Field in SettingField]?: ValueOf<Field> };

export type ValuesInForce<Field extends SettingField> = { readonly [Each in Field]: InForceOf<Each> };

/** The declared settings that a report and a registry may set. */
export type ReportedField = {
  [Field in DeclaredField]: SettingsTable[Field] extends { readonly parameter: string } ? Field : never;
}[DeclaredField];

/** Numbers that are not stored with the applied values: the current ones always count. */
export type CountField = FieldOf<"count", DeclaredField>;

/**
 * Settings that decide what alerts say, where they go (R38) and what a mail means, but not how the monitor is watched.
 */
export type DescribedField = "severity" | "labels" | "note" | "mailRule";

/** The declared settings by which a monitor is watched. They are stored as they are in force. */
export type WatchedField = Exclude<DeclaredField, DescribedField | CountField | "name">;

/** The values that were in force when a monitor's settings were last saved. Other values in force are not stored. */
export type AppliedValues = ValuesInForce<AppliedField>;
type AppliedField = WatchedField | "maintenance";

export const sameApplied = (one: AppliedValues, other: AppliedValues): boolean =>
  WATCHED_FIELDS.every((field) => one[field] === other[field]) && sameWindows(one.maintenance, other.maintenance);

type DefaultedField = {
  [Field in SettingField]: SettingsTable[Field]["otherwise"] extends { readonly value: unknown } ? Field : never;
}[SettingField];

export const DEFAULTS = Object.fromEntries(
  Object.entries(SETTINGS).flatMap(([field, { otherwise }]) =>
    otherwise.from === "default" ? [[field, otherwise.value]] : [],
  ),
) as ValuesInForce<DefaultedField>;

const UNWATCHED: readonly (DescribedField | "name")[] = ["name", "severity", "labels", "note", "mailRule"];
export const DECLARED_FIELDS = Object.keys(DECLARED_SETTINGS) as readonly DeclaredField[];
export const REPORTED_FIELDS = DECLARED_FIELDS.filter(
  (field): field is ReportedField => DECLARED_SETTINGS[field].parameter !== null,
);
export const COUNT_FIELDS = DECLARED_FIELDS.filter((field): field is CountField => SETTINGS[field].kind === "count");
export const WATCHED_FIELDS = DECLARED_FIELDS.filter(
  (field): field is WatchedField => SETTINGS[field].kind !== "count" && !UNWATCHED.some((one) => one === field),
);

export const watchedOf = (watch: ValuesInForce<WatchedField>): ValuesInForce<WatchedField> =>
  Object.fromEntries(WATCHED_FIELDS.map((field) => [field, watch[field]])) as ValuesInForce<WatchedField>;

/** The name that people read and that labels use: `max runtime`. */
export const settingInWords = (field: SettingField): string => SETTINGS[field].key.replaceAll("_", " ");

/** The name of a command's option, without its dashes: `max-runtime`. */
export const settingOption = (field: SettingField): string => SETTINGS[field].key.replaceAll("_", "-");
