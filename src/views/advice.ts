// Finds what could be set better, judging by the last month, and names the command that changes it, where one command
// is enough.

import { isRefusal, type Refusal } from "../domain/errors.ts";
import type { InPieces } from "../domain/in-pieces.ts";
import type { RunWeek } from "../domain/monitor/run-lengths.ts";
import { runDeadline } from "../domain/monitor/run-start.ts";
import { isPlainMonitorKey } from "../domain/monitor-key.ts";
import { MONITORS_COUNTED, RAISE_LIMIT, tooSmall } from "../domain/rate-limit.ts";
import { nextSlot } from "../domain/schedule/slots.ts";
import { reachOf } from "../domain/settings/alert-routes.ts";
import { alwaysShellQuoted } from "../domain/text.ts";
import { DAY, durationText, HOUR, type Instant, MINUTE, SECOND } from "../domain/time.ts";
import { ago, span } from "../domain/wording/short-time.ts";
import { counted } from "../domain/wording/spoken-time.ts";
import type { MonitorOutline } from "../store/monitor-pages.ts";
import type { PastIncident } from "../store/recent.ts";
import { policyOfOutline } from "./completed-monitors.ts";
import { findListed } from "./find-named.ts";
import { eachMonitorPage } from "./monitor-summaries.ts";
import type { GivenAdvice } from "./schemas/status-schemas.ts";
import { destinationsOf } from "./shown-deliveries.ts";
import type { LastUses, MonitorReads, ViewSource } from "./view-source.ts";

type Advised = GivenAdvice["advice"][number];

const LOOKED_BACK = 30 * DAY;
const INCIDENTS_READ = 100;
/** How many times in a month a job must have been late before a longer grace is advised; fewer may be chance. */
const OFTEN = 3;
/**
 * A report that came at most this many milliseconds after its slot was merely late. A later report does not count for
 * the advice to set a longer grace.
 */
const LATE_MOST = 6 * HOUR;
/**
 * A limit for runs (`maxRuntime`) is advised only if at least `RUNS_KNOWN` runs of the job are known, and they usually
 * last at least this many milliseconds. Fewer or shorter runs say little about how long a run may take.
 */
const LONG_RUN = MINUTE;
const RUNS_KNOWN = 10;
/** How many jobs must start at the same instant before it is advised to spread them. */
const CROWD = 10;
const KEY_UNUSED = 90 * DAY;
/**
 * Advice to change a schedule is given when its next slot is further away than this many milliseconds, a little more
 * than a year.
 */
const SELDOM = 367 * DAY;
/** How many pieces of advice of each kind are listed. */
const LISTED = 20;

/**
 * Finds what could be set better. With an application's slug, the advice is only about that application's monitors and
 * keys; with `null`, it is about all.
 */
export function adviseOn(
  context: ViewSource & LastUses,
  { application }: { readonly application: string | null },
  now: Instant,
): InPieces<GivenAdvice> | Refusal {
  const owner = findListed(context, application);
  return isRefusal(owner) ? owner : readAdvice(context, application, now);
}

function* readAdvice(context: ViewSource & LastUses, application: string | null, now: Instant): InPieces<GivenAdvice> {
  const { store, policy } = context;
  const [late, endless, untold, rare]: Advised[][] = [[], [], [], []];
  const starts = new Map<Instant, MonitorOutline[]>();
  yield* eachMonitorPage(store, application, (listed) => {
    const outlines = store.monitorPages.outlines(listed.map(({ id }) => id)).filter(({ readable }) => readable);
    const ids = outlines.map(({ id }) => id);
    const lengths = store.runLengths.of(ids);
    const past = Map.groupBy(store.recent.past(ids, now - LOOKED_BACK, INCIDENTS_READ), (one) => one.monitorId);
    for (const outline of outlines) {
      late!.push(...lateOf(outline, past.get(outline.id) ?? []));
      endless!.push(...endlessOf(outline, lengths.get(outline.id) ?? [], now));
      const isTold = reachOf(policyOfOutline(policy, outline), now).names.size > 0;
      if (!isTold)
        untold!.push(adviceOn(outline, "no destination takes its alerts", "destination route --monitor", " NAME"));
      const next = outline.schedule === null ? null : nextSlot(outline.schedule, outline.timezone, now);
      if (outline.schedule !== null) rare!.push(...rareOf(outline, next, now));
      if (next !== null) starts.set(next, [...(starts.get(next) ?? []), outline]);
    }
  });
  const destinations =
    application === null ? destinationsOf(context).filter(({ arrivedAt }) => arrivedAt === null) : [];
  const all = [
    late!,
    endless!,
    untold!.length > 0 && policy.destinations.size === 0 ? [NOWHERE] : untold!,
    rare!,
    smallLimits(context, application),
    application === null ? adviceOnReplies(context) : [],
    [...starts].flatMap(([at, jobs]) => crowdAt(at, jobs, now)),
    unusedKeys(context, application, now),
    destinations.map(({ name }) => general(`nothing has arrived at ${name} yet`, `notify test ${name}`)),
  ];
  return {
    advice: all.flatMap((some) => some.slice(0, LISTED)),
    more: all.reduce((n, some) => n + Math.max(0, some.length - LISTED), 0),
  };
}

const general = (says: string, command: string | null): Advised => ({
  application: null,
  key: null,
  says,
  command: command === null ? null : `rollcall ${command}`,
});

