// Deliveries that wait until their destination is to hear of them (R38): from when on that is, judged again.

import type { heardBy } from "../../domain/settings/routes.ts";
import type { Instant } from "../../domain/time.ts";
import type { DeliveryStatements, HeldRow } from "../../store/deliveries.ts";
import type { EngineContext } from "../context.ts";

type HoldStatement = Pick<DeliveryStatements, "hold">;

/** `heardFrom`: by the settings that are in force now. In a transaction. */
export function judgeHeld(
  { hold }: HoldStatement,
  held: readonly HeldRow[],
  heardFrom: ReturnType<typeof heardBy>,
  now: Instant,
): void {
  for (const { id, destination, createdAt, kind, severity, flaps } of held) {
    const from = heardFrom(destination, { kind, severity: severity ?? "warning", flaps: flaps === 1 }, createdAt);
    hold.run({ id, until: Math.max(from, now) });
  }
}

/**
 * Pulls back what a clock that was ahead has written in the lanes of a monitor, or of notices (null), by as much as the
 * clock was set back (R26). From when on its destinations hear of it is judged again: the quiet hours it was held for
 * may never have been. In a transaction.
 */
export function pullBackDeliveries(
  { deliveries }: Pick<EngineContext, "deliveries">,
  monitorId: number | null,
  heardFrom: ReturnType<typeof heardBy>,
  now: Instant,
  backMs: number,
): void {
  if (deliveries.pullBack.run({ monitorId, now, backMs }).changes > 0)
    judgeHeld(deliveries, deliveries.heldIn.all({ monitorId, now }), heardFrom, now);
}
