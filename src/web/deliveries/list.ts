// Decides which deliveries the page shows: those that wait, those that were given up, those that were sent, newest first.

import type { DeliverySummary } from "../../engine/operations/answers/deliveries.ts";
import type { Engine } from "../../engine/parts.ts";
import { narrowedTo } from "../applications.ts";
import type { ListQuery } from "../list-query.ts";
import type { Viewer } from "../viewer.ts";

export const STATES = ["waiting", "given_up", "sent"] as const;

export const PARTS = ["all", ...STATES] as const;

export type DeliveriesQuery = ListQuery<(typeof PARTS)[number]>;

export interface DeliverySection {
  readonly state: (typeof STATES)[number];
  readonly deliveries: readonly DeliverySummary[];
  /** There are older ones. */
  readonly more: boolean;
}

/** Of each state, where all are shown; of one that is shown alone. */
const SHOWN_OF_EACH = 20;
const SHOWN_OF_ONE = 50;

/** Throws what SQLite throws. */
export function sectionsOf(engine: Engine, viewer: Viewer, { show, app, before }: DeliveriesQuery): DeliverySection[] {
  const states = show === "all" ? STATES : [show];
  const limit = show === "all" ? SHOWN_OF_EACH : SHOWN_OF_ONE;
  const applications = narrowedTo(viewer, app);
  return states.map((state) => ({
    state,
    ...engine.deliveries({ state, applications, before: before ?? Number.MAX_SAFE_INTEGER, limit }),
  }));
}
