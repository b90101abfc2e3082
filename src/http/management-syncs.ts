// The management socket's path of bulk syncs: what each changed and withheld (R29).

import { isRefusal } from "../domain/errors.ts";
import { toIso } from "../domain/time.ts";
import type { Engine } from "../engine/contract.ts";
import type { SyncSummary } from "../engine/received-contract.ts";
import { refusalAnswer } from "./errors.ts";
import type { ListedSync, ListedSyncs } from "./management-contract.ts";
import { answer, limitOf, type ManagementRoute, queryOf } from "./management-fields.ts";
import { type Query, readText } from "./query.ts";

export const syncHistoryRoutes = (engine: Engine): readonly ManagementRoute[] => [
  { method: "GET", path: "/syncs", handle: (request) => list(engine, queryOf(request)) },
];

function list(engine: Engine, query: Query): Response {
  const application = readText(query, "application");
  if (isRefusal(application)) return refusalAnswer(application);
  const limit = limitOf(query);
  if (isRefusal(limit)) return refusalAnswer(limit);
  return answer(
    engine.listSyncs({ application, limit }),
    ({ syncs, more }): ListedSyncs => ({ syncs: syncs.map(listedSync), more }),
  );
}

const listedSync = ({ firstAt, at, errorList, ...sync }: SyncSummary): ListedSync => ({
  ...sync,
  firstAt: toIso(firstAt),
  at: toIso(at),
  errorList: errorList.map(({ key, error, blocksRemoval }) => ({ key, error, withheldRemoval: blocksRemoval })),
});
