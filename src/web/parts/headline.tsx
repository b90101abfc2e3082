// The sentence on top of a page, which the browser's tab repeats.

import type { PropsWithChildren } from "hono/jsx";
import type { Tone } from "../assets/assets.ts";

export interface Saying {
  readonly sentence: string;
  /** For the tab; absent: the sentence. */
  readonly title?: string;
  readonly tone: Tone;
}

export const headlineTitle = ({ sentence, title }: Saying): string => title ?? sentence.replace(/\.$/, "");

/** Of a page that does not stay open; `children`: what stands beside it. */
export const Head = ({ says, tone = "quiet", children }: PropsWithChildren<{ says: string; tone?: Tone }>) => (
  <div class="head">
    <h1 class={`headline is-${tone}`}>{says}</h1>
    {children}
  </div>
);

/** A group of a page, under its name. */
export const Group = ({ id, name, children }: PropsWithChildren<{ id: string; name: string }>) => (
  <section class="group" aria-labelledby={id}>
    <h2 class="group-head" id={id}>
      {name}
    </h2>
    {children}
  </section>
);

/** What a person can change, under its name, in a box. */
export const Own = ({ id, name, children }: PropsWithChildren<{ id?: string; name: string }>) => (
  <section class="own" id={id}>
    <h2>{name}</h2>
    <div class="door">{children}</div>
  </section>
);

/** `isOfAll`: the tab says how all jobs stand, which it knows in the background too. */
export const Headline = ({ saying, isOfAll, children }: PropsWithChildren<{ saying: Saying; isOfAll?: true }>) => (
  <header id="headline" class="head" data-title={`${headlineTitle(saying)} · rollcall`} data-all={isOfAll}>
    <h1 class={`headline is-${saying.tone}`}>{saying.sentence}</h1>
    {children}
  </header>
);
