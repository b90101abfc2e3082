// Reads a unit of systemd as systemd does: the unit's file, the first in the search path, and its drop-ins.

import type { MachineFiles } from "./host.ts";
import type { Manager } from "./managers.ts";

export const DROP_IN = "rollcall.conf";

export type UnitSetting = Readonly<{ section: string; name: string; value: string }>;

export interface Unit {
  readonly fragment: string;
  readonly settings: readonly UnitSetting[];
  /** The settings of rollcall's own drop-in; `null` when there is none. */
  readonly ours: readonly UnitSetting[] | null;
}

/** Reads a unit; `null` when it does not exist or is masked. `settings` leaves out those of rollcall's own drop-in. */
export function readUnit(name: string, manager: Manager, host: MachineFiles): Unit | null {
  const { fragment, dropIns } = filesOf(name, manager, host);
  if (fragment === null || isMasked(fragment, host)) return null;
  const settings = unitSettings(host.read(fragment) ?? "");
  let ours: readonly UnitSetting[] | null = null;
  for (const path of dropIns) {
    const more = unitSettings(host.read(path) ?? "");
    if (path.endsWith(`/${DROP_IN}`)) ours = more;
    else settings.push(...more);
  }
  return { fragment, settings, ours };
}

/** The files of a unit: those that systemd has read, if they have not changed since; otherwise those it would read. */
function filesOf(name: string, manager: Manager, host: MachineFiles) {
  const loaded = manager.loaded?.get(name);
  if (loaded !== undefined && !loaded.isStale && loaded.fragment !== "") return loaded;
  const names = [name, templateOf(name)].filter((one) => one !== null);
  const fragment = names.map((one) => fileOf(one, manager, host)).find((path) => path !== null);
  return { fragment: fragment ?? null, dropIns: dropInsOf(name, manager, host) };
}

export function wantedUnits(ending: string, { path }: Manager, host: MachineFiles): readonly string[] {
  const wanted = path.flatMap((directory) =>
    host
      .names(directory)
      .filter((name) => /\.(?:wants|requires|upholds)$/.test(name))
      .flatMap((name) => host.names(`${directory}/${name}`)),
  );
  return [...new Set(wanted.filter((name) => name.endsWith(ending)))].sort();
}

/** The name of a unit's template: `backup@.timer` for `backup@daily.timer`. `null` when the unit has none. */
const templateOf = (name: string): string | null => (/@[^.]/.test(name) ? name.replace(/@.*(\.\w+)$/, "@$1") : null);

/**
 * Replaces `%i` and the like in a value, as systemd does for this unit. What depends on the machine, such as `%H`,
 * stays.
 */
export function expandedSpecifiers(value: string, name: string): string {
  const whole = name.replace(/\.\w+$/, "");
  const [prefix, instance] = /^([^@]*)@(.*)$/s.exec(whole)?.slice(1) ?? [whole, ""];
  const last = (part: string): string => part.slice(part.lastIndexOf("-") + 1);
  const known: Readonly<Record<string, string | undefined>> = {
    i: instance,
    j: last(prefix!),
    n: name,
    N: whole,
    p: prefix,
    "%": "%",
  };
  return value.replaceAll(/%(.)/g, (all, letter) => known[letter] ?? all);
}

const fileOf = (name: string, { path }: Manager, host: MachineFiles): string | null =>
  path
    .map((directory) => `${directory}/${name}`)
    .find((file) => host.facts(file) !== null || host.link(file) !== null) ?? null;

const isMasked = (path: string, host: MachineFiles): boolean =>
  host.link(path) === "/dev/null" || host.read(path) === "";

/**
 * The files of a unit's drop-ins, in the order in which systemd reads them. Of several files with one name, the first
 * in the search path counts.
 */
function dropInsOf(name: string, { path }: Manager, host: MachineFiles): readonly string[] {
  const found = new Map<string, string>();
  for (const of of sharedNames(name))
    for (const directory of path)
      for (const conf of host.names(`${directory}/${of}.d`))
        if (conf.endsWith(".conf") && !found.has(conf)) found.set(conf, `${directory}/${of}.d/${conf}`);
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, file]) => file);
}

