// The operations on deliveries (R36): test, list, show and repeat them, and explain who is told of an alert.

import { isRefusal, type Refusal, refuseField } from "../../domain/errors.ts";
import { SEVERITIES } from "../../domain/message/presentation.ts";
import { testMessage } from "../../domain/message/test-message.ts";
import { routesAt } from "../../domain/settings/alert-routes.ts";
import type { Route } from "../../domain/settings/policy.ts";
import type { Instant } from "../../domain/time.ts";
import { enqueueTests, insertDueDeliveries } from "../../store/deliveries.ts";
import type { OutgoingRow } from "../../store/delivery-lists.ts";
import type { About } from "../../views/find-named.ts";
import {
  DELIVERIES,
  DELIVERY,
  DELIVERY_STATES,
  RESENT_DELIVERY,
  type ResentDelivery,
  TESTED_DESTINATION,
} from "../../views/schemas/delivery-schemas.ts";
import { WHO_HEARS } from "../../views/schemas/why-schemas.ts";
import { deliveryNotFound, deliverySummaryOf, listDeliveries, showDelivery } from "../../views/shown-deliveries.ts";
import { whoHears } from "../../views/who-hears.ts";
import { type EngineContext, thisInstance } from "../engine-context.ts";
import { aboutApplication, aboutMonitor } from "./about.ts";
import {
  AT,
  beforeField,
  choices,
  limitField,
  listedApplication,
  monitorField,
  ONE_MONITOR,
  optionalChoice,
  rowNumber,
  sinceField,
  text,
} from "./fields.ts";
import { acts, looks, type Operated, withoutAfterCommit } from "./operation.ts";

const ONE_DELIVERY = {
  id: rowNumber({ description: "the delivery's number, as `notify list` shows it", argument: "id" }),
};

export const DELIVERY_OPERATIONS = {
  /** Writes a test for each recipient and answers at once. The notifier sends the tests afterwards. */
  "notify test": acts({
    summary: "send a test through a destination now, and print what the receiver answers",
    notes: `It is tried once, for e-mail for each recipient, for a rota at each of its
turns. Exit code 0 says that the receiver took it.`,
    examples: ["email", "ops"],
    input: { destination: text({ description: "its name, as `destination list` shows it", argument: "destination" }) },
    answer: TESTED_DESTINATION,
    inAudit: "tested a destination",
    run: (context, { destination }, now) => {
      const { store, deliveries } = context;
      const routes = routesTo(context, destination);
      if (isRefusal(routes)) return withoutAfterCommit(routes);
      const alertId = store.alerts.insert(null, testMessage(destination, now, thisInstance(context)));
      enqueueTests(deliveries, { alertId, routes, at: now });
      const written = store.outgoing.ofAlert(alertId).map(deliverySummaryOf);
      const urgent = [...new Set(routes.map((route) => route.destination))];
      return { answer: { deliveries: written }, afterCommit: null, urgent };
    },
  }),
  "notify list": looks({
    summary: "list what waits, what was given up and what was sent last, the newest first",
    examples: ["", "--waiting --given-up", "--monitor nightly-backup --since 7d", "--app prod --json"],
    input: {
      states: choices(DELIVERY_STATES, {
        description: "only those of these states",
        options: { waiting: "only what waits", given_up: "only what was given up", sent: "only what was sent" },
      }),
      application: listedApplication(),
      monitor: monitorField(),
      sinceSeconds: sinceField(),
      before: beforeField(),
      limit: limitField(20, " of each"),
    },
    answer: DELIVERIES,
    about: (context, { application }) => aboutApplication(context, application),
    run: listDeliveries,
  }),
  "notify explain": looks({
    summary: "say who would hear of an alert of a job, when, and why others would not",
    notes: "Nothing is sent. `why` says what became of alerts that there were.",
    examples: ["nightly-backup", "nightly-backup --at 2026-03-01T02:10", "nightly-backup --severity critical"],
    input: {
      ...ONE_MONITOR,
      at: AT,
      severity: optionalChoice(SEVERITIES, {
        description: "as if it were so bad (default: as it is)",
        option: "severity",
        value: "severity",
      }),
    },
    answer: WHO_HEARS,
    about: aboutMonitor,
    run: whoHears,
  }),
  "notify show": looks({
    summary: "show what became of a delivery",
    noCommand: "`notify test` asks it until the test has ended, and `notify list` shows deliveries to people",
    examples: [],
    input: ONE_DELIVERY,
    answer: DELIVERY,
    about: aboutDelivery,
    run: (context, { id }) => showDelivery(context, id),
  }),
  "notify resend": acts({
    summary: "send a delivery again that was given up or sent; one that still waits is tried now",
    examples: ["12"],
    input: ONE_DELIVERY,
    answer: RESENT_DELIVERY,
    about: aboutDelivery,
    inAudit: "sent a message again",
    inStory: "Sent a message again",
    run: (context, { id }, now) => {
      const found = context.store.outgoing.find(id);
      if (found === null) return withoutAfterCommit(deliveryNotFound(id));
      if (found.outcome !== null) return sendAgain(context, found, now);
      if (found.claimedAt !== null)
        return withoutAfterCommit({ done: "under_way", delivery: deliverySummaryOf(found) });
      return bringForward(context, found, now);
    },
  }),
};

