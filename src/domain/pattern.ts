// Patterns by which a person names several monitors.

/** Whether a key is one that the pattern means; `*` stands for any letters, and without one it means that key alone. */
export function matcherOf(pattern: string): (key: string) => boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const expression = new RegExp(`^${parts.join(".*")}$`, "su");
  return (key) => expression.test(key);
}
