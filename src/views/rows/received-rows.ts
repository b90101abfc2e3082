// Says which reports were refused, for lists, a job's page and commands. Pure.

import { cleanLine } from "../../domain/text.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { RefusedList, RefusedSummary } from "../schemas/received-schemas.ts";
import { type Column, dated, type RowPart } from "./rows.ts";

const REASON_SHOWN = 200;

/** The columns of a list of refused reports, after application and monitor. */
export const REFUSED_COLUMNS: readonly Column<
  Pick<RefusedSummary, "at" | "times" | "firstAt" | "report" | "status" | "reason">
>[] = [
  { head: "last", cell: ({ at }) => [dated(at)], namesZone: true },
  { head: "times", cell: ({ times }) => [String(times)] },
  { head: "since", cell: ({ times, firstAt }) => (times === 1 ? [] : [dated(firstAt)]) },
  { head: "report", cell: ({ report }) => (report === null ? [] : [report]) },
  { head: "status", cell: ({ status }) => [String(status)] },
  { head: "why", cell: ({ reason }) => [{ wrote: cleanLine(reason, REASON_SHOWN) }], isPlain: true },
];

export const PLAIN_ADVICE = "send over HTTPS, or set server.plain_http";

/**
 * The words for reports that were refused over plain HTTP; empty when there were none. Such reports open no incident,
 * because it is not known whose they are.
 */
export function plainHttpParts(plainHttp: RefusedList["plainHttp"]): RowPart[] {
  const [newest] = plainHttp;
  if (newest === undefined) return [];
  const others = plainHttp.length - 1;
  const from = `${newest.network}${others === 0 ? "" : ` and ${counted(others, "other network")}`}`;
  const times = plainHttp.reduce((sum, one) => sum + one.times, 0);
  const were = times === 1 ? "was" : "were";
  return [
    `${counted(times, "report")} over plain HTTP from ${from} ${were} refused, the last at `,
    { at: newest.at, as: "exact" },
    `: ${PLAIN_ADVICE}; \`rollcall monitor refused\` lists them`,
  ];
}
