// A lane's slots in the order of time, those of one kind that follow one another as one band: what is drawn and what is
// said of a lane both begin here. Pure.

import type { TimelineEntry } from "../../views/timeline.ts";

/** Entries of one kind, one after the other. */
export interface DayBand<Kind> {
  readonly kind: Kind;
  readonly first: TimelineEntry;
  readonly last: TimelineEntry;
  readonly entries: readonly TimelineEntry[];
}

/** `distance`: entries further apart than this stand alone. */
export function bandsOf<Kind>(
  entries: readonly TimelineEntry[],
  kindOf: (entry: TimelineEntry) => Kind,
  distance = Number.POSITIVE_INFINITY,
): DayBand<Kind>[] {
  const groups: { readonly kind: Kind; readonly entries: TimelineEntry[] }[] = [];
  for (const entry of entries) {
    const kind = kindOf(entry);
    const group = groups.at(-1);
    if (group !== undefined && group.kind === kind && entry.at - group.entries.at(-1)!.at <= distance)
      group.entries.push(entry);
    else groups.push({ kind, entries: [entry] });
  }
  return groups.map((group) => ({ ...group, first: group.entries[0]!, last: group.entries.at(-1)! }));
}
