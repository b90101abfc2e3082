// Prints the answers to `rollcall app syncs`, which shows what each bulk sync changed or left out and why, and to
// `rollcall monitor refused`, which shows refused reports.

import type { Answer } from "../../engine/operations/operations.ts";
import { PLAIN_ADVICE, REFUSED_COLUMNS } from "../../views/rows/received-rows.ts";
import type { Screen } from "../asking/ask-service.ts";
import { isNarrowed, olderOnes, type Screens } from "./presenter.ts";
import { tableCells } from "./row-lines.ts";
import { headIn, printedMinute, printedShortText } from "./spoken.ts";
import { ownerCell, type TableRow } from "./table.ts";

type Sync = Answer<"app syncs">["syncs"][number];

/**
 * The row of a report that came over plain HTTP. It was refused before its key was read, so its application is not
 * known.
 */
const ANONYMOUS = {
  application: null,
  monitorKey: "",
  report: null,
  error: "HTTPS_REQUIRED",
  keyId: null,
  status: 403,
  reason: "plain HTTP is not accepted",
} as const;

export const RECEIVED_SCREENS: Screens = {
  "monitor refused": {
    items: ({ refused, plainHttp }) => [
      ...refused.map((report) => ({ ...report, network: null })),
      ...plainHttp.map((network) => ({ ...ANONYMOUS, ...network })),
    ],
    none: (asked) => (isNarrowed(asked) ? "no such report was refused" : "no report was refused"),
    rows: ({ refused, plainHttp }, screen) => [
      ...refused.map((report) => ({
        ...ownerCell(screen, report.application),
        MONITOR: report.monitorKey === "" ? "-" : report.monitorKey,
        ...tableCells(REFUSED_COLUMNS, report, screen),
      })),
      ...plainHttp.map(({ network, ...seen }) => {
        const refused = { ...ANONYMOUS, ...seen, reason: `plain HTTP from ${network}: ${PLAIN_ADVICE}` };
        return { ...ownerCell(screen, "-"), MONITOR: "-", ...tableCells(REFUSED_COLUMNS, refused, screen) };
      }),
    ],
    beside: ({ refused, more }) => olderOnes(refused.length, more),
  },
  "app syncs": {
    items: ({ syncs }) => syncs,
    none: (asked) => (isNarrowed(asked) ? "there was no such bulk sync" : "there was no bulk sync"),
    rows: ({ syncs }, screen) => syncs.flatMap((sync) => syncRows(sync, screen)),
    beside: ({ syncs, more }) => olderOnes(syncs.length, more),
  },
};

const TEXT_SHOWN = 160;

function syncRows(sync: Sync, screen: Screen): TableRow[] {
  const { application, keyId, source, version, total } = sync;
  const row = {
    [headIn(screen, "AT")]: printedMinute(sync.at, screen),
    ...ownerCell(screen, application),
    KEY: String(keyId),
    SOURCE: source,
    VERSION: version ?? "-",
    MONITORS: String(total),
  };
  const below = Object.fromEntries(Object.keys(row).map((head) => [head, ""]));
  const texts = [actionsOf(sync, screen), ...troublesOf(sync)];
  const [first = "", ...others] = texts.map((text) => printedShortText(text, TEXT_SHOWN));
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
  return times === 1 ? "changed nothing" : `changed nothing, ${times} times since ${printedMinute(firstAt, screen)}`;
}

function troublesOf({ withheld, withheldKeys, errors, errorList }: Sync): string[] {
  const kept =
    withheld === 0 ? [] : [`left as it was, though not named: ${withheldKeys.join(", ")}, because of the error below`];
  const shown = errorList.map(({ key, error }) => (key === "" ? `error: ${error}` : `error in ${key}: ${error}`));
  const left = errors - errorList.length;
  return [...kept, ...shown, ...(left > 0 ? [`and ${left} more errors`] : [])];
}
