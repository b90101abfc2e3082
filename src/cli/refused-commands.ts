// `rollcall refused list`: reports that were refused for another reason than the rate limit, through the running service.

import type { ReceivedFilter } from "../engine/reads/received-contract.ts";
import type { ListedRefusals, ListedRefused } from "../http/management/contract.ts";
import { showReceived } from "./received-list.ts";
import type { Caller, Screen } from "./socket-client.ts";
import { headIn, minute, shortText } from "./spoken.ts";
import { ownerColumn } from "./table.ts";

export const runRefusedList = (caller: Caller, filter: ReceivedFilter, asJson: boolean): Promise<number> =>
  showReceived<ListedRefusals, ListedRefused>(
    {
      path: "/refused",
      itemsOf: ({ refused }) => refused,
      none: "no report was refused for what is wrong with it",
      head: headOf,
      rows: (report, screen) => [rowOf(report, screen)],
    },
    caller,
    filter,
    asJson,
  );

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