/** The names under which a unit may have drop-ins: for `a-b@c.timer` also `a-b@.timer`, `a-.timer` and `timer`. */
function sharedNames(name: string): readonly string[] {
  const [, stem, ending] = /^(.*)\.(\w+)$/.exec(name) ?? [];
  if (stem === undefined) return [name];
  const template = templateOf(name);
  const parts = (template ?? name).replace(/@?\.\w+$/, "").split("-");
  const prefixes = parts.slice(1).map((_, place) => `${parts.slice(0, parts.length - 1 - place).join("-")}-.${ending}`);
  return [name, ...(template === null ? [] : [template]), ...prefixes, ending!];
}

function unitSettings(text: string): UnitSetting[] {
  const settings: UnitSetting[] = [];
  let section = "";
  let parts: string[] = [];
  for (const line of text.split("\n")) {
    if (/^\s*[#;]/.test(line)) continue;
    const part = parts.length === 0 ? line : line.trimStart();
    if (part.endsWith("\\")) {
      parts.push(`${part.slice(0, -1)} `);
      continue;
    }
    const whole = (parts.join("") + part).trimEnd();
    parts = [];
    const head = /^\s*\[(.+)\]$/.exec(whole);
    if (head !== null) section = head[1]!;
    const [, name, value] = /^\s*([A-Za-z0-9-]+)\s*=\s*(.*)$/.exec(whole) ?? [];
    if (head === null && name !== undefined) settings.push({ section, name, value: value! });
  }
  return settings;
}

/** The values of a setting that may be set several times. An empty value removes those before it. */
export function settingValues(settings: readonly UnitSetting[], section: string, name: string): readonly string[] {
  const all = settings.filter((one) => one.section === section && one.name === name).map(({ value }) => value);
  return all.slice(all.lastIndexOf("") + 1);
}

/**
 * The settings by which a timer starts its service. An empty value of one of them removes all that were set before, of
 * whatever name.
 */
const TIMES = /^On(?:Calendar|(?:Active|Boot|Startup|UnitActive|UnitInactive)Sec)$/;

export function timesOfTimer(settings: readonly UnitSetting[]): readonly UnitSetting[] {
  const all = settings.filter(({ section, name }) => section === "Timer" && TIMES.test(name));
  return all.slice(all.findLastIndex(({ value }) => value === "") + 1);
}

export const lastSettingValue = (settings: readonly UnitSetting[], section: string, name: string): string | null =>
  settingValues(settings, section, name).at(-1) ?? null;

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:us|usec|µs)$/, 1e-6],
  [/^(?:ms|msec)$/, 1e-3],
  [/^(?:|s|sec|seconds?)$/, 1],
  [/^(?:m|min|minutes?)$/, 60],
  [/^(?:h|hr|hours?)$/, 3_600],
  [/^(?:d|days?)$/, 86_400],
  [/^(?:w|weeks?)$/, 604_800],
  [/^(?:M|months?)$/, 2_629_800],
  [/^(?:y|years?)$/, 31_557_600],
];

const SPAN = /([\d.]+)\s*([a-zA-Zµ]*)/g;

/** Reads a length of time in systemd's form, such as `1h 30min`. Returns seconds, or `null` for any other text. */
export function spanSeconds(text: string): number | null {
  const parts = [...text.matchAll(SPAN)];
  if (parts.length === 0 || text.replaceAll(SPAN, "").trim() !== "") return null;
  let sum = 0;
  for (const [, number, unit] of parts) {
    const factor = UNITS.find(([names]) => names.test(unit!));
    if (factor === undefined) return null;
    sum += Number(number) * factor[1];
  }
  return sum;
}

export function isYesInUnit(value: string): boolean {
  return /^(?:yes|true|on|1|y|t)$/i.test(value);
}
