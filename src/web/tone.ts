// How a page is meant: the colour of its headline and of the browser's tab.

/** Nothing to do; something is late or tolerated; something needs a person; nothing can be said. */
const TONES = ["well", "late", "bad", "quiet"] as const;

export type Tone = (typeof TONES)[number];
