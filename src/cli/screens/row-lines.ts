// Turns rows of `views/rows` into text for a terminal. Pages show the same rows as HTML.

import { momentAs } from "../../domain/wording/now.ts";
import type { Column, FactRow, RowPart } from "../../views/rows/rows.ts";
import {
  headIn,
  printedDateAndTime,
  printedMinute,
  printedMoment,
  printedTime,
  type ScreenClock,
  unbroken,
} from "./spoken.ts";
import type { FactLine, TableRow } from "./table.ts";

/**
 * Writes parts of a row, which are texts and instants, as one text. The instants have no zone, since the screen names
 * it once. `day` is the date that stands above and need not be repeated.
 */
export const textOfParts = (parts: readonly RowPart[], screen: ScreenClock, day: string | null = null): string =>
  parts.map((part) => textOfPart(part, screen, day)).join("");

/** Writes parts of a row as a sentence that stands by itself, so its instants name their zone. */
export const sentenceOfParts = (parts: readonly RowPart[], screen: ScreenClock): string =>
  parts
    .map((part) =>
      typeof part === "object" && "at" in part && part.as === "exact"
        ? printedMoment(part.at, screen)
        : textOfPart(part, screen, null),
    )
    .join("");

/** Returns a question for a terminal, followed by the sentences that a page shows below it as paragraphs. */
export const questionOf = (question: string, sentences: readonly (readonly RowPart[])[], screen: ScreenClock): string =>
  [question, ...sentences.map((sentence) => textOfParts(sentence, screen))].join(" ");

function textOfPart(part: RowPart, screen: ScreenClock, day: string | null): string {
  if (typeof part === "string") return part;
  if ("wrote" in part) return part.wrote;
  if ("to" in part)
    return part.to === "maintenance" ? `${part.text}: \`rollcall maintenance list\` has them` : part.text;
  if (part.as === "exact") return printedTime(part.at, screen);
  if (part.as === "dated") return printedMinute(part.at, screen);
  if (part.as !== "clock") return unbroken(momentAs(part.as, part.at, screen.now, screen.timezone));
  return printedDateAndTime(part.at, screen)
    .filter((text) => text !== day)
    .join(" ");
}

/** Writes facts, each with where it comes from, such as `30 min (configuration; declared 1 min)`. */
export const factLines = (facts: readonly FactRow[], screen: ScreenClock): FactLine[] =>
  facts.map(({ name, says, from }) => {
    const source = textOfParts(from, screen);
    return [name, `${textOfParts(says, screen)}${source === "" ? "" : ` (${source})`}`];
  });

/**
 * Makes one row of a table: each cell by the head of its column. `namesZone` is false when another place on the screen
 * names the zone.
 */
export const tableCells = <Item>(
  columns: readonly Column<Item>[],
  item: Item,
  screen: ScreenClock,
  namesZone = true,
): TableRow =>
  Object.fromEntries(
    columns.map((column) => {
      const name = column.head.toUpperCase();
      const isNamed = namesZone && column.namesZone;
      return [isNamed ? headIn(screen, name) : name, textOfParts(column.cell(item), screen) || "-"];
    }),
  );
