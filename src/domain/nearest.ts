// Which of the known names was probably meant. Pure.

/** The candidate at most two edits away (one for short words), the nearest first; null when none is near. */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  let best: string | null = null;
  let least = word.length < 4 ? 2 : 3;
  for (const candidate of candidates) {
    const edits = editsBetween(word, candidate);
    if (edits >= least) continue;
    best = candidate;
    least = edits;
  }
  return best;
}

/** Letters to insert, delete, replace or swap with their neighbour to make one word the other. */
function editsBetween(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const replaced = (last[column - 1] ?? 0) + (same ? 0 : 1);
      const swapped =
        from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
          ? (beforeLast[column - 2] ?? 0) + 1
          : replaced;
      current.push(Math.min(replaced, swapped, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
