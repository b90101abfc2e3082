// Serves `/jobs/APPLICATION/KEY/why`, which explains a job's state now or at the time that its address says.

import { Elysia } from "elysia";
import { isRefusal } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import { addressInWords } from "../../domain/wording/job-names.ts";
import { momentAs, type WordedPart } from "../../domain/wording/now.ts";
import type { WhoHears, Why } from "../../views/schemas/why-schemas.ts";
import { whyStoryEntries } from "../../views/story.ts";
import { pageResponse } from "../document.tsx";
import { livePage } from "../live/live-page.ts";
import { Live, livePath, Part, type Shown, shownParts } from "../live/live-part.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { Submit } from "../parts/act.tsx";
import { Exactly, Sentence } from "../parts/moment.tsx";
import { StoryDays } from "../parts/story-days.tsx";
import { type JobAddress, jobPath, whyPath } from "../paths.ts";
import { nameOnPage, pageLine } from "../shown.ts";
import { type Asking, signedIn } from "../signed-in.ts";
import { minuteInForm, type ViewerZones, viewerZones, viewerZonesInWords } from "../viewer-zone.ts";

const PATH = "/jobs/:application/:key/why";

export function whyRoutes(parts: PagesParts) {
  const page = livePage<SeenWhy, JobAddress>(parts, {
    at: PATH,
    *look({ operate, search, request }, { application, key }) {
      yield;
      const why = operate("why", { application, key, at: search.get("at") || null });
      if (isRefusal(why)) return why;
      const heard = operate("notify explain", { application, key, at: search.get("at") || null });
      if (isRefusal(heard)) return heard;
      const { now } = parts.engine.views.viewContext();
      return { ...why, heard, seenAt: now, zones: viewerZones(request, why.timezone, now) };
    },
    shown: (why) =>
      shownParts({ headline: <WhyHead why={why} />, why: <Column why={why} />, heard: <Heard why={why} /> }),
    page: whyPage,
    monitorOf: ({ operate }, { application, key }) => {
      const monitor = operate("monitor show", { application, key });
      return isRefusal(monitor) ? monitor : parts.engine.views.monitorId(application, key);
    },
  });
  return new Elysia({ name: "why" }).use(signedIn(parts)).get(PATH, ({ asking, params }) => page(asking, params));
}

type SeenWhy = Why & Readonly<{ heard: WhoHears; seenAt: Instant; zones: ViewerZones }>;

const whyPage = (asking: Asking, why: SeenWhy, shown: Shown): Response =>
  pageResponse(
    asking,
    { title: `Why: ${nameOnPage(why)}` },
    <Live path={livePath(whyPath(why, asking.search.get("at")), shown)}>
      <Part of={shown} id="headline" />
      <form class="find" method="get" action={whyPath(why, null)}>
        <label>
          At <small>in {why.timezone}</small>{" "}
          <input type="datetime-local" name="at" value={minuteInForm(why.at, why.timezone)} />
        </label>
        <Submit kind="plain">Show</Submit>
      </form>
      <Part of={shown} id="why" />
      <Part of={shown} id="heard" />
    </Live>,
  );

const WhyHead = ({ why }: { why: Why }) => (
  <header id="headline" class="job-head" data-title={`Why: ${nameOnPage(why)} · rollcall`}>
    <p class="where">
      <a href="/">Jobs</a> / {why.application} / <a href={jobPath(why)}>{pageLine(why.key)}</a>
    </p>
    <h1 class="headline is-quiet">
      <bdi>{nameOnPage(why)}</bdi> <Sentence parts={why.now} timezone={why.timezone} />.
    </h1>
    {why.status === null ? (
      <p class="note">
        <Exactly at={why.at} timezone={why.timezone} />
      </p>
    ) : null}
  </header>
);

const Column = ({ why: { steps, zones, seenAt } }: { why: SeenWhy }) => (
  <section id="why" class="group incident-story" aria-label="Why">
    <h2 class="group-head">
      <span>Why</span> <small>{viewerZonesInWords(zones)}</small>
    </h2>
    <StoryDays entries={whyStoryEntries({ steps })} now={seenAt} {...zones} />
  </section>
);

const Heard = ({ why: { heard, seenAt, zones } }: { why: SeenWhy }) => (
  <section id="heard" class="group" aria-label="Who would hear of an alert">
    <h2 class="group-head">
      <span>Who would hear of an alert</span> <small>of severity {heard.severity}</small>
    </h2>
    {heard.addresses.length === 0 ? <p>No destination is configured.</p> : null}
    {heard.addresses.map(({ destination, recipient, person, hears, says }, place) => (
      <p key={place} class={hears ? undefined : "note"}>
        <bdi>{addressInWords({ destination, recipient, person })}</bdi>{" "}
        <Sentence parts={says.map((part) => inFixedZone(part, seenAt, zones.timezone))} timezone={zones.timezone} />.
      </p>
    ))}
  </section>
);

/**
 * Writes a day and time as text in the zone in which the page tells times. Its `as` becomes `null`, so that the
 * browser's script does not rewrite the text. Any other part is returned as it is.
 */
const inFixedZone = (part: WordedPart, now: Instant, timezone: string): WordedPart =>
  part.as === "when" ? { ...part, text: momentAs("when", part.at!, now, timezone), as: null } : part;
