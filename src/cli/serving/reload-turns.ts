// Reads the configuration again while the service runs, because an operator asks for it or at SIGHUP, one reading after
// another. A faulty configuration changes nothing. Each part knows by itself how to take on another configuration.

import { formatFault } from "../../config/fault.ts";
import { placeOfPiece } from "../../config/kept-toml.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { type ChangedSetting, reloadable } from "../../config/reloadable.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import type { Log } from "../../domain/log.ts";
import type { ChangedKey, Reload, Reloads } from "../../engine/engine-settings.ts";
import type { InForce } from "./in-force.ts";

interface Reloading {
  /** Puts the configuration in force for everything that is made from it. */
  readonly reconfigure: (loaded: LoadedConfig) => InPieces<void>;
  readonly began: () => void;
  readonly ended: () => void;
}

const REMEMBERED = 16;

const NOTHING = { changed: [], restart: [], faults: [], warnings: [] } as const;

/** `schedule` calls back at the end of this turn of the event loop, as `setImmediate` does. */
export function createReloads(inForce: InForce, schedule: (run: () => void) => void, log: Log) {
  const known = new Map<number, Reload>();
  const waiting: number[] = [];
  let isBusy = false;
  /** `null` before the start and after the stop. */
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
    // An error of a reading must not reach the event loop, where it would end the service.
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
    const { inForce: now, changed, waiting: later } = reloadable(inForce.loaded(), loaded);
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
    /** Starts the readings. Those that were asked for before this have waited. */
    start: (starting: Reloading): void => {
      parts = starting;
      next();
    },
    /** Ends the readings: nothing more is read or put in force, because the next start does both. */
    stop: (): void => {
      parts = null;
    },
  };
}

/**
 * Warns of destinations and other pieces that an administrator added, but that are not in force, so that alerts do not
 * go there.
 */
export function warnOfLeftOut(inForce: InForce, loaded: LoadedConfig, log: Log): void {
  for (const name of inForce.leftOut(loaded))
    log("warn", "kept_left_out", { name, rule: `${placeOfPiece(name).list} says why` });
}

const changedKey = ({ key }: ChangedSetting | ChangedKey): string => key;
