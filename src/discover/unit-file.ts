// Reads a unit of systemd as systemd does: the file that counts of those in its path, and the drop-ins beside it.

import type { Host } from "./host.ts";

/** Where systemd looks for units of the system, the first that has one counts. */
const UNIT_PATH = [
  "/etc/systemd/system.control",
  "/run/systemd/system.control",
  "/run/systemd/transient",
  "/run/systemd/generator.early",
  "/etc/systemd/system",
  "/run/systemd/system",
  "/run/systemd/generator",
  "/usr/local/lib/systemd/system",
  "/usr/lib/systemd/system",
  "/lib/systemd/system",
  "/run/systemd/generator.late",
];

/** Our own drop-in, in the directory of a service. */
export const DROP_IN = "rollcall.conf";

export interface Setting {
  readonly section: string;
  readonly name: string;
  /** As it stands there, with lines that go on joined. */
  readonly value: string;
}

export interface Unit {
  readonly settings: readonly Setting[];
  /** Our own drop-in; null: there is none. */
  readonly ours: readonly Setting[] | null;
}

/** Null: there is no such unit, or it is masked. Without what our own drop-in sets. */
export function readUnit(name: string, host: Host): Unit | null {
  const file = [name, templateOf(name)].flatMap((one) => (one === null ? [] : (fileOf(one, host) ?? [])))[0];
  if (file === undefined || isMasked(file, host)) return null;
  const settings = settingsOf(host.read(file) ?? "");
  let ours: readonly Setting[] | null = null;
  for (const [conf, path] of dropInsOf(name, host)) {
    const more = settingsOf(host.read(path) ?? "");
    if (conf === DROP_IN) ours = more;
    else settings.push(...more);
  }
  return { settings, ours };
}

/** The names of units that others want or require, as an enabled one is, with this ending. */
export function wantedUnits(ending: string, host: Host): readonly string[] {
  const wanted = UNIT_PATH.flatMap((directory) =>
    host
      .names(directory)
      .filter((name) => /\.(?:wants|requires|upholds)$/.test(name))
      .flatMap((name) => host.names(`${directory}/${name}`)),
  );
  const transient = host.names("/run/systemd/transient");
  return [...new Set([...wanted, ...transient].filter((name) => name.endsWith(ending)))].sort();
}

/** `backup@daily.timer` is made of `backup@.timer`; null: it is made of no other. */
const templateOf = (name: string): string | null => (/@[^.]/.test(name) ? name.replace(/@.*(\.\w+)$/, "@$1") : null);

const fileOf = (name: string, host: Host): string | null =>
  UNIT_PATH.map((directory) => `${directory}/${name}`).find(
    (path) => host.facts(path) !== null || host.link(path) !== null,
  ) ?? null;

const isMasked = (path: string, host: Host): boolean => host.link(path) === "/dev/null" || host.read(path) === "";

/** By name, as systemd takes them; of one name the first in the path counts. */
function dropInsOf(name: string, host: Host): readonly (readonly [string, string])[] {
  const found = new Map<string, string>();
  const type = name.slice(name.lastIndexOf(".") + 1);
  for (const of of [name, templateOf(name), `${type}`])
    for (const directory of UNIT_PATH)
      for (const conf of of === null ? [] : host.names(`${directory}/${of}.d`))
        if (conf.endsWith(".conf") && !found.has(conf)) found.set(conf, `${directory}/${of}.d/${conf}`);
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1));
}

function settingsOf(text: string): Setting[] {
  const settings: Setting[] = [];
  let section = "";
  let open = "";
  for (const line of text.split("\n")) {
    if (/^\s*[#;]/.test(line)) continue;
    const whole = open + (open === "" ? line : line.trimStart());
    if (whole.endsWith("\\")) {
      open = `${whole.slice(0, -1)} `;
      continue;
    }
    open = "";
    const head = /^\s*\[(.+)\]\s*$/.exec(whole);
    if (head !== null) section = head[1]!;
    const [, name, value] = /^\s*([A-Za-z0-9-]+)\s*=\s*(.*?)\s*$/.exec(whole) ?? [];
    if (head === null && name !== undefined) settings.push({ section, name, value: value! });
  }
  return settings;
}

/** The values of a setting that may stand several times; an empty one forgets those before it. */
export function valuesOf(settings: readonly Setting[], section: string, name: string): readonly string[] {
  let values: string[] = [];
  for (const setting of settings)
    if (setting.section === section && setting.name === name)
      values = setting.value === "" ? [] : [...values, setting.value];
  return values;
}

/** The last value; null: it is not set. */
export const lastOf = (settings: readonly Setting[], section: string, name: string): string | null =>
  valuesOf(settings, section, name).at(-1) ?? null;
