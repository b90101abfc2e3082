// The faults of rollcall, its machine and its receivers: when, how often, for how long. Drawn from the seed; the world
// makes them happen.

import type { Agenda } from "./agenda.ts";
import { CRASH_POINTS, type CrashPoint } from "./crash-points.ts";
import { API_KEYS } from "./fleet.ts";
import type { Random } from "./random.ts";
import { type Condition, RECEIVERS, type ReceiverName } from "./receivers.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND, YEAR } from "./units.ts";

/** What can be done to the world. Durations in milliseconds; each answers whether it could be done now. */
export interface Troublemaker {
  stop(length: number): boolean;
  kill(length: number): boolean;
  freeze(length: number, clockCounts: boolean): boolean;
  /** Sets the wall clock wrong by so much, and right again after a while. */
  misset(by: number, length: number): boolean;
  storage(state: "read only" | "full", length: number): boolean;
  flood(apiKey: number, length: number): boolean;
  crash(point: CrashPoint): boolean;
  /** Makes a backup, and restores it after so long; or the one that was restored last, once more. */
  restore(age: number): boolean;
  receiver(name: ReceiverName, condition: Condition, length: number): boolean;
}

interface Kind {
  readonly name: string;
  readonly perYear: number;
  befall(world: Troublemaker, random: Random): boolean;
}

/** A length between two bounds, the short ones as likely as the long ones. */
const between = (random: Random, least: number, most: number): number =>
  Math.round(least * (most / least) ** random.fraction());

const KINDS: readonly Kind[] = [
  { name: "stopped", perYear: 30, befall: (world, random) => world.stop(between(random, SECOND, 10 * MINUTE)) },
  { name: "killed", perYear: 60, befall: (world, random) => world.kill(between(random, 50, 30 * SECOND)) },
  { name: "down for long", perYear: 12, befall: (world, random) => world.kill(between(random, MINUTE, 8 * HOUR)) },
  {
    name: "frozen for a moment",
    perYear: 60,
    befall: (world, random) => world.freeze(between(random, 100, 4_900), random.chance(0.7)),
  },
  {
    name: "frozen",
    perYear: 50,
    befall: (world, random) => world.freeze(between(random, 4_900, 5 * MINUTE), true),
  },
  {
    name: "frozen for long",
    perYear: 8,
    befall: (world, random) => world.freeze(between(random, 5 * MINUTE, 5 * HOUR), true),
  },
  {
    name: "machine asleep",
    perYear: 20,
    befall: (world, random) => world.freeze(between(random, 2 * SECOND, 8 * HOUR), false),
  },
  {
    name: "clock a little wrong",
    perYear: 30,
    befall: (world, random) => world.misset(sign(random) * between(random, 50, 4_900), between(random, 2_000, HOUR)),
  },
  {
    name: "clock ahead",
    perYear: 12,
    befall: (world, random) => world.misset(between(random, 4_900, 6 * HOUR), between(random, 3_000, 2 * HOUR)),
  },
  {
    name: "clock behind",
    perYear: 12,
    befall: (world, random) => world.misset(-between(random, 4_900, 6 * HOUR), between(random, 3_000, 2 * HOUR)),
  },
  {
    name: "storage read-only",
    perYear: 25,
    befall: (world, random) => world.storage("read only", between(random, 100, 20 * MINUTE)),
  },
  {
    name: "storage full",
    perYear: 15,
    befall: (world, random) => world.storage("full", between(random, SECOND, 40 * MINUTE)),
  },
  { name: "restored", perYear: 24, befall: (world, random) => world.restore(between(random, 20 * MINUTE, 4 * DAY)) },
  {
    name: "key flooded",
    perYear: 20,
    befall: (world, random) => world.flood(random.whole(0, API_KEYS - 1), between(random, 10 * SECOND, 3 * HOUR)),
  },
  ...CRASH_POINTS.map((point) => ({
    name: `crash ${point}`,
    perYear: 12,
    befall: (world: Troublemaker) => world.crash(point),
  })),
  {
    name: "receiver gone",
    perYear: 50,
    befall: (world, random) => world.receiver(random.pick(RECEIVERS).name, "gone", between(random, MINUTE, 10 * HOUR)),
  },
  {
    name: "receiver slow",
    perYear: 20,
    befall: (world, random) => world.receiver(random.pick(RECEIVERS).name, "slow", between(random, MINUTE, 6 * HOUR)),
  },
  {
    name: "receiver blocking",
    perYear: 10,
    befall: (world, random) =>
      world.receiver(random.pick(RECEIVERS).name, "blocking", between(random, MINUTE, 8 * HOUR)),
  },
];

const sign = (random: Random): number => (random.chance(0.5) ? 1 : -1);

export const FAULTS = KINDS.map(({ name }) => name);

/** Enters all faults from now until `until`; `density`: how many times as often as usual. */
export function planFaults(
  agenda: Agenda,
  span: { readonly from: Instant; readonly until: Instant },
  world: Troublemaker,
  random: Random,
  density: number,
  count: (what: string) => void,
): void {
  for (const { name, perYear, befall } of KINDS) {
    const own = random.branch(name);
    const next = (after: Instant): void => {
      const at = after + own.exponential(YEAR / (perYear * density));
      if (at >= span.until) return;
      agenda.enter(Math.round(at), () => {
        if (befall(world, own)) count(`fault: ${name}`);
        next(at);
      });
    };
    next(span.from);
  }
}
