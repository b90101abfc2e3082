// What happened, entry by entry under its days, in the zone of its job: the words are those of the pages.

import { momentAs } from "../../domain/wording/now.ts";
import type { PastEntry, PastPart } from "../../views/story.ts";
import type { Screen } from "../asking/ask-service.ts";
import { clockTime, unbroken } from "./spoken.ts";
import { formatFacts, outputLines } from "./table.ts";

/** The time stands beside the first text of an entry alone. */
export const storyLines = (entries: readonly PastEntry[], screen: Screen): string[] =>
  [...Map.groupBy(entries, ({ at }) => clockTime(at, screen)[0])].flatMap(([day, ofDay]) => [
    "",
    `${day} ${screen.timezone}`,
    ...ofDay.flatMap((entry) => {
      const [first = "", ...others] = textsOf(entry, day, screen);
      const facts = [[clockTime(entry.at, screen)[1], first], ...others.map((text) => ["", text] as const)] as const;
      return formatFacts(facts, screen);
    }),
  ]);

/** `day`: that stands above it. */
function textsOf({ says, aside, texts, quote, notes, output }: PastEntry, day: string, screen: Screen): string[] {
  const said = (parts: readonly PastPart[]): string => parts.map((part) => partOf(part, day, screen)).join("");
  const head = `${said(says)}${aside === "" ? "" : ` (${aside})`}`;
  return [
    texts.length === 0 ? head : `${head}. ${texts.join(" ")}`,
    ...(quote === null ? [] : quote.split("\n").map((line) => `> ${line}`)),
    ...notes.map((note) => said(note.says)),
    ...(output === null ? [] : outputLines(output)),
  ];
}

function partOf(part: PastPart, day: string, screen: Screen): string {
  if (typeof part === "string") return part;
  if (part.as !== "clock") return unbroken(momentAs(part.as, part.at, screen.now, screen.timezone));
  return clockTime(part.at, screen)
    .filter((text) => text !== day)
    .join(" ");
}
