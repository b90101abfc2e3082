// Rows of parts, of which pages and terminals draw the same content: `web/parts/row-parts.tsx` and
// `cli/screens/row-lines.ts` draw every kind of part once. A part says what it is, such as a moment or a foreign text.
// So a page can link a part, isolate text that is written from right to left, and keep a time current. Pure.

import type { Instant } from "../../domain/time.ts";
import type { SaidMoment } from "../../domain/wording/types.ts";

/** Where a part links to on a page. A terminal shows only its text. */
export type PagePlace =
  | Readonly<{ incident: number }>
  /** The page of what this person or command did. */
  | Readonly<{ actor: string }>
  | Readonly<{ job: Readonly<{ application: string; key: string }> }>
  /** The page of the jobs that have this label. */
  | Readonly<{ label: string }>
  | Readonly<{ url: string }>
  | "maintenance";

/**
 * A moment in a row. `clock` is only the time of day, below a heading that names the day. `exact` is date, time and
 * zone. `dated` is an age, such as `5 min ago`: a terminal puts the date before it, and a page shows the date as a
 * tooltip.
 */
export type RowMoment = SaidMoment | Readonly<{ at: Instant; as: "clock" | "exact" | "dated" }>;

export type RowPart =
  /** Words that rollcall wrote itself. */
  | string
  | RowMoment
  /** What a job, a person or a receiver wrote, on one line. */
  | Readonly<{ wrote: string }>
  | Readonly<{ to: PagePlace; text: string }>;

export interface FactRow {
  readonly name: string;
  readonly says: readonly RowPart[];
  /** Where the value comes from, such as `declared`, or what else belongs to the value; may be empty. */
  readonly from: readonly RowPart[];
}

export const fact = (name: string, ...says: readonly RowPart[]): FactRow => ({ name, says, from: [] });

export const factUnlessNull = (name: string, wrote: string | null): FactRow[] =>
  wrote === null ? [] : [fact(name, { wrote })];

export const dated = (at: Instant): RowMoment => ({ at, as: "dated" });

/** A column of a list, and a fact of each item. A terminal prints the head above all cells, a page in each cell. */
export interface Column<Item> {
  readonly head: string;
  /** The parts of a cell. When there are none, a terminal prints a dash; pages and facts leave the cell out. */
  cell(item: Item): readonly RowPart[];
  /** True when a page shows the cell without its head, because the cell is clear by itself. */
  readonly isPlain?: true;
  /** True when a terminal writes the zone of the column's instants into its head. */
  readonly namesZone?: true;
}

export const columnFacts = <Item>(columns: readonly Column<Item>[], item: Item): FactRow[] =>
  columns.flatMap(({ head, cell }) => {
    const says = cell(item);
    return says.length === 0 ? [] : [fact(head, ...says)];
  });
