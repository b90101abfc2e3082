// Destinations that operations keep beside those of the configuration (R31): each is checked as the configuration is,
// and tried before it counts. A reload puts it in force. Knows no channel.

import { statSync } from "node:fs";
import type { ChannelEntry, ChannelKey } from "../../config/channels.ts";
import { CHANNEL_KEYS, CHANNELS, meaningFor, NEEDED } from "../../config/channels.ts";
import { HEARING_KEYS, rotasIn } from "../../config/destination-keys.ts";
import { keptToml } from "../../config/example-file.ts";
import { keptAs } from "../../config/kept-tables.ts";
import type { Config } from "../../config/keys.ts";
import { annotationsOf } from "../../config/kinds.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { policyOf } from "../../config/policy.ts";
import { SLUG } from "../../config/vocabulary.ts";
import { isSlug } from "../../domain/api-key.ts";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import type { TestMessage } from "../../domain/message/test-message.ts";
import { destinationPath as pathOf, tableAt } from "../../domain/settings/kept.ts";
import type { KeptTable } from "../../domain/settings/policy.ts";
import { routesAt } from "../../domain/settings/routes.ts";
import { orElse } from "../../domain/unless-missing.ts";
import type {
  DestinationKeeper,
  DestinationKind,
  DestinationTrial,
  TableKeeper,
  WantedDestination,
} from "../../engine/reloads.ts";
import { keepArrived } from "../../store/deliveries.ts";
import type { Store } from "../../store/store.ts";
import { randomTopic, systemClock } from "../clock.ts";
import { type InForce, settingOf } from "./in-force.ts";
import { routesRenamed, routesWith, routesWithout, shownRoutes } from "./kept-routes.ts";
import { type KeptTablesParts, notKept } from "./kept-tables.ts";
import type { createSending } from "./sending.ts";

interface DestinationKeeperParts extends KeptTablesParts {
  readonly sending: Pick<ReturnType<typeof createSending>, "tryOut" | "rename">;
  readonly tables: TableKeeper;
  readonly log: Log;
}

const REMEMBERED = 16;

export function createDestinationKeeper(parts: DestinationKeeperParts): DestinationKeeper {
  const { inForce, store, reloads, sending, tables, log } = parts;
  const trials = new Map<number, DestinationTrial>();
  let lastId = 0;

  function note(trial: DestinationTrial): DestinationTrial {
    trials.set(trial.id, trial);
    for (const old of [...trials.keys()].slice(0, -REMEMBERED)) trials.delete(old);
    return trial;
  }

  function save(trial: DestinationTrial, wanted: WantedDestination, noteDone: () => void): DestinationTrial {
    if (wanted.before !== undefined && wanted.before !== JSON.stringify(settingsOf(store, wanted.name)))
      throw new Error("it was changed or removed meanwhile");
    store.database.transaction(() => {
      for (const table of tablesOf(store, wanted)) store.keptTables.save(table, systemClock.now());
      noteDone();
    })();
    reloads.begin();
    log("info", "destination_added", { destination: wanted.name, answer: trial.answer });
    return note({ ...trial, state: "kept" });
  }

  const add: DestinationKeeper["add"] = (wanted, test, noteDone) => {
    const checked = check(parts, wanted);
    if (isRefusal(checked)) return checked;
    const { name, settings } = wanted;
    const trial = { id: ++lastId, name, type: settings["type"] ?? "", state: "testing", answer: null } as const;
    if (test === null || settings["type"] === "rota") return { trial: save(trial, wanted, noteDone), begin: null };
    return { trial: note(trial), begin: () => void tryOut(trial, wanted, checked, test, noteDone) };
  };

  async function tryOut(
    begun: DestinationTrial,
    wanted: WantedDestination,
    { config }: LoadedConfig,
    test: TestMessage,
    noteDone: () => void,
  ): Promise<void> {
    const { verdict, answer } = await sending.tryOut(config, wanted.name, test);
    const trial = { ...begun, answer };
    if (verdict !== "delivered") {
      log("warn", "destination_refused", { destination: wanted.name, answer });
      note({ ...trial, state: "refused" });
      return;
    }
    try {
      save(trial, wanted, () => {
        noteDone();
        noteArrived(store, config, wanted.name, { test, answer });
      });
    } catch (error) {
      log("error", "destination_not_kept", { destination: wanted.name, error });
      note({ ...trial, state: "failed" });
    }
  }

  function remove(name: string): Refusal | null {
    if (settingsOf(store, name) === undefined) return notKept(inForce, pathOf(name), missing(name));
    const rota = rotasIn(inForce.loaded().config.destinations).find(({ turns }) => turns.includes(name));
    if (rota !== undefined)
      return refuse(
        "INVALID_REQUEST",
        `name: it is a turn of ${JSON.stringify(rota.name)}, whose turns must change first`,
      );
    const { save, remove } = routesWithout(tables.all(), name);
    const refused = tables.change({ save, remove: [pathOf(name), ...remove] });
    if (refused === null) log("info", "destination_removed", { destination: name });
    return refused;
  }

  return {
    kinds: () => kindsWith(randomTopic()),
    list: () => shownDestinations(inForce, tables.all()),
    routes: () => shownRoutes(inForce, tables.all()),
    add,
    changed: (name, given, onHost) => changedDestination(parts, name, given, onHost),
    rename: (name, newName) => renameDestination(parts, name, newName),
    toml: (name) => tomlOf(parts, name),
    find: (id) => trials.get(id) ?? null,
    remove,
  };
}

