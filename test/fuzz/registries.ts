// Random bodies of bulk sync: registries that are good, that have faults in any place, and JSON that is none.

import type { Random } from "../simulation/random.ts";
import { bytesOf, drawText } from "./ingredients.ts";

/** Half a surrogate pair survives in JSON as an escape alone. */
const HALF_PAIR = "\ud800";

/** As many as some sources share, so that registries update, pause and resume what others have named. */
const MONITORS = 60;

const SCHEDULES = [
  "0 3 * * *",
  "*/5 * * * *",
  "0 0 31 2 *",
  "@daily",
  "61 * * * *",
  "",
  `0 3 * * ${HALF_PAIR}`,
  5,
  null,
];

const NUMBERS = [60, 3_600, 999_999_999, 59, -1, 60.5, 1e300, "60", null];

/** Bytes of the body, one letter each. */
export function drawRegistry(random: Random): string {
  const text = JSON.stringify(drawBodyValue(random));
  return bytesOf(random.chance(0.95) ? text : text.slice(0, random.whole(0, text.length)));
}

const drawBodyValue = (random: Random): unknown =>
  random.weighted<() => unknown>([
    [20, () => drawSound(random)],
    [1, () => drawAny(random, 4)],
    [2, () => ({ ...drawSound(random), [random.pick(["source", "version", "mode", "monitors"])]: drawAny(random, 3) })],
  ])();

const drawSound = (random: Random): object => ({
  source: `source-${random.whole(1, 4)}`,
  ...(random.chance(0.3) ? { version: "1.2.3" } : {}),
  ...(random.chance(0.3) ? { mode: "reconcile" } : {}),
  monitors: Array.from({ length: random.pick([0, 1, 2, 3, 10, 30, 100, 101]) }, () => drawItem(random)),
});

const drawItem = (random: Random): unknown => {
  if (random.chance(0.03)) return drawAny(random, 2);
  const item: Record<string, unknown> = { key: `sync-${random.whole(1, MONITORS)}`, schedule: "0 3 * * *" };
  if (random.chance(0.1)) item["key"] = random.pick<unknown>([drawText(random), HALF_PAIR, `a${HALF_PAIR}`, 1, null]);
  if (random.chance(0.1)) item["schedule"] = random.pick(SCHEDULES);
  if (random.chance(0.1)) item["name"] = random.pick<unknown>([drawText(random), HALF_PAIR, 1, null]);
  if (random.chance(0.1)) item["gracePeriod"] = random.pick(NUMBERS);
  if (random.chance(0.1)) item["maxRuntime"] = random.pick(NUMBERS);
  if (random.chance(0.1)) item["timezone"] = random.pick(["Europe/Berlin", "Mars/Olympus", "", 1, null, HALF_PAIR]);
  if (random.chance(0.1)) item["metadata"] = drawAny(random, 5);
  return item;
};

/** Any JSON value of at most this many levels. */
const drawAny = (random: Random, levels: number): unknown =>
  random.weighted<() => unknown>([
    [2, () => drawText(random)],
    [1, () => random.pick([null, true, false, HALF_PAIR])],
    [1, () => random.pick([0, -1, 1e308, 0.1])],
    [levels > 0 ? 2 : 0, () => Array.from({ length: random.whole(0, 4) }, () => drawAny(random, levels - 1))],
    [
      levels > 0 ? 3 : 0,
      () =>
        Object.fromEntries(
          Array.from({ length: random.whole(0, 4) }, () => [drawText(random), drawAny(random, levels - 1)]),
        ),
    ],
  ])();
