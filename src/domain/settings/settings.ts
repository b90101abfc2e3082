// The one table of a monitor's settings. The checks and types of all other files follow from it.

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
  readonly line: string;
  /** A cron expression that `checkSchedule` accepts. */
  readonly schedule: string;
  /** The IANA name of a time zone, as `spellTimezone` spells it. */
  readonly timezone: string;
  readonly seconds: number;
  /** A number of seconds, which people write as a duration such as `15m`. */
  readonly interval: number;
  readonly count: number;
  /** Labels, sorted, with a space between two: `db nightly`. */
  readonly labels: string;
  readonly severity: Severity;
  /** A rule about the words of a mail, which `isMailRule` accepts. */
  readonly mailRule: string;
  readonly windows: readonly MaintenanceWindow[];
  readonly expectations: Expectations;
}

interface Setting {
  readonly kind: keyof Kinds;
  /** The name in a monitor's table of the configuration. A command's option has `-` for `_`; people read a space. */
  readonly key: string;
  /** Where the value comes from when none is set (R13, R31). */
  readonly otherwise: Otherwise;
  readonly least?: number;
  readonly most?: number;
  /** The most code points of a text. */
  readonly longest?: number;
}

/** `key`: the value is made from the monitor's key. `application`: the application's value, otherwise the server's. */
type Otherwise = { readonly from: "default"; readonly value: unknown } | { readonly from: "key" | "application" };

const byDefault = <const Value>(value: Value) => ({ from: "default", value }) as const;

/** How many troubles in a row it takes to open an incident; fewer are tolerated (R41). */
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
 * The settings that can be declared, in the order in which they are checked. People may declare all of them. Jobs and
 * registries may declare those with a `parameter`, which is its name in a report.
 */
export const DECLARED_SETTINGS = {
  /** When runs are expected, as a cron expression; `null` when the monitor has no schedule (R42). */
  schedule: {
    kind: "schedule",
    parameter: "schedule",
    key: "schedule",
    longest: SCHEDULE_LENGTH,
    otherwise: byDefault(null),
  },
  /**
   * The interval: the job must report at least once in this many seconds (R44); `null` when the monitor has none. A
   * monitor has a schedule or an interval, never both.
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
  /** The time zone of the schedule (R13). */
  timezone: { kind: "timezone", parameter: "timezone", key: "timezone", otherwise: { from: "application" } },
  /** How many seconds late a report may come (R20). */
  graceSeconds: {
    kind: "seconds",
    parameter: "gracePeriod",
    key: "grace",
    least: GRACE_SECONDS_MIN,
    most: SECONDS_MAX,
    otherwise: byDefault(GRACE_SECONDS_DEFAULT),
  },
  /** How many seconds a run may take (R21); `null` when rollcall decides by the schedule and earlier runs. */
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
  /** How bad the monitor's alerts are. That also decides where they go (R38). */
  severity: { kind: "severity", parameter: null, key: "severity", otherwise: { from: "application" } },
  labels: { kind: "labels", parameter: "label", key: "labels", longest: LABELS_LENGTH, otherwise: byDefault(null) },
  /** What people should do when the job fails. Alerts and the monitor's page show it. */
  note: { kind: "line", parameter: null, key: "note", longest: NOTE_LENGTH, otherwise: byDefault(null) },
  /** What mails to the monitor's address mean (R47); `null` means the usual rule. */
  mailRule: { kind: "mailRule", parameter: null, key: "mail_rule", longest: 2_000, otherwise: byDefault(null) },
} as const satisfies Readonly<Record<string, Setting & { readonly parameter: string | null }>>;

const CONFIGURED_SETTINGS = {
  /** The times at which the configuration pauses the monitor (R24). */
  maintenance: { kind: "windows", key: "maintenance", otherwise: byDefault<readonly MaintenanceWindow[]>([]) },
  /** How many seconds lie between two drills of the monitor's alerts; `null` when it has no drills. */
  drillEverySeconds: { kind: "seconds", key: "drill_every", otherwise: byDefault(null) },
  /** The outcomes that a complete of the monitor must report, by name (R27). */
  outcomes: { kind: "expectations", key: "outcomes", otherwise: byDefault(NO_EXPECTATIONS) },
} as const satisfies Readonly<Record<string, Setting>>;

export const SETTINGS = { ...DECLARED_SETTINGS, ...CONFIGURED_SETTINGS } as const;

type SettingsTable = typeof SETTINGS;

export type DeclaredField = keyof typeof DECLARED_SETTINGS;
export type SettingField = keyof SettingsTable;
export type DeclaredKind = SettingsTable[DeclaredField]["kind"];

/** A schedule and an interval: when one is set, the other is removed (R44). */
export const RHYTHM_FIELDS = ["schedule", "everySeconds"] as const satisfies readonly DeclaredField[];

export type FieldOf<Kind extends keyof Kinds, Among extends SettingField = SettingField> = {
  [Field in Among]: SettingsTable[Field]["kind"] extends Kind ? Field : never;
}[Among];

export type SettingKey = SettingsTable[SettingField]["key"];

export type ValueOf<Field extends SettingField> = Kinds[SettingsTable[Field]["kind"]];

/** The type of a value in force. It is `null` only where the default is `null`. */
export type InForceOf<Field extends SettingField> =
  | ValueOf<Field>
  | (SettingsTable[Field]["otherwise"] extends { readonly value: null } ? null : never);

/** What jobs, registries or people declared for a monitor. A field is `null` when nothing was declared (R31). */
export type Declared = { readonly [Field in DeclaredField]: ValueOf<Field> | null };

/** What the configuration sets for a monitor; an absent field sets nothing. */
export type ConfiguredValues = { readonly [Field in SettingField]?: ValueOf<Field> };

export type ValuesInForce<Field extends SettingField> = { readonly [Each in Field]: InForceOf<Each> };

export type ReportedField = {
  [Field in DeclaredField]: SettingsTable[Field] extends { readonly parameter: string } ? Field : never;
}[DeclaredField];

/**
 * The tolerances `alert_after_misses` and `alert_after_failures` (R41). They are not stored with the applied values:
 * the present policy always decides them.
 */
export type CountField = FieldOf<"count", DeclaredField>;

/** Declared settings that do not change how the monitor is watched, such as where its alerts go (R38). */
export type DescribedField = "severity" | "labels" | "note" | "mailRule";

/** The declared settings that say how the monitor is watched. Their values in force are stored. */
export type WatchedField = Exclude<DeclaredField, DescribedField | CountField | "name">;

/** The values that were in force when the monitor's settings were last saved, as they are stored. */
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

/** The setting's name as an option of a command, without the dashes: `max-runtime`. */
export const settingOption = (field: SettingField): string => SETTINGS[field].key.replaceAll("_", "-");
