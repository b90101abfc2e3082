// Shows deliveries and destinations to operators: which destinations take messages, and where messages are stuck.

import { isRefusal, type Refusal, refuseField } from "../domain/errors.ts";
import type { InPieces } from "../domain/in-pieces.ts";
import { type Instant, MINUTE } from "../domain/time.ts";
import type { DeliveryState, OutgoingRow } from "../store/delivery-lists.ts";
import type { Store } from "../store/store.ts";
import { findListed, findOwner } from "./find-named.ts";
import { listedSince, type ReceivedFilter } from "./received.ts";
import type { DeliveryList, DeliverySummary } from "./schemas/delivery-schemas.ts";
import type { ViewSource } from "./view-source.ts";

/**
 * Which deliveries are asked for: all, those about an application's monitors, or those about one monitor. At most
 * `limit` of each state are listed.
 */
interface DeliveryFilter extends ReceivedFilter {
  readonly states: readonly DeliveryState[];
  /** Only deliveries with a lower id than this are listed. */
  readonly before: number;
}

/**
 * How many rows of deliveries one piece examines, which takes some milliseconds. For an application it examines fewer
 * (`READ_AT_ONCE`), because it reads the message of each row.
 */
const ROWS_AT_ONCE = 5_000;
const READ_AT_ONCE = 1_000;
/** How many rows a search for an application's deliveries examines at most. */
const SEARCHED_MAX = 20_000;

export function listDeliveries(
  context: ViewSource,
  filter: DeliveryFilter,
  now: Instant,
): InPieces<DeliveryList> | Refusal {
  const { application, monitor, sinceSeconds, before, states, limit } = filter;
  const owner = monitor === null ? findListed(context, application) : findOwner(context, { application, key: monitor });
  if (isRefusal(owner)) return owner;
  const wanted = { application: owner?.slug ?? null, monitor, from: listedSince(sinceSeconds, now), before };

  function* searched(): InPieces<DeliveryList> {
    const deliveries: OutgoingRow[] = [];
    const more: DeliveryState[] = [];
    for (const state of states) {
      const found = yield* newestDeliveries(context.store.outgoing, state, wanted, limit + 1);
      if (found.length > limit) more.push(state);
      deliveries.push(...found.slice(0, limit));
    }
    return {
      at: now,
      deliveries: deliveries.sort((a, b) => b.id - a.id).map(deliverySummaryOf),
      more,
      failing: [...context.failing()].map(([destination, { answer, since }]) => ({ destination, answer, since })),
    };
  }
  return searched();
}

type WantedDeliveries = Pick<DeliveryFilter, "application" | "monitor" | "before"> & Readonly<{ from: Instant }>;

function* newestDeliveries(
  outgoing: Store["outgoing"],
  state: DeliveryState,
  { application, monitor, from, before }: WantedDeliveries,
  limit: number,
): InPieces<OutgoingRow[]> {
  const [applications, atOnce] = application === null ? [null, ROWS_AT_ONCE] : [[application], READ_AT_ONCE];
  const last = Math.min(outgoing.lastId() + 1, before);
  const found: OutgoingRow[] = [];
  for (let place: number | null = last; place !== null && found.length < limit; ) {
    if (application !== null && place <= last - SEARCHED_MAX) break;
    const asked = { state, applications, before: place, limit: monitor === null ? limit : atOnce };
    const { rows, lookedTo }: DeliveryPiece = pieceOf(outgoing, asked, atOnce);
    const wanted = rows.filter(({ key, createdAt }) => createdAt >= from && key === (monitor ?? key));
    found.push(...wanted.slice(0, limit - found.length));
    // Ids follow the order of creation. So after one row from before `from` all further rows are older too, and the
    // search ends.
    place = rows.some(({ createdAt }) => createdAt < from) ? null : lookedTo;
    yield;
  }
  return found;
}

export interface DeliveriesAsked {
  readonly state: DeliveryState;
  /** The slugs of the applications; `null` means all applications, and also deliveries that belong to none. */
  readonly applications: readonly string[] | null;
  readonly before: number;
  readonly limit: number;
}

interface DeliveryPiece {
  readonly rows: readonly OutgoingRow[];
  /** All rows with this id or a higher one were examined; `null` when all rows were. */
  readonly lookedTo: number | null;
}

/**
 * Returns the newest deliveries that match. No index helps to find deliveries that were sent, or those of some
 * applications. To find these, only `atOnce` deliveries are examined: the newest with an id below `before`.
 */
