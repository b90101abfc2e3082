// Jobs of container schedulers, from named files: labels of Ofelia in a compose file, its ini, CronJobs of Kubernetes.

import { type ReadSchedule, readCronSchedule } from "../domain/schedule/cron-schedule.ts";
import { durationText } from "../domain/time.ts";
import { type Found, type Interval, intervalOf, NO_JOB } from "./found.ts";
import { cleaned, stemOf } from "./names.ts";

/** The jobs in a file; a text: why it cannot be read. `name`: for people. */
export function findContainerJobs(name: string, text: string): readonly Found[] | string {
  if (/\.(?:ini|conf)$/.test(name)) return fromOfeliaIni(name, text);
  try {
    // A file of Kubernetes may hold several documents.
    const read: unknown = Bun.YAML.parse(text);
    const documents = (Array.isArray(read) ? read : [read]).filter(isObject);
    return documents.flatMap((one) => [...fromKubernetes(name, one), ...fromCompose(name, one)]);
  } catch (error) {
    return `it is no YAML: ${error instanceof Error ? error.message : String(error)}`;
  }
}

type Tree = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const child = (tree: Tree, ...path: readonly string[]): Tree =>
  path.reduce<Tree>((at, name) => (isObject(at[name]) ? (at[name] as Tree) : {}), tree);
const textOf = (value: unknown): string | null =>
  typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : null;

function fromKubernetes(name: string, document: Tree): Found[] {
  if (document["kind"] === "List" && Array.isArray(document["items"]))
    return document["items"].filter(isObject).flatMap((item) => fromKubernetes(name, item));
  if (document["kind"] !== "CronJob") return [];
  const metadata = child(document, "metadata");
  const spec = child(document, "spec");
  const own = textOf(metadata["name"]) ?? "cronjob";
  const space = textOf(metadata["namespace"]);
  const said = textOf(spec["schedule"]) ?? "";
  const zoneLine = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/.exec(said);
  const containers = child(spec, "jobTemplate", "spec", "template", "spec")["containers"];
  const first = Array.isArray(containers) ? containers.filter(isObject)[0] : undefined;
  const words = [first?.["command"], first?.["args"]].flatMap((one) => (Array.isArray(one) ? one.map(String) : []));
  const zone = textOf(spec["timeZone"]) ?? zoneLine?.[1] ?? null;
  const interval = readGoInterval(said);
  const read = interval ?? readCronSchedule((zoneLine?.[2] ?? said).replaceAll("?", "*"));
  const unzoned =
    zone === null && interval === null
      ? "; it names no timeZone, so the zone of its controller counts, mostly UTC"
      : "";
  return [
    byHand(
      {
        where: `${name} CronJob ${space === null ? "" : `${space}/`}${own}`,
        user: "-",
        command: words.join(" ") || (textOf(first?.["image"]) ?? ""),
        stem: cleaned(own) || "cronjob",
        surnames: space === null ? [] : [space],
        said,
        timezone: zone,
      },
      spec["suspend"] === true ? { why: "it is suspended" } : read,
      (key) =>
        `put \`rollcall run ${key} --\` before its command, with ROLLCALL_URL and ROLLCALL_KEY from a Secret${unzoned}`,
    ),
  ];
}

function fromCompose(name: string, document: Tree): Found[] {
  return Object.entries(child(document, "services")).flatMap(([service, definition]) => {
    if (!isObject(definition)) return [];
    const jobs = new Map<string, Map<string, string>>();
    for (const [label, value] of labelsOf(definition["labels"])) {
      const [, kind, job, setting] = /^ofelia\.(job-\w+)\.([^.]+)\.([\w-]+)$/.exec(label) ?? [];
      if (kind === undefined) continue;
      const id = `${kind} ${job}`;
      jobs.set(id, (jobs.get(id) ?? new Map()).set(setting!, value));
    }
    return [...jobs].map(([id, settings]) => ofeliaJob(`${name} ${service}: ${id}`, id, settings, service));
  });
}

