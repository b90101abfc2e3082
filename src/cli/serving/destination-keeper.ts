// Destinations that operations keep beside those of the configuration (R31): each is checked as the configuration is,
// and tried before it counts. A reload puts it in force. Knows no channel.

import { statSync } from "node:fs";
import type { ChannelEntry, ChannelKey } from "../../config/channels.ts";
import { CHANNEL_KEYS, CHANNELS, meaningFor, NEEDED } from "../../config/channels.ts";
import { annotationsOf } from "../../config/kinds.ts";
import { KEPT_ORIGIN, type LoadedConfig } from "../../config/load.ts";
import { SLUG } from "../../config/vocabulary.ts";
import { isSlug } from "../../domain/api-key.ts";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import type { TestMessage } from "../../domain/message/test-message.ts";
import type { KeptDestination } from "../../domain/settings/policy.ts";
import { orElse } from "../../domain/unless-missing.ts";
import type {
  DestinationKeeper,
  DestinationKind,
  DestinationTrial,
  Reloads,
  ShownDestination,
} from "../../engine/reloads.ts";
import type { Store } from "../../store/store.ts";
import { systemClock } from "../clock.ts";
import { type InForce, settingOf } from "./in-force.ts";
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
  const kept = store.keptDestinations;
  const trials = new Map<number, DestinationTrial>();
  let lastId = 0;

  function note(trial: DestinationTrial): DestinationTrial {
    trials.set(trial.id, trial);
    for (const old of [...trials.keys()].slice(0, -REMEMBERED)) trials.delete(old);
    return trial;
  }

  function save(trial: DestinationTrial, wanted: KeptDestination): DestinationTrial {
    kept.save(wanted, systemClock.now());
    reloads.begin();
    log("info", "destination_added", { destination: wanted.name, answer: trial.answer });
    return note({ ...trial, state: "kept" });
  }

  function add(wanted: KeptDestination, test: TestMessage | null): ReturnType<DestinationKeeper["add"]> {
    const checked = check(parts, wanted);
    if (isRefusal(checked)) return checked;
    const { name, settings } = wanted;
    const trial = { id: ++lastId, name, type: settings["type"] ?? "", state: "testing", answer: null } as const;
    if (test === null) return { trial: save(trial, wanted), begin: null };
    return { trial: note(trial), begin: () => void tryOut(trial, wanted, checked, test) };
  }

  async function tryOut(
    begun: DestinationTrial,
    wanted: KeptDestination,
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
    if (kept.remove(name)) {
      reloads.begin();
      log("info", "destination_removed", { destination: name });
      return null;
    }
    const from = originOf(inForce, name);
    return from === null
      ? refuse("NOT_FOUND", `name: there is no destination ${JSON.stringify(name)} that a command added`)
      : overruled(name, from);
  }

  return {
    kinds: () => kinds,
    list: () => shownDestinations(inForce, kept.all()),
    add,
    find: (id) => trials.get(id) ?? null,
    remove,
  };
}

/** The configuration as it would be read with it. */
function check(
  { inForce, store }: Pick<DestinationKeeperParts, "inForce" | "store">,
  wanted: KeptDestination,
): LoadedConfig | Refusal {
  const { name } = wanted;
  if (!isSlug(name)) return refuse("INVALID_REQUEST", `name: ${JSON.stringify(name)} is not a name, ${SLUG.rule}`);
  const from = originOf(inForce, name);
  if (from !== null && from !== KEPT_ORIGIN) return overruled(name, from);
  const endless = Object.entries(wanted.settings).find(([key, value]) => key.endsWith("_file") && isEndless(value));
  if (endless !== undefined)
    return refuse("INVALID_REQUEST", `${endless[0]}: is not a file of at most 64 KiB, must hold the secret alone`);
  const others = store.keptDestinations.all().filter((one) => one.name !== name);
  const loaded = inForce.readWith([...others, wanted]);
  if ("config" in loaded) return loaded;
  const sentences = loaded.faults.flatMap(({ key, what, rule }) => {
    const field = settingOf(name, key);
    return field === null ? [] : [`${field || "name"}: ${what}, ${rule}`];
  });
  const other = "settings: the configuration on disk is faulty; `rollcall config check` says why";
  return refuse("INVALID_REQUEST", sentences.length === 0 ? other : sentences.join("; "));
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

/** Who set the destination that is in force: a line of a file, a variable or the command; null: none of these. */
const originOf = (inForce: InForce, name: string): string | null =>
  inForce.loaded().settings.find(({ key }) => key === `destinations.${name}.type`)?.from ?? null;

function shownDestinations(inForce: InForce, kept: readonly KeptDestination[]): ShownDestination[] {
  const { destinations, team } = inForce.loaded().config;
  const { settings } = inForce.settings;
  const types = new Map(kept.map(({ name, settings }) => [name, settings["type"] ?? ""]));
  return [...new Set([...destinations.keys(), ...types.keys()])].map((name) => {
    const from = originOf(inForce, name);
    const own = settings.flatMap(({ key: whole, value, secret }) => {
      const key = settingOf(name, whole);
      return key !== null && (secret || value !== null) ? [{ key, value }] : [];
    });
    return {
      name,
      type: destinations.get(name)?.type ?? types.get(name) ?? "",
      settings: own,
      from: from ?? (types.has(name) ? KEPT_ORIGIN : null),
      kept: types.has(name),
      byDefault: team.destinations.includes(name),
      overruled: !types.has(name) || from === KEPT_ORIGIN ? null : whyNot(from),
    };
  });
}

const whyNot = (from: string | null): string =>
  from === null ? "the configuration no longer suits it" : `the configuration has one of this name (${from})`;

const overruled = (name: string, from: string): Refusal =>
  refuse(
    "INVALID_REQUEST",
    `name: ${JSON.stringify(name)} stands in the configuration (${from}), and that wins: change it there`,
  );
