// A map whose changes can be taken back as far as a mark, as a database takes back its own to a savepoint.

export function undoableMap<Key, Value extends {}>() {
  const values = new Map<Key, Value>();
  /** Of each change its key and the value before it. */
  const changes: [key: Key, before: Value | undefined][] = [];

  const put = (key: Key, value: Value | undefined): void => {
    if (value === undefined) values.delete(key);
    else values.set(key, value);
  };

  const change = (key: Key, value: Value | undefined): void => {
    changes.push([key, values.get(key)]);
    put(key, value);
  };

  return {
    get: (key: Key) => values.get(key),
    set: change,
    delete: (key: Key) => change(key, undefined),
    keys: () => values.keys(),
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
