// Adds destinations by operations, beside those of the configuration file (R31). It says which settings each type
// needs. A destination is kept after a test message has arrived at it, or without a test if the caller wants none.

import type { Config } from "../../config/all-keys.ts";
import type { ChannelEntry, ChannelKey } from "../../config/channel-keys.ts";
import { CHANNEL_KEYS, CHANNELS, keyLabel, meaningFor, NEEDED } from "../../config/channel-keys.ts";
import { HEARING_KEYS } from "../../config/destination-keys.ts";
import { placeOfSection } from "../../config/kept-toml.ts";
import { annotationsOf } from "../../config/kinds.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { policyOfConfig } from "../../config/read-policy.ts";
import { isRefusal } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import type { TestMessage } from "../../domain/message/test-message.ts";
import { routesAt } from "../../domain/settings/alert-routes.ts";
import { destinationIn, destinationSectionName } from "../../domain/settings/kept.ts";
import type {
  DestinationKeeper,
  DestinationKind,
  DestinationTrial,
  WantedDestination,
} from "../../engine/engine-settings.ts";
import { wordsOf } from "../../engine/operations/fields.ts";
import { insertArrivedTests } from "../../store/deliveries.ts";
import type { Store } from "../../store/store.ts";
import { randomTopic, systemClock } from "../clock.ts";
import type { InForce } from "./in-force.ts";
import type { Keeper } from "./section-keeper.ts";
import type { createSending } from "./sending.ts";

interface DestinationKeeperParts {
  readonly inForce: InForce;
  readonly store: Store;
  readonly sending: Pick<ReturnType<typeof createSending>, "tryOut" | "rename">;
  readonly kept: Keeper;
  readonly log: Log;
}

const REMEMBERED = 16;

export function createDestinationKeeper(parts: DestinationKeeperParts): DestinationKeeper {
  const { inForce, store, sending, kept, log } = parts;
  const trials = new Map<number, DestinationTrial>();
  let lastId = 0;

  function note(trial: DestinationTrial): DestinationTrial {
    trials.set(trial.id, trial);
    for (const old of [...trials.keys()].slice(0, -REMEMBERED)) trials.delete(old);
    return trial;
  }

  function save(trial: DestinationTrial, wanted: WantedDestination, noteDone: () => void): DestinationTrial {
    store.database.transaction(() => {
      kept.keep(wanted.change());
      noteDone();
    })();
    log("info", "destination_added", { destination: wanted.name, answer: trial.answer });
    return note({ ...trial, state: "kept" });
  }

  const add: DestinationKeeper["add"] = (wanted, test, noteDone) => {
    const checked = kept.check(wanted.change());
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

  return {
    kinds: () => kindsWith(randomTopic()),
    secretKeys: SECRET_KEYS,
    list: () => shownDestinations(inForce, kept),
    add,
    find: (id) => trials.get(id) ?? null,
    renameWaitingMessages: sending.rename,
  };
}

/**
 * Stores a test that has arrived as a delivery, so that lists show it as they show other tests. Must be called in a
 * transaction.
 */
function noteArrived(
  { alerts, database }: Store,
  config: Config,
  name: string,
  { test, answer }: Readonly<{ test: TestMessage; answer: string }>,
): void {
  const routes = routesAt(policyOfConfig(config), name) ?? [];
  insertArrivedTests(database, { alertId: alerts.insert(null, test), routes, at: systemClock.now() }, answer);
}

const SECRET_KEYS = (Object.keys(CHANNEL_KEYS) as ChannelKey[]).filter(
  (key) => annotationsOf(CHANNEL_KEYS[key]).secret === true,
);

const HEARING = Object.entries(HEARING_KEYS).map(([key, schema]) => {
  const { meaning = "", example = "" } = annotationsOf(schema);
  return {
    key,
    label: keyLabel(key),
    choices: wordsOf(schema),
    needed: false,
    secret: false,
    hearing: true,
    meaning,
    example: String(example),
    suggestion: null,
  };
});

/**
 * Returns the types of destinations that an operation can add, first those that need no account. `topic` is a new
 * random topic, which is suggested for a service such as ntfy.
 */
const kindsWith = (topic: string): readonly DestinationKind[] =>
  OFFERED.toSorted((a, b) => Number("suggests" in b[1]) - Number("suggests" in a[1])).map(([type, entry]) =>
    destinationKind(type, entry, topic),
  );

const OFFERED = Object.entries<ChannelEntry>(CHANNELS).filter(([, { onlyInFile = false }]) => !onlyInFile);

const destinationKind = (
  type: string,
  { called, sample = type, keys, examples = {}, suggests }: ChannelEntry,
  topic: string,
): DestinationKind => ({
  type,
  called,
  sample,
  keys: (Object.keys(CHANNEL_KEYS) as ChannelKey[])
    .filter((key) => Object.hasOwn(keys, key))
    .map((key) => {
      const { meaning = "", example = "", secret = false } = annotationsOf(CHANNEL_KEYS[key]);
      const otherwise = typeof keys[key] === "string" ? keys[key] : example;
      const shown = { meaning: meaningFor(type, meaning), example: String(examples[key] ?? otherwise) };
      const suggestion = suggests === undefined ? null : (suggests[key] ?? (key === "topic" ? topic : null));
      const named = { key: key as string, label: keyLabel(key), choices: wordsOf(CHANNEL_KEYS[key]) };
      return { ...named, needed: keys[key] === NEEDED, secret, hearing: false, suggestion, ...shown };
    })
    .concat(HEARING),
});

/** Returns the destinations in force, and those that an operation added but that are not in force. */
function shownDestinations(inForce: InForce, kept: Keeper): ReturnType<DestinationKeeper["list"]> {
  const { destinations, team } = inForce.loaded().config;
  const { settings } = inForce.settings;
  const names = kept.all().flatMap(({ name }) => destinationIn(name) ?? []);
  return [...new Set([...destinations.keys(), ...names])].map((name) => {
    const section = kept.find(destinationSectionName(name));
    const prefix = `destinations.${name}.`;
    const own = settings.flatMap(({ key, value, secret }) =>
      key.startsWith(prefix) && (secret || value !== null) ? [{ key: key.slice(prefix.length), value }] : [],
    );
    return {
      name,
      type: destinations.get(name)?.type ?? section?.settings["type"] ?? "",
      settings: own,
      from: inForce.originOf(destinationSectionName(name)) ?? (section && placeOfSection(section.name).by),
      kept: section !== null,
      byDefault: team.destinations.includes(name),
      overruled: section && kept.overruled(section.name),
    };
  });
}
