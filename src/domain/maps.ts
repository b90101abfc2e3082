// A bounded map for values that can be computed again, so that forgetting one never changes a result.

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

// A map whose changes can be undone back to a mark, as a database rolls back to a savepoint.

export function undoableMap<Key, Value extends {}>() {
  const values = new Map<Key, Value>();
  /** The key of each change and the value before it. */
  const changes: [key: Key, before: Value | undefined][] = [];

  const put = (key: Key, value: Value | undefined): void => {
    if (value === undefined) values.delete(key);
    else values.set(key, value);
  };

  const change = (key: Key, value: Value | undefined): Value | undefined => {
    const before = values.get(key);
    if (before === value) return before;
    changes.push([key, before]);
    put(key, value);
    return before;
  };

  return {
    get: (key: Key) => values.get(key),
    /** Returns the value before. */
    set: change,
    delete: (key: Key) => change(key, undefined),
    keys: () => values.keys(),
    size: () => values.size,
    /** Makes every change until now final. */
    forget: () => {
      changes.length = 0;
    },
    /** Returns a function that takes back every change since this call; it is void after the next `forget`. */
    mark: () => {
      const until = changes.length;
      return () => {
        while (changes.length > until) put(...changes.pop()!);
      };
    },
  };
}

/**
 * Keeps a value that is given once and taken once, within `span` milliseconds. Beyond `most` values the oldest is
 * dropped.
 */
export function onceMap<Value>(span: number, most: number) {
  /** Sorted by when they were given. */
  const open = new Map<string, { readonly value: Value; readonly since: number }>();
  return {
    /** `now` must come from the same clock as in `take`. */
    give: (key: string, value: Value, now: number): void => {
      for (const [old, { since }] of open) {
        if (now < since + span && open.size < most) break;
        open.delete(old);
      }
      open.set(key, { value, since: now });
    },
    /** `null` when the value was never given, was given too long ago, or was taken already. */
    take: (key: string, now: number): Value | null => {
      const given = open.get(key);
      open.delete(key);
      return given !== undefined && now < given.since + span ? given.value : null;
    },
  };
}
