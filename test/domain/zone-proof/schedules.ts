// The schedules that the zone proof puts through every clock change: every form a field can take, and the times at
// which clocks are changed somewhere. What a crontab holds and what its monitor was told are mostly, not always, the
// same text.

export interface ProvenSchedule {
  /** What the monitor is told. */
  readonly declared: string;
  /** What the scheduler runs by. Clients write lists where the crontab has `*`. */
  readonly crontab: string;
}

const listed = (low: number, high: number, step = 1): string => {
  const values: number[] = [];
  for (let value = low; value <= high; value += step) values.push(value);
  return values.join(",");
};

const EVERY_MINUTE_LISTED = listed(0, 59);
const EVERY_DATE = listed(1, 31);

const EXPRESSIONS: readonly string[] = [
  // The minute or the hour begins with `*`: cron follows the clock.
  "* * * * *",
  "*/2 * * * *",
  "*/5 * * * *",
  "*/15 * * * *",
  "7-59/10 * * * *",
  "0 * * * *",
  "1 * * * *",
  "30 * * * *",
  "59 * * * *",
  "0,30 * * * *",
  "0 */2 * * *",
  "30 */3 * * *",
  "0 */6 * * *",
  "*/20 2 * * *",
  "*/10 0-3 * * *",
  "*/30 23 * * *",
  "*/15 9-17 * * 1-5",
  // Fixed times of day, most of them inside somebody's skipped or repeated hour, or at its edges.
  "0 0 * * *",
  "1 0 * * *",
  "15 0 * * *",
  "30 0 * * *",
  "59 0 * * *",
  "0 1 * * *",
  "30 1 * * *",
  "45 1 * * *",
  "59 1 * * *",
  "0 2 * * *",
  "15 2 * * *",
  "30 2 * * *",
  "59 2 * * *",
  "0 3 * * *",
  "1 3 * * *",
  "30 3 * * *",
  "0 4 * * *",
  "0 12 * * *",
  "30 22 * * *",
  "0 23 * * *",
  "30 23 * * *",
  "59 23 * * *",
  // Lists, ranges and steps of fixed times, also lists that say `*` in full.
  "0 0-23 * * *",
  "30 1-23/2 * * *",
  "0,30 1-3 * * *",
  "0 0,1,2,3 * * *",
  "0 0,6,12,18 * * *",
  "0,15,30,45 0-4 * * *",
  "30 1,4 * * *",
  `${EVERY_MINUTE_LISTED} 1-2 * * *`,
  `${listed(0, 59, 5)} ${listed(0, 23)} * * *`,
  // Days of the week and of the month, either of them, both, and those that say `*` in another way.
  "0 2 * * 0",
  "30 2 * * 0",
  "30 1 * * SUN",
  "0 0 * * FRI,SAT",
  "0 3 * * 1-5",
  "30 0 * * 0,6",
  "0 0 1 * *",
  "30 2 1 * *",
  "30 1 25-31 * *",
  "30 2 13 * 0",
  "30 2 1,15 * 0",
  "0 1 8-14 * 0",
  "0 2 */2 * *",
  "30 2 */2 * 0",
  "30 1 * * */2",
  "0 3 */7 * 0",
  `30 2 ${EVERY_DATE} * *`,
  `30 2 ${EVERY_DATE} * 0`,
  `0 2 ${EVERY_DATE} ${listed(1, 12)} ${listed(0, 6)}`,
  "30 2 * 3,4,9-11 *",
  "0 0 * */3 *",
  "@hourly",
  "@daily",
  "@weekly",
];

/** A crontab with stars whose monitor was told of lists: cron follows the clock, and the monitor does not know. */
const DECLARED_OTHERWISE: readonly ProvenSchedule[] = [
  { crontab: "*/5 * * * *", declared: `${listed(0, 59, 5)} ${listed(0, 23)} ${EVERY_DATE} ${listed(1, 12)} 0-6` },
  { crontab: "*/30 1-3 * * *", declared: "0,30 1,2,3 * * *" },
  { crontab: "30 */2 * * 0", declared: `30 ${listed(0, 22, 2)} ${EVERY_DATE} * 0` },
  { crontab: "30 2 * * *", declared: "0 30 2 * * *" },
];

export const PROVEN_SCHEDULES: readonly ProvenSchedule[] = [
  ...EXPRESSIONS.map((expression) => ({ declared: expression, crontab: expression })),
  ...DECLARED_OTHERWISE,
];
