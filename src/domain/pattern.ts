// Patterns by which a person names several monitors.

/** Whether a key is one that the pattern means; `*` stands for any letters, and without one it means that key alone. */
export function matcherOf(pattern: string): (key: string) => boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const expression = new RegExp(`^${parts.join(".*")}$`, "su");
  return (key) => expression.test(key);
}

/** Whether a key is one of these, or one that a pattern among them means; none: all are meant. */
export function reachOf(targets: readonly string[]): (key: string) => boolean {
  const keys = new Set(targets);
  const matchers = targets.filter((target) => target.includes("*")).map(matcherOf);
  return (key) => targets.length === 0 || keys.has(key) || matchers.some((matches) => matches(key));
}
