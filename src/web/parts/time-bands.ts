// Joins successive entries of one kind, such as slots that were all missed, into a band. The day page uses it for
// drawings and words, and the page of a job for its story.

import type { Instant } from "../../domain/time.ts";

type TimedEntry = Readonly<{ at: Instant }>;

export interface TimeBand<Entry extends TimedEntry, Kind> {
  readonly kind: Kind;
  readonly first: Entry;
  readonly last: Entry;
  readonly entries: readonly Entry[];
}

/**
 * Joins successive entries of one kind into bands. Two entries more than `distance` milliseconds apart are not joined.
 */
export function bandsOfAlikeEntries<Entry extends TimedEntry, Kind>(
  entries: readonly Entry[],
  kindOf: (entry: Entry) => Kind,
  distance = Number.POSITIVE_INFINITY,
): TimeBand<Entry, Kind>[] {
  const groups: { readonly kind: Kind; readonly entries: Entry[] }[] = [];
  for (const entry of entries) {
    const kind = kindOf(entry);
    const group = groups.at(-1);
    if (group !== undefined && group.kind === kind && entry.at - group.entries.at(-1)!.at <= distance)
      group.entries.push(entry);
    else groups.push({ kind, entries: [entry] });
  }
  return groups.map((group) => ({ ...group, first: group.entries[0]!, last: group.entries.at(-1)! }));
}
