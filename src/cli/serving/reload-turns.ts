// Reading the configuration again while the service runs, because an operator asks or at SIGHUP: one reading after
// another. A faulty configuration changes nothing. What a part does with another configuration, the part knows.

import { formatFault } from "../../config/fault.ts";
import { placeOfPiece } from "../../config/kept-toml.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { type ChangedSetting, reloadable } from "../../config/reloadable.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import type { Log } from "../../domain/log.ts";
import type { ChangedKey, Reload, Reloads } from "../../engine/engine-settings.ts";
import type { InForce } from "./in-force.ts";

interface Reloading {
  /** Puts it in force for everything that is made of it. */
  readonly reconfigure: (loaded: LoadedConfig) => InPieces<void>;
  readonly began: () => void;
  readonly ended: () => void;
}

const REMEMBERED = 16;

const NOTHING = { changed: [], restart: [], faults: [], warnings: [] } as const;

/** `schedule` calls back at the end of this turn of the event loop: `setImmediate`. */
export function createReloads(inForce: InForce, schedule: (run: () => void) => void, log: Log) {
  const known = new Map<number, Reload>();
  const waiting: number[] = [];
  let isBusy = false;
  /** Null: not yet, or no more. */
  let does: Reloading | null = null;
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
    if (isBusy || does === null) return;
    const id = waiting.shift();
    if (id === undefined) return;
    isBusy = true;
    does.began();
    // No reading throws into the event loop: that would end the service.
    goOn(id, readAgain(id, does));
  }

  function goOn(id: number, work: InPieces<void>): void {
    if (does === null) return;
    try {
      if (!work.next().done) return schedule(() => goOn(id, work));
    } catch (error) {
      log("error", "reload_failed", { error, rule: "run `rollcall reload` again" });
      note(id, { ...find(id)!, state: "failed" });
    }
    isBusy = false;
    does.ended();
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
    /** Whatever is asked for waits until then. */
    start: (starting: Reloading): void => {
      does = starting;
      next();
    },
    /** Nothing more is read or put in force: the next start does it. */
    stop: (): void => {
      does = null;
    },
  };
}

/** Alerts do not go to these, though an administrator added them. */
export function warnOfLeftOut(inForce: InForce, loaded: LoadedConfig, log: Log): void {
  for (const name of inForce.leftOut(loaded))
    log("warn", "kept_left_out", { name, rule: `${placeOfPiece(name).list} says why` });
}

const changedKey = ({ key }: ChangedSetting | ChangedKey): string => key;
