// A bounded map, for caches. Put only values here that can be computed again: then forgetting one never changes an
// answer.

/** A cache with string keys. Any later `get` may find that the value is gone. */
export interface BoundedMap<Value> {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value) => void;
}

/**
 * A map of at most `limit` entries (at least 2) in two generations. When the young generation is full it replaces the
 * old one, and the old entries are lost unless they were asked for again. This keeps the entries in use nearly
 * as well as an LRU list, and a hit costs no bookkeeping.
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
