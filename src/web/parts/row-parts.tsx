// Draws rows, such as facts and lists, which `views/rows` makes for pages and terminals alike. A row is a list of
// parts: texts, links and times.

import { dayOf } from "../../domain/wording/moments.ts";
import { momentAs } from "../../domain/wording/now.ts";
import type { Column, FactRow, PagePlace, RowMoment, RowPart } from "../../views/rows/rows.ts";
import { EVERY_JOB, overviewPath } from "../overview/model.ts";
import { actionsPath, incidentPath, jobPath, MAINTENANCE_PATH } from "../paths.ts";
import { pageLine } from "../shown.ts";
import { Ago, Clock, type Clocked, DateAndTime, Exactly, For, Until, When } from "./moment.tsx";

/**
 * The time at which a page is made, and its zone. In a story, `day` is the day that is written above the entry, such as
 * `2026-03-01`; elsewhere it is absent.
 */
export type OnDay = Clocked & { readonly day?: string };

export const RowParts = ({ parts, ...clock }: OnDay & { parts: readonly RowPart[] }) => (
  <>
    {parts.map((part, place) => (
      <Part key={place} part={part} {...clock} />
    ))}
  </>
);

const Part = ({ part, ...clock }: OnDay & { part: RowPart }) => {
  // A text with letters outside ASCII is isolated by `bdi`, because a job or a person may have written it from right to
  // left.
  if (typeof part === "string") return /^[\x20-\x7e]*$/.test(part) ? part : <bdi>{part}</bdi>;
  if ("wrote" in part) return <bdi>{pageLine(part.wrote)}</bdi>;
  if ("at" in part) return <Moment part={part} {...clock} />;
  const { to, text } = part;
  const isElsewhere = typeof to === "object" && "url" in to;
  return (
    <a href={pathTo(to)} {...(isElsewhere ? { rel: "noreferrer" } : {})}>
      {pageLine(text)}
    </a>
  );
};

function pathTo(to: PagePlace): string {
  if (to === "maintenance") return MAINTENANCE_PATH;
  if ("incident" in to) return incidentPath(to.incident);
  if ("actor" in to) return actionsPath(to.actor);
  if ("job" in to) return jobPath(to.job);
  return "url" in to ? to.url : overviewPath({ ...EVERY_JOB, find: `label:${to.label}` });
}

const MOMENTS = { ago: Ago, dated: Ago, for: For, until: Until, when: When };

const Moment = ({ part: { at, as }, day, now, timezone }: OnDay & { part: RowMoment }) => {
  if (as === "exact") return <Exactly at={at} timezone={timezone} />;
  if (as === "clock")
    return dayOf(at, timezone) === day ? (
      <Clock at={at} timezone={timezone} />
    ) : (
      <DateAndTime at={at} timezone={timezone} />
    );
  // In a story the time is written as text in the zone of the story's clocks, so that the browser does not rewrite it
  // in another.
  if (day !== undefined) return <>{momentAs(as === "dated" ? "ago" : as, at, now, timezone)}</>;
  const Said = MOMENTS[as];
  return <Said at={at} now={now} timezone={timezone} />;
};

export const FactRows = ({ facts, ...clock }: Clocked & { facts: readonly FactRow[] }) => (
  <dl class="facts">
    {facts.map(({ name, says, from }, place) => (
      <div key={place}>
        <dt>{name}</dt>
        <dd>
          <RowParts parts={says} {...clock} />{" "}
          {from.length === 0 ? null : (
            <small>
              <RowParts parts={from} {...clock} />
            </small>
          )}
        </dd>
      </div>
    ))}
  </dl>
);

/** The cells of one item of a list. The name and the button of the item are drawn elsewhere. */
export const Cells = <Item,>({ columns, of, ...clock }: Clocked & { columns: readonly Column<Item>[]; of: Item }) => (
  <>
    {columns.map(({ head, cell, isPlain }) => {
      const parts = cell(of);
      return parts.length === 0 ? null : (
        <span key={head} class="cell">
          {isPlain ? "" : `${head} `}
          <RowParts parts={parts} {...clock} />
        </span>
      );
    })}
  </>
);

export const Sentences = ({ of, ...clock }: Clocked & { of: readonly (readonly RowPart[])[] }) => (
  <>
    {of.map((parts, place) => (
      <p key={place}>
        <RowParts parts={parts} {...clock} />
      </p>
    ))}
  </>
);
