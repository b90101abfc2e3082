// Patterns for keys, such as `backup-*`.

/**
 * Returns a test for the keys of monitors. `*` in the pattern matches any number of any letters; a pattern without `*`
 * matches only the equal key.
 */
export function patternMatcher(pattern: string): (key: string) => boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const expression = new RegExp(`^${parts.join(".*")}$`, "su");
  return (key) => expression.test(key);
}
