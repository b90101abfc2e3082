// Draws a status page: how the chosen jobs are, how their last days went, and their incidents, all in words. It works
// without script and without signing in.

import type { Child } from "hono/jsx";
import { offsetPeriodAt } from "../../domain/schedule/zone.ts";
import { type Instant, MINUTE, toIso } from "../../domain/time.ts";
import { dateAndTime, dayOf } from "../../domain/wording/moments.ts";
import { RESULTS, tallyInWords, tallyOf } from "../../domain/wording/results.ts";
import { span } from "../../domain/wording/short-time.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { type DayResult, type PastDay, pastDayExpectedInWords, pastDayTroubles } from "../../views/past-days.ts";
import { iconPath, STYLE_PATH, type Tone } from "../assets/assets.ts";
import type { Clocked } from "../parts/moment.tsx";
import { type Health, Shape, Sprite } from "../parts/shapes.tsx";
import { pageLine } from "../shown.ts";
import {
  DAYS_SHOWN,
  type PublicHealth,
  type PublicIncident,
  type PublicJob,
  type PublicStatus,
  type Share,
  TONES,
} from "./status.ts";

const SHAPES: Readonly<Record<PublicHealth, Health>> = {
  failing: "critical",
  late: "late",
  warning: "warning",
  unknown: "unknown",
  waiting: "pending",
  well: "healthy",
  paused: "paused",
};

export const StatusPage = ({ status, badgesPath }: { status: PublicStatus; badgesPath: string }) => {
  const { title, summary, jobs, moreJobs, timezone, now } = status;
  const tone = TONES[summary.health];
  return (
    <PublicDocument title={`${summary.short} · ${title}`} tone={tone}>
      <header class="status-head">
        <p class="status-title">{title}</p>
        <h1 class={`headline is-${tone}`}>{summary.sentence}</h1>
        <p class="note">
          As of <Moment at={now} timezone={timezone} />, {timezone}
        </p>
        {status.maintenances.map(({ whose, from, until, why }, place) => (
          <p key={place} class="note">
            Maintenance of {whose}{" "}
            {from === null ? null : (
              <>
                from <Moment at={from} timezone={timezone} />{" "}
              </>
            )}
            until <Moment at={until} timezone={timezone} />
            {why === null ? "" : `: ${pageLine(why)}`}
          </p>
        ))}
      </header>
      <section aria-labelledby="jobs">
        <div class="group-head">
          <h2 id="jobs">Jobs</h2>
          <small>the last {DAYS_SHOWN} days, today at the right</small>
        </div>
        <ul class="status-jobs">
          {jobs.map((job, place) => (
            <JobLine key={place} job={job} timezone={timezone} />
          ))}
        </ul>
        {moreJobs === 0 ? null : <p class="note">and {counted(moreJobs, "more job")}</p>}
        <Legend jobs={jobs} />
      </section>
      <Incidents {...status} />
      <footer class="status-foot">
        <a href={badgesPath}>Badges</a>
        <span>
          A bar is a day and shows the worst of it. Shares are of the runs that were expected and could be heard.
        </span>
      </footer>
    </PublicDocument>
  );
};

export const PublicDocument = ({ title, tone, children }: { title: string; tone: Tone; children?: Child }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <title>{title}</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex, nofollow" />
      <link rel="icon" type="image/svg+xml" href={iconPath(tone)} />
      <link rel="stylesheet" href={STYLE_PATH} />
    </head>
    <body>
      <Sprite />
      <main class="status-page">{children}</main>
    </body>
  </html>
);

const JobLine = ({ job, timezone }: { job: PublicJob; timezone: string }) => (
  <li class="status-job">
    <p class="status-name">{job.name}</p>
    <p class={`status-word is-${job.health}`}>
      <Shape health={SHAPES[job.health]} />
      <span>{job.health}</span>
    </p>
    <DaysStrip job={job} timezone={timezone} />
    <p class="note status-share">{shareInWords(job.share)}</p>
  </li>
);

/**
 * Says the share in words. The words are never `100 %` when something went wrong. `null` means that nothing was
 * expected yet.
 */
function shareInWords(share: Share | null): string {
  if (share === null) return "nothing was expected yet";
  const what = share.of === "days" ? "% of days went well" : "% went well";
  if (share.well === 1) return `100 ${what}`;
  const percent = Math.floor(share.well * 1_000) / 10;
  return `${share.well > 0.999 ? "99.9" : percent} ${what}`;
}

const Legend = ({ jobs }: { jobs: readonly PublicJob[] }) => {
  const shown = tallyOf(jobs.flatMap(({ tally }) => tally.map(([result]) => result)));
  return (
    <ul class="status-legend" aria-label="What the bars mean">
      {shown.map(([result]) => (
        <li key={result}>
          <DayMark result={result} />
          {RESULTS[result].word}
        </li>
      ))}
    </ul>
  );
};

