// Applies planned maintenance (R24) to the monitors when it was changed, when it is over, and when zone rules change.

import type { InPieces } from "../../domain/in-pieces.ts";
import { isOneTimeMaintenance } from "../../domain/schedule/maintenance.ts";
import { planAllAgain } from "../outbox/plan-again.ts";
import { type ApplyParts, DECLARED_A_PIECE, declareAll, fingerprintOf } from "./apply-configuration.ts";
import { moveMaintenances, withPlannedMaintenance } from "./planned-maintenance.ts";

export type MaintenancePlans = Pick<ReturnType<typeof createMaintenancePlans>, "begin">;

export function createMaintenancePlans(parts: ApplyParts) {
  const { context, clock, committer, background } = parts;
  const { store } = context;
  let isLeftUndone = false;
  let isMoveDue = false;
  let areReceiversOther = false;
  let reviewedAt = clock.now();

  function* follow(applicationId: number | null): InPieces<void> {
    try {
      if (isMoveDue) {
        committer.one((now) => moveMaintenances(store, now));
        isMoveDue = false;
        Object.assign(context, { policy: withPlannedMaintenance(context.policy, store, clock.now()) });
      }
      yield* declareAll(parts, DECLARED_A_PIECE, applicationId);
      if (areReceiversOther) yield* planAllAgain(parts);
      areReceiversOther = false;
    } catch (error) {
      isLeftUndone = true;
      throw error;
    }
  }

  /**
   * Must be called when planned maintenance has changed, or when other people are to be notified in a browser. Applies
   * planned maintenance to the monitors, over later turns. If other people are to be notified, plans messages again.
   * `applicationId` is the only application concerned; `null` means that all may be.
   */
  function begin(applicationId: number | null): void {
    isLeftUndone = false;
    const { policy: before } = context;
    const isWhole = store.liveness.applied() === fingerprintOf(before);
    Object.assign(context, { policy: withPlannedMaintenance(before, store, clock.now()) });
    areReceiversOther ||= !Bun.deepEquals(before.notified, context.policy.notified);
    background.laterThrough(follow(isWhole ? applicationId : null));
  }

  return {
    begin,
    /** Applies changed zone rules to the monitors, over later turns. Must be called when the new rules are in force. */
    zonesChanged: (): void => {
      isMoveDue = true;
      begin(null);
    },
    /**
     * Applies planned maintenance again when a maintenance is over, when the clock went back (R26), and when storage
     * works again after an error. Must be called once a second.
     */
    review: (): void => {
      const now = clock.now();
      const planned = [...(context.policy.planned?.values() ?? [])].flat();
      const isOver = planned.some(({ window }) => isOneTimeMaintenance(window) && window.until <= now);
      const isBack = now < reviewedAt;
      reviewedAt = now;
      if (isOver || isBack || (isLeftUndone && committer.failing() === null)) begin(null);
    },
  };
}
