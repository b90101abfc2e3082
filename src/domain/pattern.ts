// Patterns by which a person names several monitors.

/** Whether a key is one that the pattern means; `*` stands for any letters, and without one it means that key alone. */
export function matcherOf(pattern: string): (key: string) => boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const expression = new RegExp(`^${parts.join(".*")}$`, "su");
  return (key) => expression.test(key);
}

/** Whether a monitor is meant; `labels`: its labels as they are kept. */
export type Reaches = (key: string, labels: string | null) => boolean;

/** One of these keys, one that a pattern among them means, or one with a label (`label:db`); none: all are meant. */
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

/** `labels`: as they are kept, in their order with a space between two. */
export const hasLabel = (labels: string | null, label: string): boolean =>
  labels !== null && ` ${labels} `.includes(` ${label} `);
