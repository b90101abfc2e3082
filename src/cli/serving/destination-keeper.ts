// Destinations and status pages that operations keep beside those of the configuration (R31): each is checked as the
// configuration is, and a destination tried before it counts. A reload puts it in force. Knows no channel.

import { statSync } from "node:fs";
import type { ChannelEntry, ChannelKey } from "../../config/channels.ts";
import { CHANNEL_KEYS, CHANNELS, meaningFor, NEEDED } from "../../config/channels.ts";
import { annotationsOf } from "../../config/kinds.ts";
import { keptBy, type LoadedConfig } from "../../config/load.ts";
import { SLUG } from "../../config/vocabulary.ts";
import { isSlug } from "../../domain/api-key.ts";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import type { TestMessage } from "../../domain/message/test-message.ts";
import { statusPath } from "../../domain/people/status-page-settings.ts";
import type { KeptTable } from "../../domain/settings/policy.ts";
import { orElse } from "../../domain/unless-missing.ts";
import type {
  AddedStatusPage,
  DestinationKeeper,
  DestinationKind,
  DestinationTrial,
  Reloads,
  ShownDestination,
  ShownStatusPage,
  StatusPageKeeper,
  WantedDestination,
  WantedStatusPage,
} from "../../engine/reloads.ts";
import type { Store } from "../../store/store.ts";
import { systemClock } from "../clock.ts";
import { type InForce, overruled, settingOf } from "./in-force.ts";
import type { createSending } from "./sending.ts";

interface DestinationKeeperParts {
  readonly inForce: InForce;
  readonly store: Store;
  readonly reloads: Reloads;
  readonly sending: Pick<ReturnType<typeof createSending>, "tryOut">;
  readonly log: Log;
}

const REMEMBERED = 16;

export function createDestinationKeeper(parts: DestinationKeeperParts): DestinationKeeper {
  const { inForce, store, reloads, sending, log } = parts;
  const kept = store.keptTables;
  const trials = new Map<number, DestinationTrial>();
  let lastId = 0;

  function note(trial: DestinationTrial): DestinationTrial {
    trials.set(trial.id, trial);
    for (const old of [...trials.keys()].slice(0, -REMEMBERED)) trials.delete(old);
    return trial;
  }

  function save(trial: DestinationTrial, wanted: WantedDestination): DestinationTrial {
    kept.save(tableOf(wanted), systemClock.now());
    reloads.begin();
    log("info", "destination_added", { destination: wanted.name, answer: trial.answer });
    return note({ ...trial, state: "kept" });
  }

  function add(wanted: WantedDestination, test: TestMessage | null): ReturnType<DestinationKeeper["add"]> {
    const checked = check(inForce, wanted);
    if (isRefusal(checked)) return checked;
    const { name, settings } = wanted;
    const trial = { id: ++lastId, name, type: settings["type"] ?? "", state: "testing", answer: null } as const;
    if (test === null) return { trial: save(trial, wanted), begin: null };
    return { trial: note(trial), begin: () => void tryOut(trial, wanted, checked, test) };
  }

  async function tryOut(
    begun: DestinationTrial,
    wanted: WantedDestination,
    { config }: LoadedConfig,
    test: TestMessage,
  ): Promise<void> {
    const { verdict, answer } = await sending.tryOut(config, wanted.name, test);
    const trial = { ...begun, answer };
    if (verdict !== "delivered") {
      log("warn", "destination_refused", { destination: wanted.name, answer });
      note({ ...trial, state: "refused" });
      return;
    }
    try {
      save(trial, wanted);
    } catch (error) {
      log("error", "destination_not_kept", { destination: wanted.name, error });
      note({ ...trial, state: "failed" });
    }
  }

  function remove(name: string): Refusal | null {
    const missing = `name: there is no destination ${JSON.stringify(name)} that a command added`;
    const refused = removeTable(parts, pathOf(name), { field: "name", name }, missing);
    if (refused === null) log("info", "destination_removed", { destination: name });
    return refused;
  }

  return {
    kinds: () => kinds,
    list: () => shownDestinations(inForce, kept.all()),
    add,
    find: (id) => trials.get(id) ?? null,
    remove,
  };
}

/** What is removed stays in force where the configuration cannot be read again: so it is refused then. */
function removeTable(
  { inForce, store, reloads }: Pick<DestinationKeeperParts, "inForce" | "store" | "reloads">,
  path: string,
  asked: Parameters<typeof overruled>[0],
  missing: string,
): Refusal | null {
  if (!store.keptTables.all().some((table) => table.path === path)) {
    const from = inForce.originOf(path);
    return from === null || from === keptBy(path) ? refuse("NOT_FOUND", missing) : overruled(asked, from);
  }
  const refused = inForce.whyNotWithout(path);
  if (refused !== null) return refused;
  store.keptTables.remove(path);
  reloads.begin();
  return null;
}

