// Prints rows of parts on a terminal: the rows that `views/rows` makes for pages and terminals alike.

import { momentAs } from "../../domain/wording/now.ts";
import type { Column, FactRow, RowPart } from "../../views/rows/rows.ts";
import { clockTime, headIn, minute, moment, type ScreenClock, time, unbroken } from "./spoken.ts";
import type { FactLine, TableRow } from "./table.ts";

/**
 * Writes parts without the zone, which is printed beside them. `day` is the day that is printed above a time of day.
 */
export const textOfParts = (parts: readonly RowPart[], screen: ScreenClock, day: string | null = null): string =>
  parts.map((part) => textOfPart(part, screen, day)).join("");

/** Writes parts as a separate sentence, which names the zone. */
export const sentenceOfParts = (parts: readonly RowPart[], screen: ScreenClock): string =>
  parts
    .map((part) =>
      typeof part === "object" && "at" in part && part.as === "exact"
        ? moment(part.at, screen)
        : textOfPart(part, screen, null),
    )
    .join("");

/** A question at a terminal. Its sentences are those that a page shows as paragraphs. */
export const questionOf = (question: string, sentences: readonly (readonly RowPart[])[], screen: ScreenClock): string =>
  [question, ...sentences.map((sentence) => textOfParts(sentence, screen))].join(" ");

function textOfPart(part: RowPart, screen: ScreenClock, day: string | null): string {
  if (typeof part === "string") return part;
  if ("wrote" in part) return part.wrote;
  if ("to" in part)
    return part.to === "maintenance" ? `${part.text}: \`rollcall maintenance list\` has them` : part.text;
  if (part.as === "exact") return time(part.at, screen);
  if (part.as === "dated") return minute(part.at, screen);
  if (part.as !== "clock") return unbroken(momentAs(part.as, part.at, screen.now, screen.timezone));
  return clockTime(part.at, screen)
    .filter((text) => text !== day)
    .join(" ");
}

/** Writes `30 min (configuration; declared 1 min)`. */
export const factLines = (facts: readonly FactRow[], screen: ScreenClock): FactLine[] =>
  facts.map(({ name, says, from }) => {
    const source = textOfParts(from, screen);
    return [name, `${textOfParts(says, screen)}${source === "" ? "" : ` (${source})`}`];
  });

/** One row of a list, each cell under its head. `namesZone` is false when the zone is named elsewhere on the screen. */
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
