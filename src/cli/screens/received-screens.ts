// `rollcall app syncs`: what bulk syncs changed, what they withheld and why. `rollcall monitor refused`: refused
// reports.

import { counted } from "../../domain/wording/spoken-time.ts";
import type { WrittenAnswer } from "../../engine/operations/operations.ts";
import type { Screen } from "../asking/ask-service.ts";
import { isNarrowed, olderOnes, type Screens } from "./presenter.ts";
import { headIn, minute, shortText } from "./spoken.ts";
import { ownerCell, type TableRow } from "./table.ts";

type RefusedRow = WrittenAnswer<"monitor refused">["refused"][number];
type Sync = WrittenAnswer<"app syncs">["syncs"][number];

const REASON_SHOWN = 200;

export const refusedRow = (
  { at, times, firstAt, report, status, reason }: RefusedRow,
  screen: Screen,
  last = "LAST",
): TableRow => ({
  [last]: minute(at, screen),
  TIMES: String(times),
  SINCE: times === 1 ? "-" : minute(firstAt, screen),
  REPORT: report ?? "-",
  STATUS: String(status),
  WHY: shortText(reason, REASON_SHOWN),
});

export const RECEIVED_SCREENS: Screens = {
  "monitor refused": {
    items: ({ refused }) => refused,
    none: (asked) => (isNarrowed(asked) ? "no such report was refused" : "no report was refused"),
    rows: ({ refused }, screen) =>
      refused.map((report) => ({
        ...ownerCell(screen, report.application),
        MONITOR: report.monitorKey === "" ? "-" : report.monitorKey,
        ...refusedRow(report, screen, headIn(screen, "LAST")),
      })),
    beside: ({ refused, more, plainHttp }, screen) => [
      ...olderOnes(refused.length, more),
      ...plainHttp.map(
        ({ network, times, firstAt, at }) =>
          `plain HTTP from ${network} was refused ${counted(times, "time")} from ${minute(firstAt, screen)} to ${minute(at, screen)}: send over HTTPS, or set server.plain_http`,
      ),
    ],
  },
  "app syncs": {
    items: ({ syncs }) => syncs,
    none: (asked) => (isNarrowed(asked) ? "there was no such bulk sync" : "there was no bulk sync"),
    rows: ({ syncs }, screen) => syncs.flatMap((sync) => rowsOf(sync, screen)),
    beside: ({ syncs, more }) => olderOnes(syncs.length, more),
  },
};

const TEXT_SHOWN = 160;

function rowsOf(sync: Sync, screen: Screen): TableRow[] {
  const { application, keyId, source, version, total } = sync;
  const row = {
    [headIn(screen, "AT")]: minute(sync.at, screen),
    ...ownerCell(screen, application),
    KEY: String(keyId),
    SOURCE: source,
    VERSION: version ?? "-",
    MONITORS: String(total),
  };
  const below = Object.fromEntries(Object.keys(row).map((head) => [head, ""]));
  const texts = [actionsOf(sync, screen), ...troublesOf(sync)];
  const [first = "", ...others] = texts.map((text) => shortText(text, TEXT_SHOWN));
  return [{ ...row, "WHAT IT DID": first }, ...others.map((text) => ({ ...below, "WHAT IT DID": text }))];
}

const ACTIONS = {
  created: "created",
  created_plan_limited: "created, paused by the plan:",
  updated: "updated",
  paused_removed: "withdrew",
} as const;

function actionsOf({ changes, times, firstAt }: Sync, screen: Screen): string {
  const actions = Object.entries(ACTIONS).flatMap(([action, words]) => {
    const keys = changes.filter((change) => change.action === action).map(({ key }) => key);
    return keys.length === 0 ? [] : [`${words} ${keys.join(", ")}`];
  });
  if (actions.length > 0) return actions.join("; ");
  return times === 1 ? "changed nothing" : `changed nothing, ${times} times since ${minute(firstAt, screen)}`;
}

function troublesOf({ withheld, withheldKeys, errors, errorList }: Sync): string[] {
  const kept =
    withheld === 0 ? [] : [`left as it was, though not named: ${withheldKeys.join(", ")}, because of the error below`];
  const shown = errorList.map(({ key, error }) => (key === "" ? `error: ${error}` : `error in ${key}: ${error}`));
  const left = errors - errorList.length;
  return [...kept, ...shown, ...(left > 0 ? [`and ${left} more errors`] : [])];
}
