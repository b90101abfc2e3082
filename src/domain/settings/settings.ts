// The one table of a monitor's settings: each one's kind, limits, default, and names in a report and in the
// configuration. Types, checks and names follow from it; it holds no rule itself.

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
import { type Expectations, NO_EXPECTATIONS } from "../monitor/outcomes.ts";
import { type MaintenanceWindow, sameWindows } from "../schedule/maintenance.ts";

export interface Kinds {
  /** A text that people read on one line. */
  readonly line: string;
  /** An expression that `checkSchedule` accepts. */
  readonly schedule: string;
  /** An IANA name in its one spelling. */
  readonly timezone: string;
  readonly seconds: number;
  /** In seconds; everybody writes it as a duration. */
  readonly interval: number;
  readonly count: number;
  /** Words in their order, a space between two: `db nightly`. */
  readonly labels: string;
  readonly severity: Severity;
  /** What the words of a mail mean, as `isMailRule` accepts it. */
  readonly mailRule: string;
  readonly windows: readonly MaintenanceWindow[];
  readonly expectations: Expectations;
}

interface Setting {
  readonly kind: keyof Kinds;
  /** Its key in a monitor's table of the configuration. For `_`, commands write `-` and people read a space. */
  readonly key: string;
  /** Its default, and where the default comes from (R13, R31). */
  readonly otherwise: Otherwise;
  readonly least?: number;
  readonly most?: number;
  /** For texts, in code points. */
  readonly longest?: number;
}

/** `key`: the default is made from the monitor's key; `application`: it is the application's, else the server's. */
type Otherwise = { readonly from: "default"; readonly value: unknown } | { readonly from: "key" | "application" };

const byDefault = <const Value>(value: Value) => ({ from: "default", value }) as const;

/** R41: the incident opens at the n-th trouble in a row. */
const tolerance = <const Key extends string>(key: Key) =>
  ({
    kind: "count",
    parameter: null,
    key,
    least: 1,
    most: ALERT_AFTER_MAX,
    otherwise: byDefault<number>(1),
  }) as const;

/** Settings that may be declared, checked in this order: by people all, by jobs and registries those of a parameter. */
export const DECLARED_SETTINGS = {
  /** Null: a monitor without slots (R42). */
  schedule: {
    kind: "schedule",
    parameter: "schedule",
    key: "schedule",
    longest: SCHEDULE_LENGTH,
    otherwise: byDefault(null),
  },
  /**
   * How often it must report at least (R44); null: not at intervals. Stands for a schedule: a monitor has one of both.
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
  /** How long a run may take (R21); null: rollcall guesses. */
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
  /** What its alerts say of it, and where they go (R38). */
  severity: { kind: "severity", parameter: null, key: "severity", otherwise: { from: "application" } },
  labels: { kind: "labels", parameter: "label", key: "labels", longest: LABELS_LENGTH, otherwise: byDefault(null) },
  /** What to do when it fails; alerts and its page show it. */
  note: { kind: "line", parameter: null, key: "note", longest: NOTE_LENGTH, otherwise: byDefault(null) },
  /** R47; null: the usual words. */
  mailRule: { kind: "mailRule", parameter: null, key: "mail_rule", longest: 2_000, otherwise: byDefault(null) },
} as const satisfies Readonly<Record<string, Setting & { readonly parameter: string | null }>>;

const CONFIGURED_SETTINGS = {
  /** R24: when the configuration asks for a pause by hand. */
  maintenance: { kind: "windows", key: "maintenance", otherwise: byDefault<readonly MaintenanceWindow[]>([]) },
  /** How often a drill of its alerts is sent; null: it is no drill monitor. */
  drillEverySeconds: { kind: "seconds", key: "drill_every", otherwise: byDefault(null) },
  /** What its completions must report, by name (R27). */
  outcomes: { kind: "expectations", key: "outcomes", otherwise: byDefault(NO_EXPECTATIONS) },
} as const satisfies Readonly<Record<string, Setting>>;

export const SETTINGS = { ...DECLARED_SETTINGS, ...CONFIGURED_SETTINGS } as const;

type SettingsTable = typeof SETTINGS;

export type DeclaredField = keyof typeof DECLARED_SETTINGS;
export type SettingField = keyof SettingsTable;
export type DeclaredKind = SettingsTable[DeclaredField]["kind"];

/** R44: whoever sets one of these takes back the other. */
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

/** What jobs, registries or people declared for a monitor; null: they declared nothing (R31). */
export type Declared = { readonly [Field in DeclaredField]: ValueOf<Field> | null };

/** What the configuration sets for a monitor; an absent field sets nothing. */
export type ConfiguredValues = { readonly [Field in SettingField]?: ValueOf<Field> };

export type ValuesInForce<Field extends SettingField> = { readonly [Each in Field]: InForceOf<Each> };

/** Of those, what a report and a registry may declare. */
export type ReportedField = {
  [Field in DeclaredField]: SettingsTable[Field] extends { readonly parameter: string } ? Field : never;
}[DeclaredField];

/** Numbers to watch by that are not stored with a watch: today's count. */
export type CountField = FieldOf<"count", DeclaredField>;

/** What is declared beside its name and decides what alerts say, where they go (R38), and what a mail means. */
export type DescribedField = "severity" | "labels" | "note" | "mailRule";

/** The declared settings by which we watch a monitor, and which are stored as they are in force. */
export type WatchedField = Exclude<DeclaredField, DescribedField | CountField | "name">;

/** What was in force when a monitor's settings were last saved; we do not store the rest of a watch. */
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
