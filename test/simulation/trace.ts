// The last events and log lines of rollcall, for the reader of a contradiction. Keeps few.

import { type Instant, iso } from "./units.ts";

export interface Trace {
  note(at: Instant, what: string, details: object): void;
  lines(): string[];
}

const KEPT = 40;

export function createTrace(): Trace {
  const notes: { readonly at: Instant; readonly what: string; readonly details: object }[] = [];
  return {
    note: (at, what, details) => {
      notes.push({ at, what, details });
      if (notes.length > KEPT) notes.shift();
    },
    lines: () => notes.map(({ at, what, details }) => `${iso(at)} ${what} ${JSON.stringify(details)}`),
  };
}