const Incidents = ({ incidents, moreIncidents, timezone, now }: PublicStatus) => (
  <section aria-labelledby="incidents">
    <div class="group-head">
      <h2 id="incidents">What happened</h2>
    </div>
    {incidents.length === 0 ? (
      <p class="nothing">No incident in {DAYS_SHOWN} days.</p>
    ) : (
      <ol class="status-incidents">
        {incidents.map((incident, place) => (
          <IncidentLine key={place} incident={incident} timezone={timezone} now={now} />
        ))}
      </ol>
    )}
    {moreIncidents === 0 ? null : <p class="note">and {counted(moreIncidents, "older incident")}</p>}
  </section>
);

const IncidentLine = ({ incident, timezone, now }: Clocked & { incident: PublicIncident }) => {
  const { job, head, story, quote, openedAt, closedAt } = incident;
  const lasted = lastedInWords((closedAt ?? now) - openedAt);
  return (
    <li class="status-incident">
      <Shape health={closedAt === null ? "critical" : "healthy"} />
      <div>
        <h3>
          {job}: {head.toLowerCase()}
        </h3>
        <p>{story}</p>
        {quote === null ? null : <blockquote class="quote">{quote}</blockquote>}
        <p class="note">
          <Moment at={openedAt} timezone={timezone} />
          {closedAt === null ? `, goes on for ${lasted}` : `, over after ${lasted}`}
        </p>
      </div>
    </li>
  );
};

/** Writes a length of time in whole minutes, which is exact enough for the public. */
const lastedInWords = (milliseconds: number): string =>
  milliseconds < MINUTE ? "less than a minute" : span(Math.floor(milliseconds / MINUTE) * MINUTE);

/** Writes an instant as `2026-03-04 11:47`. */
const Moment = ({ at, timezone }: { at: Instant; timezone: string }) => {
  const [date, time] = dateAndTime(at + offsetPeriodAt(timezone, at).offset);
  return (
    <time datetime={toIso(at)}>
      {date} {time.slice(0, 5)}
    </time>
  );
};

// Draws the last days of a job as a strip of bars, the newest at the right. The colour and height of a bar show how the
// day went. All days of the same result are drawn by one SVG path. A day that did not go well also says why when it is
// pointed at.

const STEP = 6;
const WIDTH = 4;
const HEIGHT = 28;

const DaysStrip = ({ job: { name, days, tally }, timezone }: { job: PublicJob; timezone: string }) => {
  const width = days.length * STEP - (STEP - WIDTH);
  return (
    <svg
      class="days"
      role="img"
      aria-label={`${name}: ${counted(days.length, "day")}: ${tallyInWords(tally)}`}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {tally.map(([result]) => {
        const path = days.map((day, place) => (day.result === result ? shapeOf(result, place * STEP) : "")).join("");
        return <path key={result} class={`day-${result}`} d={path} />;
      })}
      {days.map((day, place) => {
        const said = saidOf(day, timezone);
        return said === null ? null : (
          <rect key={place} class="day-hover" x={place * STEP - 1} y="0" width={STEP} height={HEIGHT}>
            <title>{said}</title>
          </rect>
        );
      })}
    </svg>
  );
};

function shapeOf(result: DayResult, x: number): string {
  switch (result) {
    case "failed":
      return bar(x, HEIGHT);
    case "missed":
      // The bar has a notch, which tells a missed run from a failed one.
      return `${bar(x, 8)}M${x} 14v-14h${WIDTH}v14z`;
    case "succeeded":
      return bar(x, 18);
    case "unknown":
      return `${bar(x, 4)}M${x} 20v-4h${WIDTH}v4zM${x} 12v-4h${WIDTH}v4z`;
    case "paused":
      return `M${x} ${HEIGHT}v-12h1.3v12zM${x + WIDTH - 1.3} ${HEIGHT}v-12h1.3v12z`;
    case "quiet":
      return bar(x, 4);
    case "unread":
    case "unwatched":
      return bar(x, 1);
    default:
      return result satisfies never;
  }
}

const bar = (x: number, height: number): string => `M${x} ${HEIGHT}v-${height}h${WIDTH}v${height}z`;

/**
 * Tells what went wrong on a day, that the job was paused, or that the day was not looked up: `2026-03-04: 2 missed; 24
 * were expected`. Returns `null` for any other day.
 */
function saidOf(day: PastDay, timezone: string): string | null {
  const { at, result, expected } = day;
  if (result === "succeeded" || result === "quiet" || result === "unwatched") return null;
  const troubles = pastDayTroubles(day);
  const said =
    result === "paused" || troubles.length === 0
      ? RESULTS[result].word
      : troubles.join(", ") + pastDayExpectedInWords(expected);
  return `${dayOf(at, timezone)}: ${said}`;
}

const DayMark = ({ result }: { result: DayResult }) => (
  <svg
    aria-hidden="true"
    viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
    width={WIDTH * 1.5}
    height={HEIGHT / 2}
    preserveAspectRatio="none"
  >
    <path class={`day-${result}`} d={shapeOf(result, 0)} />
  </svg>
);
