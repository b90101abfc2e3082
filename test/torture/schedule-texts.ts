// Random texts that are schedules, or nearly, or not at all. It must not know which of them are taken.

import type { Random } from "../simulation/random.ts";

interface Range {
  readonly least: number;
  readonly most: number;
  readonly names: readonly string[];
}

const SIXTY: Range = { least: 0, most: 59, names: [] };
const MONTH: Range = { least: 1, most: 12, names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") };
const WEEKDAY: Range = { least: 0, most: 6, names: "sun mon tue wed thu fri sat".split(" ") };
const FIVE: readonly Range[] = [
  SIXTY,
  { least: 0, most: 23, names: [] },
  { least: 1, most: 31, names: [] },
  MONTH,
  WEEKDAY,
];

/** What other schedulers take, and words that look like it. */
const FOREIGN = [
  ..."@hourly @daily @weekly @monthly @yearly @DAILY @Weekly @annually @midnight @reboot @every @ @daily@".split(" "),
  ..."? L W LW 15W 5L 5#2 H H/15 H(0-5) +1 ~ 5~10 7 0-7 sun-sun sun-7 mon-sun jan-13 jan1 1jan janu ja".split(" "),
  ..."00 07 059 60 61 99999999999999999999 1e1 0x1 -1 1- - 1-2-3 1/2 1//2 */ /5 */0 */1 */60 */61 */1.5 */+1".split(
    " ",
  ),
  ...", ,1 1, 1,,2 ** *1 1* *-* *-5 5-* * *,* *,5 5,* 1-31 0-59 0-23 1-12 0-6 30 31 29 feb FEB Feb ſat".split(" "),
];

/** Spaces that are none, digits of other scripts, signs that look like those of the grammar, and what ends a text. */
const ODD_LETTERS = [
  ..."\u00a0\u2003\u3000\n\r\v\f\0\u0663\uff15\u2212\u2010\uff0a\u2217\ufeff\u0131\u017f\u212a😀\ud83d",
];
const LETTERS = [..."0123456789*/,- \tabcdefjlmnoprstuvyAFJLMSWHT@?#+.:%"];
const SPACES = [" ", " ", " ", " ", "  ", "\t", " \t "];

/** A text for a random kind. */
export const drawScheduleText = (random: Random): string =>
  random.weighted<() => string>([
    [50, () => drawSchedule(random)],
    [40, () => mutate(random, drawSchedule(random))],
    [6, () => drawWords(random)],
    [4, () => drawLetters(random, random.whole(0, 30))],
  ])();

/** As the grammar has it, though its dates may never come. */
function drawSchedule(random: Random): string {
  const ranges = random.chance(0.25) ? [SIXTY, ...FIVE] : FIVE;
  // In most schedules that people write only some fields are more than a star.
  const stars = random.pick([0.1, 0.5, 0.8]);
  return join(
    random,
    ranges.map((range) => (random.chance(stars) ? "*" : drawField(random, range))),
  );
}

function join(random: Random, words: readonly string[]): string {
  const around = () => (random.chance(0.03) ? random.pick(SPACES) : "");
  return around() + words.map((word, place) => (place === 0 ? word : random.pick(SPACES) + word)).join("") + around();
}

function drawField(random: Random, range: Range): string {
  if (random.chance(0.02))
    return Array.from({ length: range.most - range.least + 1 }, (_, n) => range.least + n).join();
  const count = random.chance(0.6) ? 1 : random.whole(1, 8);
  return Array.from({ length: count }, () => drawItem(random, range)).join();
}

function drawItem(random: Random, range: Range): string {
  const { least, most } = range;
  const step = (): string => (random.chance(0.5) ? `/${random.whole(1, most - least + 1)}` : "");
  const low = random.whole(least, most);
  // The last days of months decide whether a date ever comes.
  const value = most === 31 && random.chance(0.3) ? random.whole(29, 31) : low;
  return random.weighted<() => string>([
    [5, () => drawValue(random, range, value)],
    [3, () => `${drawValue(random, range, low)}-${drawValue(random, range, random.whole(low, most))}${step()}`],
    [2, () => `*${step()}`],
  ])();
}

function drawValue(random: Random, { least, names }: Range, value: number): string {
  if (names.length > 0 && random.chance(0.4)) {
    const name = names[value - least]!;
    return random.pick([name, name.toUpperCase(), name[0]!.toUpperCase() + name.slice(1)]);
  }
  return random.chance(0.05) ? String(value).padStart(random.whole(2, 4), "0") : String(value);
}

/** One or two changes: more make only nonsense, which the other kinds are full of. */
function mutate(random: Random, text: string): string {
  let mutated = text;
  do mutated = change(random, mutated);
  while (random.chance(0.3));
  return mutated;
}

function change(random: Random, text: string): string {
  const at = random.whole(0, text.length);
  const end = at + random.whole(0, 2);
  const letter = (): string => random.pick(random.chance(0.1) ? ODD_LETTERS : LETTERS);
  return random.weighted<() => string>([
    [3, () => text.slice(0, at) + letter() + text.slice(at)],
    [3, () => text.slice(0, at) + letter() + text.slice(at + 1)],
    [2, () => text.slice(0, at) + text.slice(at + 1)],
    [1, () => text.slice(0, at) + text.slice(at, end) + text.slice(at)],
    [3, () => replaceWord(random, text, random.pick(FOREIGN))],
    [1, () => `${text} ${random.pick(FOREIGN)}`],
    [1, () => replaceWord(random, text, "")],
  ])();
}

function replaceWord(random: Random, text: string, by: string): string {
  const words = text.split(" ");
  words[random.whole(0, words.length - 1)] = by;
  return words.join(" ");
}

const drawWords = (random: Random): string =>
  join(
    random,
    Array.from({ length: random.chance(0.3) ? 1 : random.whole(3, 7) }, () => random.pick(FOREIGN)),
  );

const drawLetters = (random: Random, length: number): string =>
  Array.from({ length }, () => random.pick(random.chance(0.05) ? ODD_LETTERS : LETTERS)).join("");
