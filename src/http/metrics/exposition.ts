// Prometheus' text format, version 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats. Knows no metric.
// Our own, because a library makes the whole text in one turn of the event loop, and reports would wait for it.

import type { Distribution } from "../../domain/distribution.ts";

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** A metric as it is served and as docs/metrics.md lists it. */
export interface MetricAbout {
  readonly name: string;
  /** A sentence without its full stop. */
  readonly help: string;
  readonly labels?: readonly string[];
}

/** The values of its labels, in their order, and the value. */
export type Sample = readonly [labels: readonly string[], value: number];

/** The lines of a counter or a gauge; none without samples. */
export function linesOf(type: "counter" | "gauge", about: MetricAbout, samples: Iterable<Sample>): string {
  const { name, labels = [] } = about;
  let lines = "";
  for (const [values, value] of samples) lines += `${name}${labelled(labels, values)} ${value}\n`;
  return lines === "" ? "" : headOf(type, about) + lines;
}

export function linesOfHistogram(about: MetricAbout, { bounds, counts, sum }: Distribution): string {
  const { name } = about;
  let lines = headOf("histogram", about);
  let total = 0;
  for (const [place, count] of counts.entries()) {
    total += count;
    lines += `${name}_bucket{le="${bounds[place] ?? "+Inf"}"} ${total}\n`;
  }
  return `${lines}${name}_sum ${sum}\n${name}_count ${total}\n`;
}

const headOf = (type: string, { name, help }: MetricAbout): string =>
  `# HELP ${name} ${help}.\n# TYPE ${name} ${type}\n`;

const labelled = (labels: readonly string[], values: readonly string[]): string =>
  labels.length === 0 ? "" : `{${labels.map((label, place) => `${label}="${escaped(values[place]!)}"`).join(",")}}`;

/** A value of a label may hold any character; three of them are written otherwise. */
const escaped = (text: string): string =>
  /[\\"\n]/.test(text) ? text.replace(/[\\"\n]/g, (one) => (one === "\n" ? "\\n" : `\\${one}`)) : text;
