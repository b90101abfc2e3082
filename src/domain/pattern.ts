// Patterns by which a person names several monitors.

/** Returns a test for keys. `*` in the pattern matches any letters; a pattern without `*` matches only that key. */
export function matcherOf(pattern: string): (key: string) => boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const expression = new RegExp(`^${parts.join(".*")}$`, "su");
  return (key) => expression.test(key);
}

/** Whether a monitor is meant. `labels` holds its labels in their stored form. */
export type Reaches = (key: string, labels: string | null) => boolean;

/**
 * A monitor is meant by its key, by a pattern that matches the key, or by a label (`label:db`). No targets mean every
 * monitor.
 */
export function reachOf(targets: readonly string[]): Reaches {
  const keys = new Set(targets);
  const matchers = targets.filter((target) => target.includes("*")).map(matcherOf);
  const labels = targets.flatMap((target) =>
    target.startsWith(LABEL) ? target.slice(LABEL.length).toLowerCase() : [],
  );
  return (key, held) =>
    targets.length === 0 ||
    keys.has(key) ||
    matchers.some((matches) => matches(key)) ||
    labels.some((label) => hasLabel(held, label));
}

const LABEL = "label:";

export const meansLabel = (target: string): boolean => target.startsWith(LABEL);

/** Whether a word may mean several monitors. */
export const isPattern = (target: string): boolean => target.includes("*") || meansLabel(target);

/** `labels` is in the stored form: sorted, with a space between two labels. */
export const hasLabel = (labels: string | null, label: string): boolean =>
  labels !== null && ` ${labels} `.includes(` ${label} `);
