// The operations on destinations and deliveries (R36, R37).

import { aboutApplication } from "../reads/find-named.ts";
import { listDeliveries, showDelivery } from "../reads/look-deliveries.ts";
import { DELIVERIES, DELIVERY, DELIVERY_STATES, RESENT_DELIVERY, TESTED_DESTINATION } from "./answers/deliveries.ts";
import { before, choices, limit, listedApplication, listedMonitor, rowNumber, since, text } from "./fields.ts";
import { aboutDelivery, resendDelivery, testDestination } from "./operate-deliveries.ts";
import { acts, reads, searches } from "./operation.ts";

const ONE_DELIVERY = {
  id: rowNumber({ description: "the delivery's number, as `notify list` shows it", argument: "id" }),
};

/** To each recipient; the deliveries have only been written when it is answered. */
const test = acts({
  summary: "send a test through a destination now, and print what the receiver answers",
  notes: `It is tried once, for e-mail for each recipient. Exit code 0 says that the
receiver took it.`,
  examples: ["email", "ops"],
  input: { destination: text({ description: "its name in the configuration", argument: "destination" }) },
  answer: TESTED_DESTINATION,
  run: testDestination,
});

const list = searches({
  summary: "list what waits, what was given up and what was sent last, the newest first",
  examples: ["", "--waiting --given-up", "--monitor nightly-backup --since 7d", "--app prod --json"],
  input: {
    states: choices(DELIVERY_STATES, {
      description: "only those of these states",
      options: {
        waiting: "only what waits",
        given_up: "only what was given up",
        sent: "only what was sent",
      },
    }),
    application: listedApplication(),
    monitor: listedMonitor(),
    sinceSeconds: since(),
    before: before(),
    limit: limit(20, " of each"),
  },
  answer: DELIVERIES,
  about: (context, { application }) => aboutApplication(context, application),
  search: listDeliveries,
});

const show = reads({
  summary: "show what became of a delivery",
  noCommand: "`notify test` asks it until the test has ended, and `notify list` shows deliveries to people",
  examples: [],
  input: ONE_DELIVERY,
  answer: DELIVERY,
  about: aboutDelivery,
  run: (context, { id }) => showDelivery(context, id),
});

const resend = acts({
  summary: "send a delivery again that was given up or sent; one that still waits is tried now",
  examples: ["12"],
  input: ONE_DELIVERY,
  answer: RESENT_DELIVERY,
  about: aboutDelivery,
  run: resendDelivery,
});

export const DELIVERY_OPERATIONS = {
  "notify test": test,
  "notify list": list,
  "notify show": show,
  "notify resend": resend,
};
