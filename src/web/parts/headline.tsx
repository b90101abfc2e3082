// The sentence on top of a page, which the browser's tab repeats.

import type { PropsWithChildren } from "hono/jsx";
import { iconPath, type Tone } from "../assets/assets.ts";

export interface Saying {
  readonly sentence: string;
  /** For the tab; absent: the sentence. */
  readonly title?: string;
  readonly tone: Tone;
}

export const titleOf = ({ sentence, title }: Saying): string => title ?? sentence.replace(/\.$/, "");

export const Headline = ({ saying, children }: PropsWithChildren<{ saying: Saying }>) => (
  <header id="headline" class="head" data-title={`${titleOf(saying)} · rollcall`} data-icon={iconPath(saying.tone)}>
    <h1 class={`headline is-${saying.tone}`}>{saying.sentence}</h1>
    {children}
  </header>
);
