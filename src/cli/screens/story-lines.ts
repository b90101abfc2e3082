// Prints the story of an incident or a job: its entries under their days, in the zone of the job and in the words of
// the pages.

import type { RowPart } from "../../views/rows/rows.ts";
import type { PastEntry } from "../../views/story.ts";
import type { Screen } from "../asking/ask-service.ts";
import { textOfParts } from "./row-lines.ts";
import { printedDateAndTime } from "./spoken.ts";
import { formatFacts, printedOutputLines } from "./table.ts";

/** Returns the lines of a story. Only the first text of an entry has the time beside it. */
export const storyLines = (entries: readonly PastEntry[], screen: Screen): string[] =>
  [...Map.groupBy(entries, ({ at }) => printedDateAndTime(at, screen)[0])].flatMap(([day, ofDay]) => [
    "",
    `${day} ${screen.timezone}`,
    ...ofDay.flatMap((entry) => {
      const [first = "", ...others] = textsOf(entry, day, screen);
      const facts = [
        [printedDateAndTime(entry.at, screen)[1], first],
        ...others.map((text) => ["", text] as const),
      ] as const;
      return formatFacts(facts, screen);
    }),
  ]);

/** Returns the texts of an entry. `day` is the date that stands above the entry, which the texts do not repeat. */
function textsOf({ says, aside, texts, quote, notes, output }: PastEntry, day: string, screen: Screen): string[] {
  const said = (parts: readonly RowPart[]): string => textOfParts(parts, screen, day);
  const head = `${said(says)}${aside === "" ? "" : ` (${aside})`}`;
  return [
    texts.length === 0 ? head : `${head}. ${texts.join(" ")}`,
    ...(quote === null ? [] : quote.split("\n").map((line) => `> ${line}`)),
    ...notes.map((note) => said(note.says)),
    ...(output === null ? [] : printedOutputLines(output)),
  ];
}
