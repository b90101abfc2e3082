// Serves `/`, the overview of all jobs, and the connection that keeps all open pages current.

import { Elysia } from "elysia";
import { raw } from "hono/html";
import type { InPieces } from "../../domain/in-pieces.ts";
import { SECOND } from "../../domain/time.ts";
import { doInPieces } from "../../http/yield.ts";
import { DayStrip } from "../day/frame.tsx";
import { pageResponse } from "../document.tsx";
import { applicationKeysOf } from "../keys/keys-by-application.tsx";
import { livePage, liveWindows, watched } from "../live/live-page.ts";
import { LIVE_PATH, Live, livePath, Part, type Shown, shownParts } from "../live/live-part.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { Headline as PageHeadline } from "../parts/headline.tsx";
import { For, Until } from "../parts/moment.tsx";
import { jobPath } from "../paths.ts";
import { nameOnPage } from "../shown.ts";
import { type Asking, signedIn } from "../signed-in.ts";
import { type Viewer, viewerMayAs } from "../viewer.ts";
import { viewerZone } from "../viewer-zone.ts";
import { FIND_PATH, findPage } from "./find-page.tsx";
import { Filters, FirstReport, type FirstReportProps, JobsPart, Row, rowId } from "./jobs-part.tsx";
import { type Headline, overviewPath, readOverviewQuery } from "./model.ts";
import { NeedsPart } from "./needs-part.tsx";
import { type Overview, overviewOf, overviewStanding } from "./overview.ts";

/**
 * How many milliseconds pass at least between two updates of the sign. The sign is the state of all jobs, which each
 * tab of a browser shows in its title and icon. Each update reads all jobs, and no person waits for it.
 */
const SIGN_REST = 3 * SECOND;

export function overviewRoutes(parts: PagesParts) {
  const { engine, catchUp } = parts;
  const address = ({ request }: Asking): string => parts.address ?? new URL(request.url).origin;
  const page = livePage<SeenOverview>(parts, {
    at: "/",
    by: address,
    prepare: catchUp,
    *look(asking) {
      const { viewer, search } = asking;
      const overview = yield* overviewOf(engine, viewer, readOverviewQuery(search), viewerZone(asking));
      const mayMake = overview.counts.all === 0 && viewerMayAs(viewer, "admin");
      const rings = mayMake ? applicationKeysOf(engine, viewer) : [];
      return { overview, first: { address: address(asking), commandLine: parts.commandLine, rings } };
    },
    shown: overviewShown,
    page: overviewPage,
  });
  watched(parts, { at: "/sign", prepare: catchUp, rest: SIGN_REST }, function* ({ viewer }) {
    return yield* shownParts({ sign: <Sign {...(yield* overviewStanding(engine, viewer))} /> });
  });
  return new Elysia({ name: "overview" })
    .use(signedIn(parts))
    .get("/", ({ asking }) => page(asking, {}))
    .get(FIND_PATH, async ({ asking }) => {
      await catchUp();
      return doInPieces(engine.scheduler, findPage(asking));
    })
    .get(LIVE_PATH, ({ asking }) => liveWindows(parts, asking));
}

type SeenOverview = Readonly<{ overview: Overview; first: FirstReportProps }>;

const overviewPage = (asking: Asking, { overview: { headline, query } }: SeenOverview, shown: Shown): Response =>
  pageResponse(
    asking,
    { title: headline.title, tone: headline.tone, path: "/" },
    <Live path={livePath(overviewPath(query), shown)}>
      <div id="overview">
        <Part of={shown} id="headline" />
        <Part of={shown} id="needs" />
        <Part of={shown} id="small-day" />
        <Part of={shown} id="filters" />
        {raw(shown.list?.html() ?? "")}
      </div>
    </Live>,
  );

/** How many rows are made before other work may go on. */
const AT_ONCE = 10;

function* overviewShown({ overview, first }: SeenOverview, viewer: Viewer): InPieces<Shown> {
  const { now, groups } = overview;
  const rows = groups.flatMap(({ jobs }) => jobs);
  const mayAct = viewerMayAs(viewer, "operator");
  const parts = new Map<string, string>([
    ["headline", String(<HeadlinePart {...overview} />)],
    ["needs", String(<NeedsPart {...overview} viewer={viewer} />)],
    ["small-day", String(<div id="small-day">{overview.day === null ? null : <DayStrip {...overview.day} />}</div>)],
    [
      "filters",
      String(
        overview.counts.all === 0 ? (
          <FirstReport {...first} />
        ) : (
          <Filters {...overview} mayMake={viewerMayAs(viewer, "admin")} />
        ),
      ),
    ],
  ]);
  for (const [place, job] of rows.entries()) {
    if (place % AT_ONCE === 0) yield;
    parts.set(rowId(job), String(<Row job={job} now={now} mayAct={mayAct} />));
  }
  const order = JSON.stringify(groups.map(({ name, total, jobs }) => [name, total, jobs.map(({ id }) => id)]));
  const list = {
    id: "jobs",
    rows: "job-",
    order,
    html: () => String(<JobsPart {...overview} rows={parts} mayAct={mayAct} />),
  };
  return { parts, list };
}

const Sign = ({ tone, title, needs, isOwn, sentence }: Omit<Headline, "next" | "quietSince">) => (
  <span
    id="sign"
    hidden
    data-tone={tone}
    data-says={title}
    data-needs={String(needs)}
    data-own={isOwn ? "" : undefined}
    data-sentence={sentence}
  />
);

const HeadlinePart = ({ headline, now, timezone }: Pick<Overview, "headline" | "now" | "timezone">) => (
  <PageHeadline saying={headline} isOfAll>
    <p class="next">
      {headline.quietSince === null ? null : (
        <>
          Quiet for <For at={headline.quietSince} now={now} timezone={timezone} />.{" "}
        </>
      )}
      {headline.next === null ? null : (
        <>
          Next: <a href={jobPath(headline.next)}>{nameOnPage(headline.next)}</a>{" "}
          <Until at={headline.next.at} now={now} timezone={headline.next.timezone} />.
        </>
      )}
    </p>
  </PageHeadline>
);
