// `/`, the overview of all jobs, and the connection that keeps it true while it is open.

import { Elysia } from "elysia";
import { raw } from "hono/html";
import type { InPieces } from "../../domain/in-pieces.ts";
import { SECOND } from "../../domain/time.ts";
import { pageAnswer } from "../document.tsx";
import { ringsOf } from "../keys/rings.tsx";
import { type LiveView, slowly } from "../live/live.ts";
import { liveRoute, liveWindows, rightsOf } from "../live/live-page.ts";
import { LIVE, Live, Part, type Shown, shownParts } from "../live/live-part.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { Headline as PageHeadline } from "../parts/headline.tsx";
import { For, Until } from "../parts/moment.tsx";
import { jobPath } from "../paths.ts";
import { shownName } from "../shown.ts";
import { type Asking, signedIn } from "../signed-in.ts";
import { inTurns } from "../turns.ts";
import { mayAs, type Viewer } from "../viewer.ts";
import { FIND_PATH, findPage } from "./find-page.tsx";
import { Filters, FirstReport, type FirstReportProps, JobsPart, Row, rowId } from "./jobs-part.tsx";
import { type Headline, type Overview, overviewPath, readQuery } from "./model.ts";
import { NeedsPart } from "./needs-part.tsx";
import { overviewOf, standingOf } from "./overview.ts";

const AT = "/overview";
/** How all stand, for each window of a browser. */
const SIGN_AT = "/sign";
/** A look at all jobs, for which no one waits. */
const SIGN_REST = 3 * SECOND;

export function overviewRoutes(parts: PagesParts) {
  const { engine, clock, catchUp } = parts;
  const first = (viewer: Viewer, request: Request): FirstReportProps => ({
    address: parts.address ?? new URL(request.url).origin,
    rings: mayAs(viewer, "admin") ? ringsOf(engine, viewer) : [],
  });
  /** Another start counts revisions from the beginning. */
  const start = clock.now();

  function* pageOf(asking: Asking): InPieces<Response> {
    const { request, viewer } = asking;
    const revision = engine.views.board.revision();
    const query = readQuery(asking.search);
    const overview = yield* overviewOf(engine, viewer, query);
    const shown = yield* overviewShown(overview, viewer, first(viewer, request));
    yield;
    const live = new URL(overviewPath(query, AT), "http://localhost");
    live.searchParams.set("seen", `${start}.${revision}`);
    return pageAnswer(
      asking,
      { title: overview.headline.title, tone: overview.headline.tone, path: "/" },
      <Live path={live.pathname + live.search}>
        <div id="overview">
          <Part of={shown} id="headline" />
          <Part of={shown} id="needs" />
          <Part of={shown} id="filters" />
          {raw(shown.list?.html() ?? "")}
        </div>
      </Live>,
    );
  }

  function live({ request, viewer, search }: Asking): LiveView {
    const [seenStart, seen] = (search.get("seen") ?? "").split(".");
    const seenRevision = Number(seenStart) === start ? Number(seen) : null;
    const query = readQuery(search);
    const report = first(viewer, request);
    return {
      key: JSON.stringify([AT, query, report, rightsOf(viewer)]),
      prepare: catchUp,
      revision: engine.views.board.revision,
      *look() {
        return yield* overviewShown(yield* overviewOf(engine, viewer, query), viewer, report);
      },
      onChange: engine.views.board.onChange,
      isSeen: (_, revision) => revision === seenRevision,
    };
  }

  const sign = ({ viewer }: Asking): LiveView => ({
    key: JSON.stringify([SIGN_AT, rightsOf(viewer)]),
    prepare: catchUp,
    revision: engine.views.board.revision,
    *look() {
      return yield* shownParts({ sign: <Sign {...(yield* standingOf(engine, viewer))} /> });
    },
    onChange: slowly(engine.views.board.onChange, SIGN_REST, parts),
    isSeen: () => false,
  });

  return new Elysia({ name: "overview" })
    .use(signedIn(parts))
    .get("/", async ({ asking }) => {
      await catchUp();
      return inTurns(pageOf(asking));
    })
    .get(FIND_PATH, async ({ asking }) => {
      await catchUp();
      return inTurns(findPage(asking));
    })
    .get(LIVE + AT, liveRoute(parts, AT, live))
    .get(LIVE + SIGN_AT, liveRoute(parts, SIGN_AT, sign))
    .get(`${LIVE}/windows`, ({ asking }) => liveWindows(parts, asking));
}

// The overview in the parts that change on their own.

/** Rows that are made in one piece. */
const AT_ONCE = 10;

function* overviewShown(overview: Overview, viewer: Viewer, first: FirstReportProps): InPieces<Shown> {
  const { now, groups } = overview;
  const rows = groups.flatMap(({ jobs }) => jobs);
  const mayAct = mayAs(viewer, "operator");
  const parts = new Map<string, string>([
    ["headline", String(<HeadlinePart headline={overview.headline} now={now} />)],
    ["needs", String(<NeedsPart {...overview} viewer={viewer} />)],
    ["filters", String(overview.counts.all === 0 ? <FirstReport {...first} /> : <Filters {...overview} />)],
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

const Sign = ({ tone, title, needs, sentence }: Omit<Headline, "next" | "quietSince">) => (
  <span id="sign" hidden data-tone={tone} data-says={title} data-needs={String(needs)} data-sentence={sentence} />
);

// The headline of the overview, and beside it what comes next.

const HeadlinePart = ({ headline, now }: Pick<Overview, "headline" | "now">) => (
  <PageHeadline saying={headline} isOfAll>
    {headline.next === null ? null : (
      <p class="next">
        {headline.quietSince === null ? null : (
          <>
            Quiet for <For at={headline.quietSince} now={now} timezone={headline.next.timezone} />.{" "}
          </>
        )}
        next: <a href={jobPath(headline.next)}>{shownName(headline.next)}</a>{" "}
        <Until at={headline.next.at} now={now} timezone={headline.next.timezone} />
      </p>
    )}
  </PageHeadline>
);
