// Causes faults: takes the process down and up again, freezes it, sets clocks wrong and right, breaks storage. Tells
// the verdict which fault happens and when, and nothing else.

import type { Agenda } from "./agenda.ts";
import type { CrashPoints } from "./crash-points.ts";
import type { Troublemaker } from "./faults.ts";
import type { Instance } from "./instance.ts";
import type { Machine } from "./machine.ts";
import type { Random } from "./random.ts";
import type { Receivers } from "./receivers.ts";
import { type Instant, MINUTE, SECOND } from "./units.ts";
import type { Verdict } from "./verdict.ts";

export interface Troubles extends Troublemaker {
  /** The process has died by itself; it is started again soon. */
  crashed(): void;
  /** Whether something befalls rollcall now, or has just done so. */
  underWay(): boolean;
  /** Nothing happens any more that has not happened yet. */
  calm(): void;
}

export interface TroubleParts {
  readonly agenda: Agenda;
  readonly machine: Machine;
  readonly instance: Instance;
  readonly verdict: Verdict;
  readonly crashes: CrashPoints;
  readonly receivers: Receivers;
  /** Requests without an answer: what is to be done with each when the process is gone. */
  readonly pending: ReadonlySet<() => void>;
  readonly random: Random;
  /** From then on all is well. */
  readonly quietFrom: Instant;
  readonly note: (what: string, details: object) => void;
}

/** How often what goes on is noted. */
const PULSE = 20 * SECOND;

