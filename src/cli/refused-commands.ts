// `rollcall refused list`: reports that were refused for another reason than the rate limit, through the running service.

import type { ListedRefusals, ListedRefused } from "../http/management-contract.ts";
import { DONE } from "./io.ts";
import { askService, type Caller, type Screen } from "./socket-client.ts";
import { headIn, minute, shortText } from "./spoken.ts";
import type { ReceivedFilter } from "./sync-commands.ts";
import { formatTable, ownerColumn } from "./table.ts";

/** Newest first. An empty list, and one that leaves out older ones, is said on stderr. */
export async function runRefusedList(
  caller: Caller,
  { application, limit }: ReceivedFilter,
  asJson: boolean,
): Promise<number> {
  const query = new URLSearchParams({ limit: String(limit) });
  if (application !== null) query.set("application", application);
  const answer = await askService<ListedRefusals>(caller, { method: "GET", path: `/refused?${query}` });
  if ("exitCode" in answer) return answer.exitCode;
  const { refused, more } = answer.body;
  const { screen } = answer;
  const { out, err } = caller.io;
  if (asJson) out(JSON.stringify(refused, null, 2));
  else if (refused.length === 0) err("no report was refused for what is wrong with it");
  else {
    const rows = refused.map((report) => rowOf(report, screen));
    for (const line of formatTable(headOf(screen), rows, screen.width)) out(line);
  }
  if (more) err(`these are the newest ${refused.length}; there are older ones, --limit shows more`);
  return DONE;
}

/** What is said of those of one monitor. */
export const REFUSED_HEAD = ["LAST", "TIMES", "SINCE", "REPORT", "STATUS", "WHY"];

const headOf = (screen: Screen): string[] => {
  const [last = "", ...others] = REFUSED_HEAD;
  return [...ownerColumn(screen, "APPLICATION"), "MONITOR", headIn(screen, last), ...others];
};

const REASON_SHOWN = 200;

export const refusedRow = (refused: ListedRefused, screen: Screen): string[] => {
  const { at, times, firstAt, report, status, reason } = refused;
  return [
    minute(at, screen),
    String(times),
    times === 1 ? "-" : minute(firstAt, screen),
    report ?? "-",
    String(status),
    shortText(reason, REASON_SHOWN),
  ];
};

const rowOf = (refused: ListedRefused, screen: Screen): string[] => [
  ...ownerColumn(screen, refused.application),
  refused.monitorKey === "" ? "-" : refused.monitorKey,
  ...refusedRow(refused, screen),
];
