// A map that forgets: what a cache is made of. It holds only what can be computed again, so forgetting never
// changes an answer; it must not hold state.

/** A cache by string. A value that was set may be gone at any later `get`. */
export interface BoundedMap<Value> {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value) => void;
}

/**
 * A map of at most `limit` entries (at least 2) in two generations. When the young one is full it becomes the old
 * one, whose entries are gone unless they are asked for again. That keeps what is in use nearly as well as a list
 * in order of use would, without any bookkeeping when an entry is found.
 */
export function boundedMap<Value>(limit: number): BoundedMap<Value> {
  const generation = Math.floor(limit / 2);
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();

  const set = (key: string, value: Value): void => {
    if (young.size >= generation && !young.has(key)) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  };

  const get = (key: string): Value | undefined => {
    const found = young.get(key);
    if (found !== undefined) return found;
    const kept = old.get(key);
    if (kept !== undefined) set(key, kept);
    return kept;
  };

  return { get, set };
}
