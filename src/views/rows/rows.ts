// What pages and terminals show alike, as rows of parts: `web/parts/rows.tsx` and `cli/screens/row-lines.ts` draw them,
// each once. A part says what it is, so that a page can link and isolate it and keep its time current. Pure.

import type { Instant } from "../../domain/time.ts";
import type { SaidMoment } from "../../domain/wording/types.ts";

/** Where a part leads on a page; a terminal shows its text alone. */
export type PagePlace =
  | Readonly<{ incident: number }>
  /** What this person or command did. */
  | Readonly<{ actor: string }>
  | Readonly<{ job: Readonly<{ application: string; key: string }> }>
  /** The jobs that have it. */
  | Readonly<{ label: string }>
  | Readonly<{ url: string }>
  | "maintenance";

/**
 * `clock`: a time of day where its day stands above it; `exact`: with its date and zone; `dated`: its age, which on a
 * terminal stands behind the date and on a page has it as its title.
 */
export type RowMoment = SaidMoment | Readonly<{ at: Instant; as: "clock" | "exact" | "dated" }>;

export type RowPart =
  /** Our words. */
  | string
  | RowMoment
  /** What a job, a person or a receiver wrote, on one line. */
  | Readonly<{ wrote: string }>
  | Readonly<{ to: PagePlace; text: string }>;

export interface FactRow {
  readonly name: string;
  readonly says: readonly RowPart[];
  /** Where the value comes from, or what else belongs to it; empty: nothing does. */
  readonly from: readonly RowPart[];
}

export const fact = (name: string, ...says: readonly RowPart[]): FactRow => ({ name, says, from: [] });

/** No row where there is nothing to say. */
export const factUnlessNull = (name: string, wrote: string | null): FactRow[] =>
  wrote === null ? [] : [fact(name, { wrote })];

export const dated = (at: Instant): RowMoment => ({ at, as: "dated" });

/** A column of a list, and one fact of each item. A terminal has the head above all cells, a page within each. */
export interface Column<Item> {
  readonly head: string;
  /** Without parts there is nothing to say: a terminal shows a dash, and a page and facts leave it out. */
  cell(item: Item): readonly RowPart[];
  /** The cell says enough by itself: a page shows it without its head. */
  readonly isPlain?: true;
  /** A terminal's head names the zone of all instants of the list here. */
  readonly namesZone?: true;
}

/** The same of one item, as facts. */
export const columnFacts = <Item>(columns: readonly Column<Item>[], item: Item): FactRow[] =>
  columns.flatMap(({ head, cell }) => {
    const says = cell(item);
    return says.length === 0 ? [] : [fact(head, ...says)];
  });
