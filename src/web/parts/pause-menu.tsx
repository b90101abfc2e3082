// `Pause…`: for how long, each a button that says what it does.

import { askedInWords, pauseWord } from "../../domain/wording/paused.ts";
import type { MonitorSummary } from "../../views/answers/monitors.ts";
import { Act } from "./act.tsx";
import { type Clocked, When } from "./moment.tsx";

const LENGTHS: readonly (readonly [seconds: string, words: string])[] = [
  ["3600", "for 1 hour"],
  ["28800", "for 8 hours"],
  ["86400", "for 1 day"],
  ["604800", "for 7 days"],
  ["", "until resumed"],
];

export const PauseMenu = ({ to, back }: { to: string; back: string }) => (
  <details class="menu" name="menu">
    <summary class="button is-plain">Pause…</summary>
    <div class="menu-body">
      <p class="note">Reports are recorded; nothing is missed and no failure is told.</p>
      {LENGTHS.map(([seconds, words]) => (
        <Act key={words} to={to} back={back} fields={{ seconds }}>
          {words}
        </Act>
      ))}
    </div>
  </details>
);

// Until when a job is paused by hand, by whom, and why.

interface PausedProps extends Clocked {
  readonly pause: NonNullable<MonitorSummary["pauses"]["manual"]>;
}

export const Paused = ({ pause, now, timezone }: PausedProps) => (
  <>
    {`${pauseWord(pause)} until `}
    {pause.until === null ? "it is resumed" : <When at={pause.until} now={now} timezone={timezone} />}
    <bdi>{askedInWords(pause)}</bdi>
  </>
);
