// Until when a job is paused by hand, by whom, and why.

import type { Instant } from "../../domain/time.ts";
import { askedInWords, pauseWord } from "../../domain/wording/paused.ts";
import type { MonitorSummary } from "../../engine/operations/answers/monitors.ts";
import { When } from "./moment.tsx";

interface PausedProps {
  readonly pause: NonNullable<MonitorSummary["pauses"]["manual"]>;
  readonly now: Instant;
  readonly timezone: string;
}

export const Paused = ({ pause, now, timezone }: PausedProps) => (
  <>
    {`${pauseWord(pause)} until `}
    {pause.until === null ? "it is resumed" : <When at={pause.until} now={now} timezone={timezone} />}
    <bdi>{askedInWords(pause)}</bdi>
  </>
);
