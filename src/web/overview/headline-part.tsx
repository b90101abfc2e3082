// The headline of the overview, and beside it what comes next.

import { Headline } from "../parts/headline.tsx";
import { Until } from "../parts/moment.tsx";
import { jobPath } from "../paths.ts";
import { shownName } from "../shown.ts";
import type { Overview } from "./model.ts";

export const HeadlinePart = ({ headline, now }: Pick<Overview, "headline" | "now">) => (
  <Headline saying={headline}>
    {headline.next === null ? null : (
      <p class="next">
        next: <a href={jobPath(headline.next)}>{shownName(headline.next)}</a>{" "}
        <Until at={headline.next.at} now={now} timezone={headline.next.timezone} />
      </p>
    )}
  </Headline>
);
