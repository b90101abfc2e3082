// Targets, by which a person names several monitors at once: keys, patterns such as `backup-*`, and labels such as
// `label:db`.

import { patternMatcher } from "../pattern.ts";

/**
 * Tells whether the targets from which it was made name the monitor with this key. `labels` are as they are stored,
 * with a space between two.
 */
export type Reaches = (key: string, labels: string | null) => boolean;

/**
 * Returns a test whether these targets name a monitor. A target is a monitor's key, a pattern for keys, or a label
 * (`label:db`). An empty list names every monitor.
 */
export function targetMatcherOf(targets: readonly string[]): Reaches {
  const keys = new Set(targets);
  const matchers = targets.filter((target) => target.includes("*")).map(patternMatcher);
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

/** Whether this target may name more than one monitor. */
export const isPattern = (target: string): boolean => target.includes("*") || meansLabel(target);

/** Whether the monitor has this label. `labels` is as it is stored: sorted, with one space between two labels. */
export const hasLabel = (labels: string | null, label: string): boolean =>
  labels !== null && ` ${labels} `.includes(` ${label} `);