/** The test that has arrived is kept as any other. In a transaction. */
function noteArrived(
  { alerts, database }: Store,
  config: Config,
  name: string,
  { test, answer }: Readonly<{ test: TestMessage; answer: string }>,
): void {
  const routes = routesAt(policyOf(config), name) ?? [];
  keepArrived(database, { alertId: alerts.insert(null, test), routes, at: systemClock.now() }, answer);
}

const settingsOf = ({ keptTables }: Store, name: string) => tableAt(keptTables.all(), pathOf(name))?.settings;

function changedDestination(
  { inForce, store }: DestinationKeeperParts,
  name: string,
  given: KeptTable["settings"],
  onHost: boolean,
): WantedDestination | Refusal {
  const before = settingsOf(store, name);
  if (before === undefined) return notKept(inForce, pathOf(name), missing(name));
  const settings = withChanges(before, given);
  const again = onHost || !leadsElsewhere(before, settings) ? [] : secretsIn(settings).filter((key) => !(key in given));
  const rule = "must be given again, because with another url it would go elsewhere";
  if (again.length > 0) return refuse("INVALID_REQUEST", `${again[0]}: is missing, ${rule}`);
  return { name, settings, application: null, before: JSON.stringify(before) };
}

function renameDestination(
  parts: DestinationKeeperParts,
  name: string,
  newName: string,
): ReturnType<DestinationKeeper["rename"]> {
  const { inForce, store, sending, reloads, log } = parts;
  const settings = settingsOf(store, name);
  if (settings === undefined) return notKept(inForce, pathOf(name), missing(name));
  const wrong = (why: string): Refusal => refuse("INVALID_REQUEST", `newName: ${why}`);
  if (!isSlug(newName)) return wrong(`${JSON.stringify(newName)} is not a name, ${SLUG.rule}`);
  if (inForce.loaded().config.destinations.has(newName) || settingsOf(store, newName) !== undefined)
    return wrong(`there is a destination ${JSON.stringify(newName)} already`);
  const lists = routesRenamed(store.keptTables.all(), name, newName);
  const save = [tableOf({ name: newName, settings }), ...lists];
  const checked = inForce.readChanged({ save, remove: [pathOf(name)] });
  if (isRefusal(checked)) return checked;
  if (store.destinations.isBusy(name, newName))
    return wrong("a message is on its way there, or waits for another of the new name; give the command again");
  const isInForce = inForce.originOf(pathOf(name)) === keptAs(pathOf(name)).by;
  const waiting = isInForce ? sending.rename(name, newName) : 0;
  store.keptTables.rename(pathOf(name), pathOf(newName));
  for (const list of lists) store.keptTables.save(list, systemClock.now());
  reloads.begin();
  log("info", "destination_renamed", { destination: name, to: newName, waiting });
  return { name, newName, waiting };
}

function tomlOf({ inForce, store }: DestinationKeeperParts, name: string | null): string | Refusal {
  const tables = store.keptTables
    .all()
    .filter(({ path }) => (name === null ? path.startsWith(pathOf("")) : path === pathOf(name)));
  if (name !== null && tables.length === 0) return notKept(inForce, pathOf(name), missing(name));
  return tables.map(keptToml).join("\n");
}

const missing = (name: string): string => `name: there is no destination ${JSON.stringify(name)} that a command added`;

/** Of a key and its `_file` the one that is given holds. */
function withChanges(before: KeptTable["settings"], given: KeptTable["settings"]): KeptTable["settings"] {
  const named = new Set(Object.keys(given).map(ownerOf));
  const others = Object.entries(before).filter(([key]) => !named.has(ownerOf(key)));
  return Object.fromEntries([...others, ...Object.entries(given).filter(([, value]) => value !== "")]);
}

const ownerOf = (key: string): string => key.replace(/_file$/, "");

const leadsElsewhere = (before: KeptTable["settings"], now: KeptTable["settings"]): boolean =>
  ["url", "url_file"].some((key) => before[key] !== now[key]);

