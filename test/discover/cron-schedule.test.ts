// Schedules of cron as rollcall reads them: what is translated must be due at the same minutes, and the rest says why.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readCrontab } from "../../src/discover/crontab.ts";
import { readCronSchedule } from "../../src/domain/schedule/cron-schedule.ts";
import { checkSchedule, parseFields } from "../../src/domain/schedule/schedule.ts";

test.each([
  ["0 2 * * *", "0 2 * * *"],
  ["05 2  *\t* *", "05 2 * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@annually", "0 0 1 1 *"],
  ["0 9 * * 7", "0 9 * * 0"],
  ["0 9 * * 5-7", "0 9 * * 0,5,6"],
  ["0 9 * * Mon-Fri", "0 9 * * Mon-Fri"],
  ["*/90 * * * *", "0 * * * *"],
  ["0 0 1-31 * 1", "0 0 * * *"],
  ["0 0 13 * 5", "0 0 13 * 5"],
  ["0 0 */2 * 1", "0 0 */2 * 1"],
  ["0 0 * * 0-7", "0 0 * * *"],
])("%s is %s", (said, schedule) => expect(readCronSchedule(said)).toEqual({ schedule }));

test.each([
  ["@reboot", false, "it runs when the machine starts, so no time says when a report is due"],
  ["0~30 2 * * *", false, 'cron chooses a time by chance in "0~30", so none is known before'],
  ["61 2 * * *", true, 'cron refuses minute "61": "61" is outside 0-59'],
  ["5/10 2 * * *", true, 'cron refuses minute "5/10": a step follows a range'],
  ["0 0 30 2 *", false, '"0 0 30 2 *" never comes true, day of month "30" does not occur in month "2"'],
  ["@fortnightly", true, 'cron knows no "@fortnightly"'],
])("%s cannot be watched", (said, broken, why) => expect(readCronSchedule(said)).toEqual({ why, broken }));

/** Whether cron starts a line at this minute, as crontab(5) says it. */
function startsAt(fields: readonly string[], [minute, hour, day, month, weekday]: readonly number[]): boolean {
  const is = (place: number, value: number, least: number, most: number): boolean =>
    fields[place]!.split(",").some((item) => {
      const [span = "", step = "1"] = item.split("/");
      const [low, high] = span === "*" ? [least, most] : span.split("-").map(Number);
      return value >= low! && value <= (high ?? low!) && (value - low!) % Number(step) === 0;
    });
  const isDay = is(2, day!, 1, 31);
  const isWeekday = is(4, weekday!, 0, 7) || (weekday === 0 && is(4, 7, 0, 7));
  const isEither = !fields[2]!.startsWith("*") && !fields[4]!.startsWith("*");
  return (
    is(0, minute!, 0, 59) &&
    is(1, hour!, 0, 23) &&
    is(3, month!, 1, 12) &&
    (isEither ? isDay || isWeekday : isDay && isWeekday)
  );
}

const field = (least: number, most: number) => {
  const value = fc.integer({ min: least, max: most });
  const range = fc.tuple(value, value).map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`);
  const step = fc
    .tuple(fc.oneof(fc.constant("*"), range), fc.integer({ min: 1, max: most + 5 }))
    .map((one) => one.join("/"));
  return fc
    .array(fc.oneof(fc.constant("*"), value.map(String), range, step), { minLength: 1, maxLength: 3 })
    .map((items) => items.join(","));
};

test("a translated schedule is due when cron starts the line", () => {
  const schedules = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7));
  const moments = fc.array(
    fc.tuple(fc.nat(59), fc.nat(23), fc.integer({ min: 1, max: 31 }), fc.integer({ min: 1, max: 12 }), fc.nat(6)),
    { minLength: 40, maxLength: 40 },
  );
  fc.assert(
    fc.property(schedules, moments, (fields, times) => {
      const read = readCronSchedule(fields.join(" "));
      if ("why" in read) return expect(read.why).toMatch(/never comes true/);
      expect(checkSchedule(read.schedule, "five")).toBeNull();
      const ours = parseFields(read.schedule);
      const isEither = ours.dayOfMonthRestricted && ours.weekdayRestricted;
      for (const time of times) {
        const [minute, hour, day, month, weekday] = time;
        const [isDay, isWeekday] = [ours.daysOfMonth.includes(day), ours.weekdays.includes(weekday)];
        const isDue =
          ours.minutes.includes(minute) &&
          ours.hours.includes(hour) &&
          ours.months.includes(month) &&
          (isEither ? isDay || isWeekday : isDay && isWeekday);
        expect({ time, isDue }).toEqual({ time, isDue: startsAt(fields, time) });
      }
    }),
    { numRuns: 400 },
  );
});

describe("the lines of a crontab", () => {
  const TEXT = [
    "# a comment",
    "SHELL = '/bin/bash'",
    '"MAILTO"=root',
    "",
    "0 2 * * * /usr/local/bin/backup.sh --full",
    "  @daily  FOO=1 cmd",
    "PATH=/bin",
    "*/5 * * * * X=1 run",
  ];

  test("environment, comments and jobs", () => {
    const { jobs, broken, ignored } = readCrontab(`${TEXT.join("\n")}\n`, false, "debian");
    expect({ broken, ignored }).toEqual({ broken: [], ignored: null });
    expect(jobs.map(({ number, before, command }) => [number, before, command])).toEqual([
      [4, "0 2 * * * ", "/usr/local/bin/backup.sh --full"],
      [5, "  @daily  ", "FOO=1 cmd"],
      [7, "*/5 * * * * ", "X=1 run"],
    ]);
    expect([...jobs[0]!.environment]).toEqual([
      ["SHELL", "/bin/bash"],
      ["MAILTO", "root"],
    ]);
    expect(jobs[2]!.environment.get("PATH")).toBe("/bin");
  });

  test("a system's crontab names a user", () => {
    const [job] = readCrontab("17 *\t* * *\troot\tcd / && x\n", true, "debian").jobs;
    expect(job).toMatchObject({ user: "root", command: "cd / && x", before: "17 *\t* * *\troot\t" });
  });

  test("Debian's cron ignores a file for one broken line or a last line without an end; cronie that line alone", () => {
    const faulty = "61 * * * * x\n0 1 * * * y\n";
    expect(readCrontab(faulty, false, "debian").ignored).toContain("line 1 makes cron ignore the whole file");
    expect(readCrontab(faulty, false, "cronie")).toMatchObject({
      ignored: null,
      jobs: [{ command: "y" }],
      broken: [{ number: 0 }],
    });
    expect(readCrontab("0 1 * * * y", false, "debian").ignored).toContain("no end of line");
    expect(readCrontab("0 1 * * * y", false, "cronie")).toMatchObject({
      ignored: null,
      jobs: [],
      broken: [{ number: 0 }],
    });
  });

  test("cronie's dash before a schedule belongs to the line and not to the schedule", () => {
    expect(readCrontab("-*/5 * * * * x\n", false, "cronie").jobs).toMatchObject([
      { before: "-*/5 * * * * ", said: "*/5 * * * *" },
    ]);
    expect(readCrontab("-*/5 * * * * x\n", false, "debian").jobs).toEqual([]);
  });
});