/** Without any destination there is none that could be named for a single job. */
const NOWHERE = general(
  "there is no destination, so no one is told of anything",
  "destination add NAME TYPE KEY=VALUE",
);

const wordOf = (key: string): string => (isPlainMonitorKey(key) ? key : alwaysShellQuoted(key));

const adviceOn = (outline: MonitorOutline, says: string, command: string, more: string): Advised => {
  const { application, key } = outline;
  return { application, key, says, command: `rollcall ${command} ${wordOf(key)} --app ${application}${more}` };
};

/** Advice to set `maxRuntime` for a job that has none. Without it, a run that hangs is told late (R21). */
function endlessOf(outline: MonitorOutline, weeks: readonly RunWeek[], now: Instant): Advised[] {
  const runs = weeks.reduce((sum, week) => sum + week.runs, 0);
  const longest = Math.max(...weeks.map(({ medianMs }) => medianMs));
  if (outline.maxRuntimeSeconds !== null || runs < RUNS_KNOWN || longest < LONG_RUN) return [];
  const limit = Math.ceil((longest * 3) / (5 * MINUTE)) * 5 * MINUTE;
  const usual = weeks.at(-1)!.medianMs;
  const guessed = runDeadline(outline, now, usual) - now;
  const says = `usually takes ${span(usual)}, and a run that hangs is told only after ${span(guessed)}`;
  return [adviceOn(outline, says, "monitor set", ` --max-runtime ${durationText(limit / SECOND)}`)];
}

/**
 * Advice to set a longer grace for a job that was often merely late (by at most `LATE_MOST`), because such lateness
 * needs no alarm.
 */
function lateOf(outline: MonitorOutline, past: readonly PastIncident[]): Advised[] {
  const lateness = past.flatMap(({ causes, missedSlots, expectedAt, closedAt }) => {
    const isLate = causes.every((cause) => cause === "missed") && missedSlots <= 1 && expectedAt !== null;
    return isLate && closedAt !== null && closedAt - expectedAt <= LATE_MOST ? [closedAt - expectedAt] : [];
  });
  if (lateness.length < OFTEN) return [];
  const most = Math.max(...lateness);
  const grace = Math.ceil((most * 1.25) / (5 * MINUTE)) * 5 * MINUTE;
  const says = `reported late ${counted(lateness.length, "time")} in 30 days, by up to ${span(most)}, and each was an alarm`;
  return [adviceOn(outline, says, "monitor set", ` --grace ${durationText(grace / SECOND)}`)];
}

function rareOf(outline: MonitorOutline, next: Instant | null, now: Instant): Advised[] {
  if (next !== null && next - now <= SELDOM) return [];
  const says = `its schedule ${JSON.stringify(outline.schedule)} comes true ${next === null ? "never" : `only ${ago(next, now)}`}`;
  return [adviceOn(outline, says, "monitor set", " --schedule CRON")];
}

/** Advice about rate limits that are too small for the application's jobs. No command changes a rate limit. */
function smallLimits({ store, policy }: ViewSource, application: string | null): Advised[] {
  const owners = store.applications.list().filter(({ slug }) => slug === (application ?? slug));
  return owners.flatMap(({ id, slug }) => {
    const small = tooSmall(policy.rateLimits ?? [], store.monitors.rhythms(id, MONITORS_COUNTED));
    const says = small && `${small.setting} is too small for application ${slug}: ${small.words}; ${RAISE_LIMIT}`;
    return says === null ? [] : [general(says, null)];
  });
}

/**
 * Advice about destinations and members whose replies to alerts count as those of a certain person (`answers`), who
 * does not exist or may only look. Such replies are refused (R23).
 */
export function adviceOnReplies({ store, policy }: MonitorReads): Advised[] {
  const places = [
    ...[...policy.destinations].map(([name, { answers }]) => [`the destination ${name}`, answers] as const),
    ...policy.team.members.map(({ email, answers }) => [email, answers] as const),
  ];
  return places.flatMap(([place, answers]) => {
    const person = answers === undefined ? null : store.people.named(answers);
    if (answers === undefined || (person !== null && person.role !== "viewer")) return [];
    const command = person === null ? "user create" : "user change";
    const why = person === null ? "there is no such person" : "who may only look";
    return [general(`${place} answers alerts as ${answers}, ${why}`, `${command} ${wordOf(answers)} --role operator`)];
  });
}

function crowdAt(at: Instant, jobs: readonly MonitorOutline[], now: Instant): Advised[] {
  if (jobs.length < CROWD) return [];
  const names = jobs.slice(0, 3).map(({ key }) => key);
  return [
    general(`${jobs.length} jobs start together ${ago(at, now)}, such as ${names.join(", ")}: spread them`, null),
  ];
}

function unusedKeys({ store, keyring }: ViewSource & LastUses, application: string | null, now: Instant): Advised[] {
  return store.keys.list(null).flatMap((row) => {
    const { id, createdAt, lastUsedAt, revokedAt, application: slug } = keyring.withLastUse(row);
    const isUsable = slug === (application ?? slug) && revokedAt === null;
    if (!isUsable || (lastUsedAt ?? createdAt) > now - KEY_UNUSED) return [];
    const used =
      lastUsedAt === null
        ? `was never used, and was made ${ago(createdAt, now)}`
        : `was last used ${ago(lastUsedAt, now)}`;
    return [general(`key ${id} of ${slug} ${used}`, `key revoke ${id}`)];
  });
}