function labelsOf(labels: unknown): readonly (readonly [string, string])[] {
  if (Array.isArray(labels))
    return labels.map((one) => {
      const text = String(one);
      const at = text.indexOf("=");
      return at < 0 ? ([text, ""] as const) : ([text.slice(0, at), text.slice(at + 1)] as const);
    });
  return isObject(labels) ? Object.entries(labels).map(([label, value]) => [label, textOf(value) ?? ""] as const) : [];
}

function fromOfeliaIni(name: string, text: string): Found[] {
  const found: Found[] = [];
  let id: string | null = null;
  let settings = new Map<string, string>();
  const close = (): void => {
    if (id !== null) found.push(ofeliaJob(`${name} ${id}`, id, settings, settings.get("container") ?? ""));
  };
  for (const line of text.split("\n")) {
    const [, kind, job] = /^\s*\[(job-\w+)\s+"([^"]+)"\]\s*$/.exec(line) ?? [];
    if (/^\s*\[/.test(line)) {
      close();
      id = kind === undefined ? null : `${kind} ${job}`;
      settings = new Map();
      continue;
    }
    const [, setting, value] = /^\s*([\w-]+)\s*[=:]\s*(.*?)\s*$/.exec(line) ?? [];
    if (setting !== undefined) settings.set(setting, value!);
  }
  close();
  return found;
}

function ofeliaJob(where: string, id: string, settings: ReadonlyMap<string, string>, surname: string): Found {
  const said = settings.get("schedule") ?? "";
  const command = settings.get("command") ?? "";
  const [kind, job] = id.split(" ");
  const zoned = said.startsWith("@every") ? "" : "; its schedule is read in the zone of Ofelia's container";
  const isInside = kind === "job-run" || kind === "job-exec";
  const inside = isInside ? ", with the executable, ROLLCALL_URL and ROLLCALL_KEY in the container" : "";
  return byHand(
    {
      where,
      user: settings.get("user") ?? "-",
      command,
      stem: cleaned(job!) || stemOf(command),
      surnames: surname === "" ? [] : [surname],
      said,
      timezone: null,
    },
    readOfelia(said),
    (key) => `put \`rollcall run ${key} --\` before its command${inside}${zoned}`,
  );
}

/** `@every 1h30m`, which both count from their own start; null: another form. */
function readGoInterval(said: string): Interval | null {
  const text = /^@every\s+(\S+)$/.exec(said)?.[1];
  if (text === undefined) return null;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smh])/g)];
  const isWhole = parts.length > 0 && parts.map(([part]) => part).join("") === text;
  const seconds = parts.reduce((sum, [, number, unit]) => sum + Number(number) * GO_UNITS[unit!]!, 0);
  return intervalOf(isWhole ? seconds : null, said);
}

const GO_UNITS: Readonly<Record<string, number>> = { ms: 1e-3, s: 1, m: 60, h: 3_600 };

/** Six fields begin with the second, which must be one alone. */
function readOfelia(said: string): ReadSchedule | Interval {
  const interval = readGoInterval(said);
  if (interval !== null) return interval;
  if (said.trim() === "") return { why: "it has no schedule", broken: true };
  const words = said.trim().split(/\s+/);
  if (words.length !== 6) return readCronSchedule(words.join(" "));
  const [second, ...fields] = words;
  if (!/^\d+$/.test(second!))
    return { why: `it is due several times a minute, and a schedule once at most`, broken: false };
  return readCronSchedule(fields.join(" ").replaceAll("?", "*"));
}

function byHand(
  known: Pick<Found, "where" | "user" | "command" | "stem" | "surnames" | "said" | "timezone">,
  read: ReadSchedule | Interval,
  advice: (key: string) => string,
): Found {
  const schedule = "schedule" in read ? read.schedule : null;
  const everySeconds = "everySeconds" in read ? read.everySeconds : null;
  const option = everySeconds === null ? `--schedule '${schedule}'` : `--every ${durationText(everySeconds)}`;
  const why = "why" in read ? read.why : `only you can change it: ${advice(`${option} ${known.stem}`)}`;
  return { ...NO_JOB, ...known, schedule, everySeconds, why };
}