function pieceOf(
  outgoing: Store["outgoing"],
  { state, applications, before, limit }: DeliveriesAsked,
  atOnce: number,
): DeliveryPiece {
  if (applications === null && state !== "sent") return { rows: outgoing.unsent(state, before, limit), lookedTo: null };
  const upTo = Math.min(before - 1, outgoing.lastId());
  const after = Math.max(0, upTo - atOnce);
  const rows = outgoing.among(state, applications, { after, upTo }, limit);
  return { rows, lookedTo: after === 0 ? null : after + 1 };
}

/**
 * The deliveries of these applications, the newest first. `older` is the value of `before` with which the next page is
 * asked for; `null` when there is no next page.
 */
export function deliveriesOf({ store }: ViewSource, asked: DeliveriesAsked) {
  const { rows, lookedTo } = pieceOf(store.outgoing, { ...asked, limit: asked.limit + 1 }, ROWS_AT_ONCE);
  const shown = rows.slice(0, asked.limit).map(deliverySummaryOf);
  return { rows: shown, older: rows.length > asked.limit ? shown.at(-1)!.id : lookedTo };
}

export function showDelivery({ store }: ViewSource, id: number): DeliverySummary | Refusal {
  const found = store.outgoing.find(id);
  return found === null ? deliveryNotFound(id) : deliverySummaryOf(found);
}

export const deliverySummaryOf = ({
  key,
  name,
  outcome,
  claimedAt,
  dueAt: _,
  perhapsTaken,
  ...row
}: OutgoingRow): DeliverySummary => ({
  ...row,
  perhapsTaken: Boolean(perhapsTaken),
  monitorKey: key,
  monitorName: name,
  state: outcome ?? (claimedAt === null ? "waiting" : "under_way"),
  // A delivery that goes before all others has a `nextAttemptAt` before its creation, which only serves to sort it. The
  // time of its creation is shown instead.
  nextAttemptAt: claimedAt !== null || row.nextAttemptAt === null ? null : Math.max(row.nextAttemptAt, row.createdAt),
});

export const deliveryNotFound = (id: number): Refusal =>
  refuseField("id", `there is no delivery ${id}; \`rollcall notify list\` shows them`, "NOT_FOUND");

// The following shows how each destination is doing: whether it takes messages, and what waits or was given up.

export type DestinationHealth = Readonly<ReturnType<typeof destinationsOf>[number]>;

/** At most this many messages of a destination are counted, because counting a million would delay reports. */
export const COUNTED_MOST = 5_000;

/**
 * The configured destinations, sorted by name. Takes two limited queries for each destination, and one more for all.
 */
export function destinationsOf({ policy, failing, store }: ViewSource) {
  const fails = failing();
  const arrived = new Map(store.pageLists.arrived().map(({ destination, at }) => [destination, at]));
  return [...policy.destinations].sort(byName).map(([name, { takes }]) => {
    const count = (isGivenUp: 0 | 1): number =>
      store.pageLists.countUnsent({ destination: name, isGivenUp }, { after: 0, limit: COUNTED_MOST }).count;
    const failure = fails.get(name);
    return {
      name,
      /** What goes to the destination: mails, messages, events, people's browsers or a pager's incidents. */
      takes,
      /** Since when the destination takes no messages, and its last answer; `null` when it takes them or is untried. */
      failing: failure === undefined ? null : { since: failure.since, answer: failure.answer },
      /** How many messages wait. `COUNTED_MOST` may mean that there are more. The same holds for `givenUp`. */
      waiting: count(0),
      givenUp: count(1),
      /** When a message last arrived at the destination; `null` when none of the newest deliveries did. */
      arrivedAt: arrived.get(name) ?? null,
    };
  });
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

// The following finds destinations with stuck messages. A message is stuck when it has waited long, and nothing shows
// that it will be sent soon.

/** How many milliseconds a message waits until it counts as stuck. An alert that is sent later says so (R36). */
const STUCK_AFTER = 15 * MINUTE;

/**
 * Finds the destinations at which messages are stuck, sorted by name. While a destination takes other messages, a
 * message that waits for its turn, or for an unreachable recipient, is not stuck.
 */
export function stuckDestinations({ policy, failing, store }: ViewSource, now: Instant): string[] {
  const fails = failing();
  const arrived = new Map(store.pageLists.arrived().map(({ destination, at }) => [destination, at]));
  return [...policy.destinations.keys()].filter((destination) => {
    const oldest = store.outgoing.oldestUnsent(destination);
    if (oldest === null || oldest > now - STUCK_AFTER) return false;
    if (fails.has(destination)) return true;
    const dueAt = store.outgoing.firstDue(destination);
    const tookLately = (arrived.get(destination) ?? Number.NEGATIVE_INFINITY) > now - STUCK_AFTER;
    return dueAt !== null && dueAt <= now - STUCK_AFTER && !tookLately;
  });
}
