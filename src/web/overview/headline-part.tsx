// The headline of the overview, and beside it what comes next.

import { iconPath } from "../assets/assets.ts";
import { Until } from "../parts/moment.tsx";
import { jobPath } from "../paths.ts";
import type { Overview } from "./model.ts";

export const HeadlinePart = ({
  headline: { sentence, title, tone, next },
  now,
}: Pick<Overview, "headline" | "now">) => (
  <header id="headline" class="head" data-title={`${title} · rollcall`} data-icon={iconPath(tone)}>
    <h1 class={`headline is-${tone}`}>{sentence}</h1>
    {next === null ? null : (
      <p class="next">
        next: <a href={jobPath(next)}>{next.name}</a> <Until at={next.at} now={now} timezone={next.timezone} />
      </p>
    )}
  </header>
);