export function troublemaker(parts: TroubleParts): Troubles {
  const { agenda, machine, instance, verdict, crashes, receivers, pending, random, quietFrom, note } = parts;
  let underWay = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  /** A later fault of a kind takes the place of the one before. */
  let life = 0;
  let clockTurn = 0;
  let storageTurn = 0;
  let storageFails = false;
  let floods = 0;
  let calmed = false;
  let putBack: (() => void) | null = null;
  let restoreWaits = false;

  const wall = machine.clock.now;
  const later = (wait: number, run: () => void): void => agenda.enter(Math.round(machine.now() + wait), run);
  const bounded = (length: number): number => Math.min(length, quietFrom - machine.now());

  function begins(): void {
    verdict.disturbed(machine.wrongBy() !== 0);
    verdict.hearing.deaf(wall());
    underWay += 1;
    if (underWay === 1) later(0, pulse);
  }

  function pulse(): void {
    verdict.disturbed(machine.wrongBy() !== 0);
    lastAt = machine.now();
    if (underWay > 0) later(PULSE, pulse);
  }

  function ends(): void {
    verdict.hearing.hears(wall());
    verdict.disturbed(machine.wrongBy() !== 0);
    lastAt = machine.now();
    underWay -= 1;
  }

  const isUnderWay = (): boolean => underWay > 0 || machine.now() - lastAt < 2 * MINUTE;

  const isRunning = (): boolean => instance.isUp() && !instance.isFrozen();

  /** Also where the process was frozen when it died: then it has been deaf already. */
  function gone(length: number): void {
    for (const lost of [...pending]) lost();
    life += 1;
    later(bounded(length), startAgain);
  }

  function startAgain(): void {
    // It could not open its database; the supervisor of the process tries again.
    if (storageFails) return later(5 * SECOND, startAgain);
    note("starts", {});
    instance.start();
    ends();
  }

  function kill(length: number): boolean {
    if (!isRunning()) return false;
    begins();
    note("killed", { length });
    instance.kill();
    gone(length);
    return true;
  }

  function stop(length: number): boolean {
    if (!isRunning()) return false;
    begins();
    const before = life;
    note("stopped", { length });
    instance.stop();
    const wait = (): void => {
      if (life !== before) return ends();
      if (instance.isGone()) gone(length);
      else later(100, wait);
    };
    wait();
    return true;
  }

  function freeze(length: number, clockCounts: boolean): boolean {
    if (!isRunning()) return false;
    begins();
    const before = life;
    note("frozen", { length, clockCounts });
    instance.freeze();
    const since = machine.now();
    later(bounded(length), () => {
      if (!clockCounts) machine.slept(machine.now() - since);
      if (life !== before) return;
      note("thawed", {});
      let wait = 0;
      for (const run of instance.thaw()) {
        wait += random.fraction() * 3;
        later(wait, run);
      }
      ends();
    });
    return true;
  }

  function setClock(wrongBy: number): void {
    note("clock set", { wrongBy });
    verdict.hearing.deaf(wall());
    machine.step(wrongBy - machine.wrongBy());
    verdict.hearing.hears(wall());
  }

  /** While storage fails clocks stay as they are, and the other way round: pulling back would be left half done. */
  function misset(by: number, length: number): boolean {
    if (storageFails || !isRunning()) return false;
    begins();
    setClock(by);
    const turn = ++clockTurn;
    later(bounded(length), () => {
      if (turn === clockTurn) setClock(0);
      ends();
    });
    return true;
  }

  function storage(state: "read only" | "full", length: number): boolean {
    if (machine.wrongBy() !== 0 || verdict.ahead() > 0 || floods > 0 || !isRunning()) return false;
    begins();
    storageFails = true;
    note("storage", { state, length });
    instance.storage(state);
    const turn = ++storageTurn;
    later(bounded(length), () => {
      if (turn === storageTurn) mend();
      ends();
    });
    return true;
  }

  function mend(): void {
    storageFails = false;
    note("storage works", {});
    instance.storage("works");
  }

  /** Not while storage fails: whether a refusal was kept then could not be told from outside. */
  function flood(apiKey: number, length: number): boolean {
    if (storageFails) return false;
    instance.flood(apiKey, true);
    floods += 1;
    later(bounded(length), () => {
      instance.flood(apiKey, false);
      floods -= 1;
    });
    return true;
  }

  function crash(point: Parameters<CrashPoints["arm"]>[0]): boolean {
    if (calmed || crashes.armed() !== null) return false;
    crashes.arm(point);
    return true;
  }

  /**
   * Of two in a row the second one may restore the same backup, as somebody does who thinks that the first went wrong.
   */
  function restore(age: number): boolean {
    if (restoreWaits || machine.now() + age > quietFrom) return false;
    restoreWaits = true;
    if (putBack !== null && random.chance(0.3)) later(age, restoreNow);
    else backUp(age);
    return true;
  }

  /** As soon as all is well: what the verdict knows is put back by it. */
  function backUp(age: number): void {
    const isWell = isRunning() && !storageFails && machine.wrongBy() === 0 && verdict.ahead() <= 0 && !isUnderWay();
    const lastDelivery = isWell ? instance.backUp() : null;
    if (lastDelivery === null) return later(10 * SECOND, () => backUp(age));
    note("backup made", {});
    putBack = verdict.keep(lastDelivery);
    later(bounded(age), restoreNow);
  }

  function restoreNow(): void {
    if (!isRunning() || storageFails || machine.wrongBy() !== 0 || verdict.ahead() > 0)
      return later(MINUTE, restoreNow);
    begins();
    note("stopped for a restore", {});
    instance.stop();
    const before = life;
    const wait = (): void => {
      if (life !== before) {
        later(MINUTE, restoreNow);
        return ends();
      }
      if (!instance.isGone()) return later(100, wait);
      instance.restore();
      putBack!();
      note("restored", {});
      restoreWaits = false;
      gone(10 * SECOND);
    };
    wait();
  }

  return {
    restore,
    stop,
    kill,
    freeze,
    misset,
    storage,
    flood,
    crash,
    receiver: (name, condition, length) => {
      receivers.set(name, condition);
      later(bounded(length), () => receivers.set(name, "well"));
      return true;
    },
    crashed: () => {
      begins();
      note("crashed", {});
      instance.kill();
      gone(2 * SECOND);
    },
    underWay: isUnderWay,
    calm: () => {
      calmed = true;
      crashes.arm(null);
    },
  };
}