const secretsIn = (settings: KeptTable["settings"]): string[] =>
  Object.keys(settings).filter((key) => annotationsOf(CHANNEL_KEYS[ownerOf(key) as ChannelKey] ?? {}).secret === true);

const tableOf = ({ name, settings }: Pick<WantedDestination, "name" | "settings">): KeptTable => ({
  path: pathOf(name),
  settings,
});

/** With the lists that then name it. */
const tablesOf = ({ keptTables }: Store, wanted: WantedDestination): KeptTable[] =>
  wanted.before === undefined
    ? [tableOf(wanted), ...routesWith(keptTables.all(), tableOf(wanted), wanted.application)]
    : [tableOf(wanted)];

/** The configuration as it would be read with it. */
/** Exists without a table of its own, and another type under its name would take the team's mail away. */
const BUILT_IN = "email";

function check({ inForce, store }: DestinationKeeperParts, wanted: WantedDestination): LoadedConfig | Refusal {
  const { name, settings } = wanted;
  if (!isSlug(name)) return refuse("INVALID_REQUEST", `name: ${JSON.stringify(name)} is not a name, ${SLUG.rule}`);
  if (name === BUILT_IN && settings["type"] !== BUILT_IN)
    return refuse("INVALID_REQUEST", `name: "${BUILT_IN}" is the mail to the team's members, choose another name`);
  const endless = Object.entries(settings).find(([key, value]) => key.endsWith("_file") && isEndless(value));
  if (endless !== undefined)
    return refuse("INVALID_REQUEST", `${endless[0]}: is not a file of at most 64 KiB, must hold the secret alone`);
  return inForce.readChanged({ save: tablesOf(store, wanted) });
}

/** The whole service waits while a file is read: a device or a pipe may have no end, and a pipe no beginning. */
function isEndless(path: string): boolean {
  const facts = orElse(null, () => statSync(path));
  return facts !== null && (!facts.isFile() || facts.size > 65_536);
}

const HEARING = Object.entries(HEARING_KEYS).map(([key, schema]) => {
  const { meaning = "", example = "" } = annotationsOf(schema);
  return { key, needed: false, secret: false, hearing: true, meaning, example: String(example), suggestion: null };
});

/** First those for which nobody needs anything. `topic`: that nobody knows yet. */
const kindsWith = (topic: string): readonly DestinationKind[] =>
  OFFERED.toSorted((a, b) => Number("suggests" in b[1]) - Number("suggests" in a[1])).map(([type, entry]) =>
    kindOf(type, entry, topic),
  );

const OFFERED = Object.entries<ChannelEntry>(CHANNELS).filter(([, { onlyInFile = false }]) => !onlyInFile);

const kindOf = (
  type: string,
  { sample = type, keys, examples = {}, suggests }: ChannelEntry,
  topic: string,
): DestinationKind => ({
  type,
  sample,
  keys: (Object.keys(CHANNEL_KEYS) as ChannelKey[])
    .filter((key) => Object.hasOwn(keys, key))
    .map((key) => {
      const { meaning = "", example = "", secret = false } = annotationsOf(CHANNEL_KEYS[key]);
      const otherwise = typeof keys[key] === "string" ? keys[key] : example;
      const shown = { meaning: meaningFor(type, meaning), example: String(examples[key] ?? otherwise) };
      const suggestion = suggests === undefined ? null : (suggests[key] ?? (key === "topic" ? topic : null));
      return { key: key as string, needed: keys[key] === NEEDED, secret, hearing: false, suggestion, ...shown };
    })
    .concat(HEARING),
});

function shownDestinations(inForce: InForce, kept: readonly KeptTable[]): ReturnType<DestinationKeeper["list"]> {
  const { destinations, team } = inForce.loaded().config;
  const { settings } = inForce.settings;
  const tables = new Map(
    kept.flatMap((table) => {
      const name = settingOf("destinations", table.path);
      return name === null ? [] : [[name, table]];
    }),
  );
  return [...new Set([...destinations.keys(), ...tables.keys()])].map((name) => {
    const table = tables.get(name);
    const from = inForce.originOf(pathOf(name));
    const own = settings.flatMap(({ key: whole, value, secret }) => {
      const key = settingOf(pathOf(name), whole);
      return key !== null && (secret || value !== null) ? [{ key, value }] : [];
    });
    return {
      name,
      type: destinations.get(name)?.type ?? table?.settings["type"] ?? "",
      settings: own,
      from: from ?? (table === undefined ? null : keptAs(table.path).by),
      kept: table !== undefined,
      byDefault: team.destinations.includes(name),
      overruled: table === undefined ? null : inForce.whyLeftOut(table),
    };
  });
}
