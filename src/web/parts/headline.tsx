// Draws the headline of a page, which the title of the browser's tab repeats, and the frames of the sections below it.

import type { PropsWithChildren } from "hono/jsx";
import type { Tone } from "../assets/assets.ts";

export interface Saying {
  readonly sentence: string;
  /** The title of the tab; absent when the sentence is the title, too. */
  readonly title?: string;
  readonly tone: Tone;
}

export const headlineTitle = ({ sentence, title }: Saying): string => title ?? sentence.replace(/\.$/, "");

/** The headline of a page that is not kept current; `children` are shown beside it. */
export const Head = ({ says, tone = "quiet", children }: PropsWithChildren<{ says: string; tone?: Tone }>) => (
  <div class="head">
    <h1 class={`headline is-${tone}`}>{says}</h1>
    {children}
  </div>
);

export const SectionGroup = ({ id, name, children }: PropsWithChildren<{ id: string; name: string }>) => (
  <section class="group" aria-labelledby={id}>
    <h2 class="group-head" id={id}>
      {name}
    </h2>
    {children}
  </section>
);

/** A box with the heading `name`, for something that a person can change. */
export const SectionBox = ({ id, name, children }: PropsWithChildren<{ id?: string; name: string }>) => (
  <section class="own" id={id}>
    <h2>{name}</h2>
    <div class="door">{children}</div>
  </section>
);

/**
 * The headline of a page that is kept current. `isOfAll` is for the overview, whose tab tells the state of all jobs.
 * The browser keeps that state current even in the background.
 */
export const Headline = ({ saying, isOfAll, children }: PropsWithChildren<{ saying: Saying; isOfAll?: true }>) => (
  <header id="headline" class="head" data-title={`${headlineTitle(saying)} · rollcall`} data-all={isOfAll}>
    <h1 class={`headline is-${saying.tone}`}>{saying.sentence}</h1>
    {children}
  </header>
);
