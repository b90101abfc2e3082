// Draws buttons that change something. Each is a form, which works without script and comes back to the page with the
// button.

import type { PropsWithChildren } from "hono/jsx";
import { pauseAskedInParts, pauseWord } from "../../domain/wording/paused.ts";
import type { MonitorSummary } from "../../views/schemas/monitor-schemas.ts";
import { ACT_ON_SELECTED_PATH, incidentPath } from "../paths.ts";
import { pageLine } from "../shown.ts";
import { Field } from "./field.tsx";
import { type Clocked, When } from "./moment.tsx";

type ButtonKind = Readonly<{ kind?: "plain" | "strong" | "danger" }>;

export const Submit = ({ kind, children }: PropsWithChildren<ButtonKind>) => (
  <button type="submit" class={kind === undefined ? "button" : `button is-${kind}`}>
    {children}
  </button>
);

export const ButtonLink = ({ to, kind, children }: PropsWithChildren<ButtonKind & { to: string }>) => (
  <a class={kind === undefined ? "button" : `button is-${kind}`} href={to}>
    {children}
  </a>
);

type Act = ButtonKind & Readonly<{ to: string; back: string; fields?: Readonly<Record<string, string>> }>;

export const Act = ({ to, back, fields = {}, kind = "plain", children }: PropsWithChildren<Act>) => (
  <form class="act" method="post" action={to}>
    <input type="hidden" name="back" value={back} />
    {Object.entries(fields).map(([name, value]) => (
      <input key={name} type="hidden" name={name} value={value} />
    ))}
    <Submit kind={kind}>{children}</Submit>
  </form>
);

export const Acknowledge = ({ id, back }: { id: number; back: string }) => (
  <Act to={`${incidentPath(id)}/ack`} back={back} kind="strong">
    Acknowledge
  </Act>
);

// Draws a line for people to copy, with a button that copies it where scripts run.

export const CopyLine = ({ text }: { text: string }) => (
  <div class="copy">
    <pre class="code">
      <code>{text}</code>
    </pre>
    <button type="button" class="button is-plain" data-copies hidden>
      Copy
    </button>
  </div>
);

// Draws the buttons that act on one job, or on the jobs that are selected in the list. A pause has a button for each
// length.

const LENGTHS: readonly (readonly [lasts: string, words: string])[] = [
  ["1h", "for 1 hour"],
  ["8h", "for 8 hours"],
  ["1d", "for 1 day"],
  ["7d", "for 7 days"],
  ["", "until resumed"],
];

/**
 * The buttons for the jobs that are selected in the list, shown while at least one is. `children` are the fields with
 * the times of a maintenance.
 */
export const ManyActs = ({ back, children }: PropsWithChildren<{ back: string }>) => (
  <form id="many" class="many acts" method="post" action={ACT_ON_SELECTED_PATH} data-undo="jobs">
    <input type="hidden" name="back" value={back} />
    <strong data-chosen>Selected:</strong>
    <button type="submit" class="button is-strong" name="do" value="ack">
      Acknowledge
    </button>
    <details class="menu" name="menu">
      <MenuName>Pause</MenuName>
      <div class="menu-body">
        {LENGTHS.map(([lasts, words]) => (
          <button key={words} type="submit" class="button is-plain" name="do" value={`pause:${lasts}`}>
            {words}
          </button>
        ))}
        <label>
          What for <small>(may be left out)</small>
          <input type="text" name="reason" maxlength={200} autocomplete="off" />
        </label>
      </div>
    </details>
    <details class="menu" name="menu">
      <MenuName>Maintenance</MenuName>
      <div class="menu-body">
        {children}
        <button type="submit" class="button is-strong" name="do" value="maintenance">
          Plan maintenance
        </button>
      </div>
    </details>
    <details class="menu" name="menu">
      <MenuName>Label</MenuName>
      <div class="menu-body">
        <Field
          label="Labels"
          name="labels"
          id="many-labels"
          placeholder="db, nightly"
          hint="Each job keeps its others; -db removes one."
          optional
        />
        <button type="submit" class="button is-strong" name="do" value="label">
          Label
        </button>
      </div>
    </details>
    <button type="submit" class="button is-plain" name="do" value="resume">
      Resume
    </button>
    <button type="reset" class="button is-plain">
      Select none
    </button>
  </form>
);

/** The button that opens a menu. The style sheet draws an arrow on it; a screen reader reads "…" instead. */
export const MenuName = ({ children, of = null }: PropsWithChildren<{ readonly of?: string | null }>) => (
  <summary class="button is-plain is-menu">
    {children}
    <span class="unseen">{of === null ? "…" : ` ${of}…`}</span>
  </summary>
);

export const PauseMenu = ({ to, back }: { to: string; back: string }) => (
  <details class="menu" name="menu">
    <MenuName>Pause</MenuName>
    <div class="menu-body">
      <PauseActs to={to} back={back} />
    </div>
  </details>
);

/**
 * The buttons that pause a job, one for each length of the pause. `before` precedes the words of each, as in `Pause for
 * 1 hour`.
 */
export const PauseActs = ({ to, back, before = "" }: { to: string; back: string; before?: string }) => (
  <>
    <p class="note">Paused, its reports are recorded; nothing is missed and no failure is told.</p>
    {LENGTHS.map(([lasts, words]) => (
      <Act key={words} to={to} back={back} fields={{ durationSeconds: lasts }}>
        {before}
        {words}
      </Act>
    ))}
  </>
);

/**
 * Tells who asked for a pause, and why: ` by Ada: a new disk`. `bdi` isolates each part, because people wrote it,
 * perhaps from right to left.
 */
export const AskedBy = (pause: Parameters<typeof pauseAskedInParts>[0]) => {
  const [by, between, reason] = pauseAskedInParts(pause);
  if (by === undefined) return null;
  return (
    <>
      <bdi>{by}</bdi>
      {reason === undefined ? null : (
        <>
          {between}
          <bdi>{pageLine(reason)}</bdi>
        </>
      )}
    </>
  );
};

export const Paused = ({ pause, ...shown }: Clocked & { pause: NonNullable<MonitorSummary["pauses"]["manual"]> }) => (
  <>
    {`${pauseWord(pause)} until `}
    {pause.until === null ? "it is resumed" : <When at={pause.until} {...shown} />}
    <AskedBy asked={pause.asked} />
  </>
);
