// The day as data: what day.ts decides and the templates show. Types only.

import type { FoundGap } from "../../domain/monitor/gap.ts";
import type { Span } from "../../domain/monitor/window.ts";
import type { BoardMonitor } from "../../views/board.ts";
import type { Saying } from "../parts/headline.tsx";
import type { Clocked } from "../parts/moment.tsx";
import type { Health } from "../parts/shapes.tsx";
import type { ClockChange } from "./axis.ts";
import type { BusyMinutes } from "./busy-minutes.ts";
import type { LaneDrawing } from "./marks.ts";
import type { DayQuery } from "./query.ts";
import type { DayLine, DaySummary } from "./words.ts";

export interface DayLane extends Pick<BoardMonitor, "id" | "application" | "key" | "name" | "schedule" | "timezone"> {
  readonly health: Health;
  /** Another job has its name: only its key tells them apart. */
  readonly hasNamesake: boolean;
  readonly drawing: LaneDrawing;
  readonly summary: DaySummary;
  readonly lines: readonly DayLine[];
  /** What the lane cannot tell, a sentence each. */
  readonly remarks: readonly string[];
}

export interface DayView extends Clocked {
  readonly query: DayQuery;
  readonly span: Span;
  readonly headline: Saying;
  /** There is no job that the viewer may see. */
  readonly isEmpty: boolean;
  readonly lanes: readonly DayLane[];
  /** Ascending. */
  readonly gaps: readonly FoundGap[];
  readonly changes: readonly ClockChange[];
  readonly busyMinutes: BusyMinutes;
  readonly counts: Readonly<Record<DayQuery["show"], number>>;
  /** How many jobs the query finds. */
  readonly found: number;
  readonly pages: number;
  /** Empty: there is one alone, and naming it says nothing. */
  readonly applications: readonly string[];
}
