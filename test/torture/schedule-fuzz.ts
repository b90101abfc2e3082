// Holds what rollcall makes of random schedules against the grammar of schedule-grammar.ts. Started as a process of its
// own it is told how many, the seed and a stream in its arguments, and writes its tally so far a line at a time.

import { checkSchedule, type Dialect, parseFields } from "../../src/domain/schedule/schedule.ts";
import { nextSlot } from "../../src/domain/schedule/slots.ts";
import { type Random, seeded } from "../simulation/random.ts";
import { type Reading, readSchedule, slotAfter } from "./schedule-grammar.ts";
import { drawScheduleText } from "./schedule-texts.ts";

export interface Tally {
  readonly texts: number;
  /** Version 1 takes it; the aliases alone do; both refuse it. */
  readonly taken: number;
  readonly takenByAliases: number;
  readonly refused: number;
  readonly slotsInZones: number;
  /** Each with the text that shows it. */
  readonly disagreements: readonly string[];
}

const DIALECTS: readonly Dialect[] = ["five", "alias"];
const DISAGREEMENTS_MAX = 20;
/** Texts between two lines. */
const TALLY_EVERY = 20_000;
/** Slots in zones cost as much as a hundred others. */
const IN_ZONE = 0.02;
const ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu"];
const [EARLIEST, LATEST] = [Date.UTC(1971, 0), Date.UTC(2100, 0)];

function fuzzSchedules(texts: number, random: Random, tallied: (tally: Tally) => void): Tally {
  const disagreements: string[] = [];
  const counts = { texts: 0, taken: 0, takenByAliases: 0, refused: 0, slotsInZones: 0 };
  while (counts.texts < texts) {
    const text = drawScheduleText(random);
    const [five = null, alias = null] = DIALECTS.map((dialect) => readSchedule(text, dialect));
    for (const [dialect, reading] of [
      ["five", five],
      ["alias", alias],
    ] as const) {
      const refusal = checkSchedule(text, dialect);
      if ((refusal === null) !== (reading !== null))
        disagreements.push(`${dialect} ${JSON.stringify(text)}: ${refusal?.message ?? "taken"}`);
    }
    if (five !== null) counts.taken += 1;
    else if (alias !== null) counts.takenByAliases += 1;
    else counts.refused += 1;
    if (alias !== null && checkSchedule(text, "alias") === null) {
      const zone = random.chance(IN_ZONE) ? random.pick(ZONES) : "UTC";
      if (zone !== "UTC") counts.slotsInZones += 1;
      const wrong = disagreementOn(text, alias, zone, random.whole(EARLIEST, LATEST));
      if (wrong !== null) disagreements.push(`${JSON.stringify(text)}: ${wrong}`);
    }
    counts.texts += 1;
    disagreements.splice(DISAGREEMENTS_MAX);
    if (counts.texts % TALLY_EVERY === 0) tallied({ ...counts, disagreements });
  }
  return { ...counts, disagreements };
}

/** What its fields mean, and when it comes; null: the same. */
function disagreementOn(text: string, reading: Reading, zone: string, after: number): string | null {
  const fields = parseFields(text);
  for (const name of ["seconds", "minutes", "hours", "daysOfMonth", "months", "weekdays"] as const) {
    const expected = reading[name].flatMap((has, value) => (has ? [value] : []));
    if (fields[name].join() !== expected.join()) return `${name} are ${fields[name].join()}, not ${expected.join()}`;
  }
  const either = fields.dayOfMonthRestricted && fields.weekdayRestricted;
  if (either !== reading.eitherDay) return `either day is ${either ? "" : "not "}enough`;
  const slot = nextSlot(text, zone, after);
  const expected = slotAfter(reading, zone, after);
  if (slot === expected) return null;
  return `after ${iso(after)} in ${zone} it comes at ${slot === null ? "no time" : iso(slot)}, not ${iso(expected)}`;
}

const iso = (at: number): string => new Date(at).toISOString();

if (import.meta.main) {
  const [texts, seed, stream] = process.argv.slice(2);
  const write = (tally: Tally): void => console.log(JSON.stringify(tally));
  write(fuzzSchedules(Number(texts), seeded(Number(seed), `schedules ${stream}`), write));
}
