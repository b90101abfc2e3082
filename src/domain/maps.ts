// Three maps: one is bounded, one can be undone, one gives each value only once.

/** A cache with string keys. It may forget any value, so callers of `get` must be able to compute it again. */
export interface BoundedMap<Value> {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value) => void;
}

/**
 * A cache of at most `limit` entries (at least 2) in two halves. New entries, and old ones that are read, go into the
 * young half. When it is full, it becomes the old half, and the former old half is forgotten. So the entries in use
 * stay, nearly as in an LRU list, but reading a young entry costs nothing.
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

// A map whose changes can be undone back to a mark, as a database goes back to a savepoint.

export function undoableMap<Key, Value extends {}>() {
  const values = new Map<Key, Value>();
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
    /** Gives the key this value, and returns its former one. */
    set: change,
    delete: (key: Key) => change(key, undefined),
    keys: () => values.keys(),
    size: () => values.size,
    /** Makes all changes so far final: they can no longer be undone. */
    forget: () => {
      changes.length = 0;
    },
    /** Returns a function that undoes every change since this call. It must not be used after the next `forget`. */
    mark: () => {
      const until = changes.length;
      return () => {
        while (changes.length > until) put(...changes.pop()!);
      };
    },
  };
}

/**
 * Keeps values that are given once and taken once, for example the state of a sign-in. A value that is not taken within
 * `span` milliseconds is lost. When `most` values wait, the oldest is dropped for a new one.
 */
export function onceMap<Value>(span: number, most: number) {
  /** The values that are not taken yet, the oldest first. */
  const open = new Map<string, { readonly value: Value; readonly since: number }>();
  return {
    /** Stores the value under the key until it is taken. `now` must come from the same clock as in `take`. */
    give: (key: string, value: Value, now: number): void => {
      for (const [old, { since }] of open) {
        if (now < since + span && open.size < most) break;
        open.delete(old);
      }
      open.set(key, { value, since: now });
    },
    /** Returns the value and forgets it; `null` when it was never given, has expired, or was taken already. */
    take: (key: string, now: number): Value | null => {
      const given = open.get(key);
      open.delete(key);
      return given !== undefined && now < given.since + span ? given.value : null;
    },
  };
}
