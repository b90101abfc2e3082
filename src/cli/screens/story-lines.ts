// Prints the story of an incident, entry by entry under its days, in the zone of its job, in the words of the pages.

import type { RowPart } from "../../views/rows/rows.ts";
import type { PastEntry } from "../../views/story.ts";
import type { Screen } from "../asking/ask-service.ts";
import { textOfParts } from "./row-lines.ts";
import { clockTime } from "./spoken.ts";
import { formatFacts, outputLines } from "./table.ts";

/** The story as lines. The time stands only beside the first text of an entry. */
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

/** The texts of an entry. `day` is the day that stands above them. */
function textsOf({ says, aside, texts, quote, notes, output }: PastEntry, day: string, screen: Screen): string[] {
  const said = (parts: readonly RowPart[]): string => textOfParts(parts, screen, day);
  const head = `${said(says)}${aside === "" ? "" : ` (${aside})`}`;
  return [
    texts.length === 0 ? head : `${head}. ${texts.join(" ")}`,
    ...(quote === null ? [] : quote.split("\n").map((line) => `> ${line}`)),
    ...notes.map((note) => said(note.says)),
    ...(output === null ? [] : outputLines(output)),
  ];
}
