// Tells a viewer what keeps rollcall from its work.

import { momentInWords } from "../../domain/wording/moments.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Viewer } from "../viewer.ts";

/**
 * Returns sentences about what keeps rollcall from its work, and about destinations that take no messages. They have
 * the words of `rollcall status`. A viewer of only some applications is told less.
 */
export function troublesFor(
  { troubles, notInForce, views }: Pick<Engine, "troubles" | "notInForce" | "views">,
  { applications }: Viewer,
): string[] {
  if (applications !== null) return [...troubles("anyone", applications)];
  const all = troubles("operator");
  const isSaid = (name: string): boolean => all.some((trouble) => trouble.includes(`${name} does not take them`));
  const failing = [...views.failing()].filter(([name]) => !isSaid(name));
  return [
    ...all,
    ...notInForce(),
    ...failing.map(
      ([name, { answer, since }]) => `${name} has taken no messages since ${momentInWords(since, "UTC")}: ${answer}`,
    ),
  ];
}
