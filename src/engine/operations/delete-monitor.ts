// The operation that deletes a monitor: finds it by its name. Must be called in a transaction.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import { findOwner, type MonitorName } from "../../views/find-named.ts";
import type { DeletedMonitor } from "../../views/schemas/monitor-schemas.ts";
import type { EngineContext } from "../engine-context.ts";
import { deleteMonitorById } from "../monitor-deletion.ts";
import { type Operated, withoutAfterCommit } from "./operation.ts";

export function deleteMonitor(
  context: EngineContext,
  name: MonitorName,
  now: Instant,
): Operated<DeletedMonitor | Refusal> {
  const owner = findOwner(context, name);
  if (isRefusal(owner)) return withoutAfterCommit(owner);
  return deleteMonitorById(context, owner, name.key, context.store.monitors.find(owner.id, name.key)!, now);
}
