// Numbers that follow from a seed, in streams of their own: what one part of the world draws never shifts what another
// does, so a run can be repeated exactly. Knows nothing of the simulation.

export interface Random {
  /** At least 0, below 1. */
  fraction(): number;
  /** A whole number, both ends included. */
  whole(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** One of the items, each as likely as its weight says. */
  weighted<Item>(items: readonly (readonly [weight: number, item: Item])[]): Item;
  /** Waits between events that come on average every `mean`. */
  exponential(mean: number): number;
  /** A stream of its own, the same for the same label. */
  branch(label: string): Random;
}

/** The stream that a seed and a label name. */
export function seeded(seed: number, label = ""): Random {
  const next = sfc32(seed, label);
  const fraction = (): number => next() / 2 ** 32;

  function weighted<Item>(items: readonly (readonly [number, Item])[]): Item {
    let left = fraction() * items.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of items) {
      left -= weight;
      if (left < 0) return item;
    }
    return items.at(-1)![1];
  }

  return {
    fraction,
    whole: (min, max) => min + Math.floor(fraction() * (max - min + 1)),
    chance: (probability) => fraction() < probability,
    pick: (items) => items[Math.floor(fraction() * items.length)]!,
    weighted,
    exponential: (mean) => -Math.log(1 - fraction()) * mean,
    branch: (name) => seeded(seed, `${label}/${name}`),
  };
}

/** Doty-Humphrey's small fast counter generator, started from a hash of seed and label (FNV-1a). */
function sfc32(seed: number, label: string): () => number {
  let hash = 0x811c9dc5;
  for (const character of `${seed}${label}`) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  let a = hash;
  let b = seed | 0;
  let c = Math.imul(hash, 0x9e3779b1);
  let counter = 1;

  function next(): number {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  }
  for (let round = 0; round < 12; round++) next();
  return next;
}