const pathOf = (name: string): string => `destinations.${name}`;

const tableOf = ({ name, settings }: WantedDestination): KeptTable => ({ path: pathOf(name), settings });

/** The configuration as it would be read with it. */
function check(inForce: InForce, wanted: WantedDestination): LoadedConfig | Refusal {
  const { name, settings } = wanted;
  if (!isSlug(name)) return refuse("INVALID_REQUEST", `name: ${JSON.stringify(name)} is not a name, ${SLUG.rule}`);
  const endless = Object.entries(settings).find(([key, value]) => key.endsWith("_file") && isEndless(value));
  if (endless !== undefined)
    return refuse("INVALID_REQUEST", `${endless[0]}: is not a file of at most 64 KiB, must hold the secret alone`);
  return inForce.readWithTable(tableOf(wanted), { field: "name", name });
}

/** The whole service waits while a file is read: a device or a pipe may have no end, and a pipe no beginning. */
function isEndless(path: string): boolean {
  const facts = orElse(null, () => statSync(path));
  return facts !== null && (!facts.isFile() || facts.size > 65_536);
}

const kinds: readonly DestinationKind[] = Object.entries<ChannelEntry>(CHANNELS).map(
  ([type, { sample = type, keys, examples = {} }]) => ({
    type,
    sample,
    keys: (Object.keys(CHANNEL_KEYS) as ChannelKey[])
      .filter((key) => Object.hasOwn(keys, key))
      .map((key) => {
        const { meaning = "", example = "", secret = false } = annotationsOf(CHANNEL_KEYS[key]);
        const otherwise = typeof keys[key] === "string" ? keys[key] : example;
        const shown = { meaning: meaningFor(type, meaning), example: String(examples[key] ?? otherwise) };
        return { key, needed: keys[key] === NEEDED, secret, ...shown };
      }),
  }),
);

function shownDestinations(inForce: InForce, kept: readonly KeptTable[]): ShownDestination[] {
  const { destinations, team } = inForce.loaded().config;
  const { settings } = inForce.settings;
  const types = new Map(
    kept.flatMap(({ path, settings }) => {
      const name = settingOf("destinations", path);
      return name === null ? [] : [[name, settings["type"] ?? ""]];
    }),
  );
  return [...new Set([...destinations.keys(), ...types.keys()])].map((name) => {
    const from = inForce.originOf(pathOf(name));
    const own = settings.flatMap(({ key: whole, value, secret }) => {
      const key = settingOf(pathOf(name), whole);
      return key !== null && (secret || value !== null) ? [{ key, value }] : [];
    });
    return {
      name,
      type: destinations.get(name)?.type ?? types.get(name) ?? "",
      settings: own,
      from: from ?? (types.has(name) ? BY_COMMAND : null),
      kept: types.has(name),
      byDefault: team.destinations.includes(name),
      overruled: !types.has(name) || from === BY_COMMAND ? null : whyNot(from),
    };
  });
}

const BY_COMMAND = keptBy(pathOf(""));

/** Why a kept table is not in force. `from`: what is. */
const whyNot = (from: string | null): string =>
  from === null ? "the configuration no longer suits it" : `the configuration has one of this name (${from})`;

// Status pages that operations keep: one for an application, as the configuration may have it.

type Addressed = Pick<ShownStatusPage, "path" | "address">;

export function createStatusPageKeeper(parts: Pick<DestinationKeeperParts, "inForce" | "store" | "reloads">) {
  const { inForce, store, reloads } = parts;
  const pathFor = (application: string): string => `applications.${application}.status_page`;
  const addressOf = (token: string): Addressed => {
    const home = inForce.loaded().config.server.publicUrl;
    const path = statusPath(token);
    return { path, address: home === null ? null : home + path };
  };
  return {
    list: (): ShownStatusPage[] => {
      const { statusPages } = inForce.loaded().config;
      const kept = new Set(store.keptTables.all().map(({ path }) => path));
      return statusPages.map(({ token, jobs, ...page }) => {
        const table = pathFor(page.application);
        const address = addressOf(token);
        return { ...page, jobs: [...jobs], ...address, from: inForce.originOf(table), kept: kept.has(table) };
      });
    },
    keep: (application: string, settings: WantedStatusPage): AddedStatusPage | Refusal => {
      const wanted = { path: pathFor(application), settings };
      const checked = inForce.readWithTable(wanted, { field: "application", name: application });
      if (isRefusal(checked)) return checked;
      const replaced = store.keptTables.all().some(({ path }) => path === wanted.path);
      store.keptTables.save(wanted, systemClock.now());
      reloads.begin();
      return { ...addressOf(settings.token), replaced };
    },
    remove: (application: string): Refusal | null => {
      const missing = `application: ${JSON.stringify(application)} has no status page`;
      return removeTable(parts, pathFor(application), { field: "application", name: application }, missing);
    },
  } satisfies StatusPageKeeper;
}
