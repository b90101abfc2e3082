// The management socket's paths of what came in beside accepted reports: refused reports (R33), and bulk syncs with what each
// changed and withheld (R29).

import { isRefusal, type Refusal, type RefusalCode } from "../../domain/errors.ts";
import { toIso } from "../../domain/time.ts";
import type { Engine } from "../../engine/api.ts";
import type { ReceivedFilter, RefusedSummary, SyncSummary } from "../../engine/reads/received-contract.ts";
import { readText } from "../api/query.ts";
import { refusalAnswer } from "../errors.ts";
import { REFUSALS } from "../refusals.ts";
import type { ListedRefusals, ListedRefused, ListedSync, ListedSyncs } from "./contract.ts";
import { answer, limitOf, type ManagementRoute, queryOf } from "./fields.ts";

export const receivedRoutes = (engine: Engine): readonly ManagementRoute[] => [
  {
    method: "GET",
    path: "/refused",
    handle: listing(
      engine.listRejected,
      ({ refused, more }): ListedRefusals => ({
        refused: refused.map(listedRefused),
        more,
      }),
    ),
  },
  {
    method: "GET",
    path: "/syncs",
    handle: listing(engine.listSyncs, ({ syncs, more }): ListedSyncs => ({ syncs: syncs.map(listedSync), more })),
  },
];

const listing =
  <List extends object>(list: (filter: ReceivedFilter) => List | Refusal, show: (list: List) => object) =>
  (request: Request): Response => {
    const query = queryOf(request);
    const application = readText(query, "application");
    if (isRefusal(application)) return refusalAnswer(application);
    const limit = limitOf(query);
    return isRefusal(limit) ? refusalAnswer(limit) : answer(list({ application, limit }), show);
  };

export const listedRefused = ({ firstAt, at, ...refused }: RefusedSummary): ListedRefused => ({
  ...refused,
  status: REFUSALS[refused.error as RefusalCode].status,
  firstAt: toIso(firstAt),
  at: toIso(at),
});

const listedSync = ({ firstAt, at, errorList, ...sync }: SyncSummary): ListedSync => ({
  ...sync,
  firstAt: toIso(firstAt),
  at: toIso(at),
  errorList: errorList.map(({ key, error, blocksRemoval }) => ({ key, error, withheldRemoval: blocksRemoval })),
});
