// Reloads: reads the configuration again while the service runs, when an operator asks for it or at SIGHUP. Reloads run
// one after another, and a faulty configuration changes nothing.

import { formatFault } from "../../config/fault.ts";
import { placeOfSection } from "../../config/kept-toml.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { type ChangedSetting, reloadableConfig } from "../../config/reloadable.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import type { Log } from "../../domain/log.ts";
import type { ChangedKey, Reload, Reloads } from "../../engine/engine-settings.ts";
import type { InForce } from "./in-force.ts";

interface Reloading {
  /** Puts the configuration in force for all parts of the service that are made from it. */
  readonly reconfigure: (loaded: LoadedConfig) => InPieces<void>;
  readonly began: () => void;
  readonly ended: () => void;
}

const REMEMBERED = 16;

const NOTHING = { changed: [], restart: [], faults: [], warnings: [] } as const;

/**
 * Returns the object with which operations and SIGHUP ask for reloads, and that tells how each reload ended. `schedule`
 * calls a function at the end of the present turn of the event loop, as `setImmediate` does.
 */
export function createReloads(inForce: InForce, schedule: (run: () => void) => void, log: Log) {
  const known = new Map<number, Reload>();
  const waiting: number[] = [];
  let isBusy = false;
  /** The parts that take a new configuration; `null` before the start and after the stop, when no reload may run. */
  let parts: Reloading | null = null;
  let lastId = 0;

  const find: Reloads["find"] = (id) => known.get(id) ?? null;

  function note(id: number, what: Omit<Reload, "id">): Reload {
    const reload = { id, ...what };
    known.set(id, reload);
    for (const old of [...known.keys()].slice(0, -REMEMBERED))
      if (known.get(old)?.state !== "waiting") known.delete(old);
    return reload;
  }

  function begin(): Reload {
    const id = ++lastId;
    waiting.push(id);
    schedule(next);
    return note(id, { state: "waiting", ...NOTHING });
  }

  function next(): void {
    if (isBusy || parts === null) return;
    const id = waiting.shift();
    if (id === undefined) return;
    isBusy = true;
    parts.began();
    // `goOn` catches errors of this reload. If one reached the event loop, the service would end.
    goOn(id, readAgain(id, parts));
  }

  function goOn(id: number, work: InPieces<void>): void {
    if (parts === null) return;
    try {
      if (!work.next().done) return schedule(() => goOn(id, work));
    } catch (error) {
      log("error", "reload_failed", { error, rule: "run `rollcall reload` again" });
      note(id, { ...find(id)!, state: "failed" });
    }
    isBusy = false;
    parts.ended();
    next();
  }

  function* readAgain(id: number, { reconfigure }: Reloading): InPieces<void> {
    const loaded = inForce.read();
    if ("faults" in loaded) {
      const faults = loaded.faults.map(formatFault);
      log("error", "reload_refused", { faults });
      note(id, { ...NOTHING, state: "refused", faults });
      return;
    }
    const { inForce: now, changed, waiting: later } = reloadableConfig(inForce.loaded(), loaded);
    const said = { changed: changed.map(inForce.shown), restart: later.map(inForce.shown) };
    const warnings = loaded.warnings.map(formatFault);
    const reload = { ...NOTHING, ...said, warnings };
    for (const warning of warnings) log("warn", "configuration_doubtful", { warning });
    note(id, { ...reload, state: "applying" });
    warnOfLeftOut(inForce, now, log);
    yield* reconfigure(now);
    log("info", "reloaded", { changed: changed.map(changedKey), restart: later.map(changedKey), sources: now.sources });
    note(id, { ...reload, state: "done" });
  }

  return {
    begin,
    find,
    /** Runs the reloads that were asked for before this call. Reloads that are asked for later run at once. */
    start: (starting: Reloading): void => {
      parts = starting;
      next();
    },
    /** Ends all reloads, also one under way: the next start reads the configuration anyway. */
    stop: (): void => {
      parts = null;
    },
  };
}

/** Warns of destinations and other sections of the configuration that an operation added but that are not in force. */
export function warnOfLeftOut(inForce: InForce, loaded: LoadedConfig, log: Log): void {
  for (const name of inForce.leftOut(loaded))
    log("warn", "kept_left_out", { name, rule: `${placeOfSection(name).showCommand} says why` });
}

const changedKey = ({ key }: ChangedSetting | ChangedKey): string => key;