/** How many names of destinations a refusal lists. */
const NAMED_MAX = 20;

function routesTo({ policy }: EngineContext, destination: string, slug = ""): readonly Route[] | Refusal {
  const routes = routesAt(policy, destination, slug);
  if (routes === null)
    return unknownDestination([...policy.destinations.keys(), ...(policy.rotas?.keys() ?? [])], destination);
  if (routes.length > 0) return routes;
  const why = policy.destinations.get(destination)?.takes === "mail" ? "; team.members is empty" : "";
  return refuseField("destination", `nobody gets the messages of "${destination}"${why}`);
}

export function unknownDestination(names: readonly string[], destination: string): Refusal {
  const more = names.length > NAMED_MAX ? `, and ${names.length - NAMED_MAX} more` : "";
  const known = names.length === 0 ? "none is" : `these are: ${names.slice(0, NAMED_MAX).join(", ")}${more}`;
  return refuseField(
    "destination",
    `${JSON.stringify(destination)} is not configured; ${known} (\`rollcall reload\` reads a changed configuration, and so does a start)`,
    "NOT_FOUND",
  );
}

/** Returns the application and the monitor of a delivery; `null` for a notice or a test. */
function aboutDelivery({ store }: EngineContext, { id }: { readonly id: number }): About | null {
  const { application = null, key = null } = store.outgoing.find(id) ?? {};
  return application === null ? null : { application, monitorKey: key };
}

/** Sends a copy of the delivery, so that the first one keeps its own result. */
function sendAgain(context: EngineContext, found: OutgoingRow, now: Instant): Operated<ResentDelivery | Refusal> {
  const { store, deliveries } = context;
  const { alertId, incidentId, monitorId, destination, recipient, application } = found;
  const routes = routesTo(context, destination, application ?? "");
  if (isRefusal(routes)) return withoutAfterCommit(routes);
  if (!routes.some((route) => route.recipient === recipient)) {
    const problem = `"${destination}" does not go to ${recipient} any more; only what is configured is sent to`;
    return withoutAfterCommit(refuseField("id", problem));
  }
  const copy = { alertId, routes: [{ destination, recipient }], at: now };
  if (found.type === "destination.test") enqueueTests(deliveries, copy);
  else insertDueDeliveries(deliveries, { ...copy, incidentId, monitorId });
  const delivery = deliverySummaryOf(store.outgoing.ofAlert(alertId).at(-1)!);
  return { answer: { done: "again", delivery }, afterCommit: null, urgent: [destination] };
}

/**
 * Makes a waiting delivery due now. If it waits behind an earlier delivery of the same monitor to the same receiver,
 * that earlier one is made due instead.
 */
function bringForward(context: EngineContext, found: OutgoingRow, now: Instant): Operated<ResentDelivery> {
  const { store, deliveries } = context;
  const { id, monitorId, destination, recipient, nextAttemptAt } = found;
  const first = nextAttemptAt === null ? deliveries.firstOfLane.get({ monitorId, destination, recipient }) : null;
  const tried = first?.id ?? id;
  deliveries.bringForward.run({ id: tried, now });
  const delivery = deliverySummaryOf(store.outgoing.find(tried)!);
  const done = tried !== id ? "behind" : "forward";
  return { answer: { done, delivery }, afterCommit: null, urgent: [destination] };
}
