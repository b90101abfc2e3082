// What becomes of deliveries after their first attempt, in the words of docs/deliveries.md: told by the real notifier
// over a real outbox, on a clock that stands still.

import type { Route } from "../../src/domain/settings/policy.ts";
import { HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import type { Channel } from "../../src/notify/channel.ts";
import { createNotifier } from "../../src/notify/notifier.ts";
import { ALERT_AT, openTestOutbox } from "../support/alerts.ts";
import { manualTime, steadyBy } from "../support/manual-time.ts";

export const SENT = "sent";
export const SENT_PLAIN = "sent in plain form";
export const AGAIN = "again";
export const HOURLY = "hourly";
export const PERHAPS_TAKEN = "perhaps taken";
export const GIVEN_UP = "given up";
export const againAfter = (time: string): string => `again after ${time}`;
export const forThisRecipient = (outcome: string): string => `${outcome}, this recipient alone`;

export interface Outcome {
  readonly outcome: string;
  readonly answer: string;
}

export interface Outcomes {
  /** By destination, and recipient where there is one, as `email ada@example.org`. */
  readonly byRoute: ReadonlyMap<string, Outcome>;
  /** All that was logged. */
  readonly log: string;
}

/** With the least chance a wait of its own is a fifth shorter, so none is taken for one that was asked for. */
const SHORTEST = 0.8;
const ENDINGS: readonly string[] = ["delivery_sent", "delivery_failed", "delivery_given_up"];

/** The outcomes of one attempt for each of these routes, all raised by one alert. */
export async function outcomesThrough(
  channels: Readonly<Record<string, Channel>>,
  routes: readonly Route[],
): Promise<Outcomes> {
  const { clock, after } = manualTime(ALERT_AT);
  const { database, outbox, enqueue } = openTestOutbox();
  const log: string[] = [];
  const rejected = new Set<unknown>();
  const { promise: allEnded, resolve } = Promise.withResolvers<void>();
  let ended = 0;
  const notifier = createNotifier({
    steadySince: steadyBy(clock),
    outbox,
    channels: new Map(Object.entries(channels)),
    clock,
    after,
    random: () => 0,
    log: (_level, event, fields = {}) => {
      log.push(JSON.stringify([event, fields]));
      if (event === "delivery_rejected") rejected.add(fields["delivery"]);
      if (ENDINGS.includes(event) && ++ended === routes.length) resolve();
    },
  });
  enqueue(1, routes);
  notifier.start();
  await allEnded;
  const failing = notifier.failing();
  await notifier.stop();
  const rows = database.query<Row, []>("select * from deliveries order by id").all();
  const byRoute = new Map(
    rows.slice(0, routes.length).map((row) => {
      const name = row.recipient === null ? row.destination : `${row.destination} ${row.recipient}`;
      const outcome = inWords(row, failing.has(row.destination), rejected.has(row.id));
      return [name, { outcome, answer: row.answer ?? "" }] as const;
    }),
  );
  return { byRoute, log: log.join("\n") };
}

interface Row {
  readonly id: number;
  readonly destination: string;
  readonly recipient: string | null;
  readonly outcome: "sent" | "given_up" | null;
  readonly next_attempt_at: number | null;
  readonly answer: string | null;
  readonly perhaps_taken: 0 | 1;
}

/** A destination that works must not be called failing, nor one that fails be called working: else the words say so. */
function inWords(row: Row, failing: boolean, rejected: boolean): string {
  const { outcome, next_attempt_at: nextAttemptAt } = row;
  const notFailing = (words: string): string => (failing ? `${words}, yet failing` : words);
  if (outcome === "sent") return notFailing(rejected ? SENT_PLAIN : SENT);
  if (outcome === "given_up") return notFailing(GIVEN_UP);
  const words = row.perhaps_taken === 1 ? PERHAPS_TAKEN : waitInWords((nextAttemptAt ?? ALERT_AT) - ALERT_AT);
  return failing ? words : forThisRecipient(words);
}

function waitInWords(wait: number): string {
  if (wait === 5 * SECOND * SHORTEST) return AGAIN;
  if (wait === HOUR * SHORTEST) return HOURLY;
  return againAfter(wait % MINUTE === 0 ? `${wait / MINUTE} min` : `${wait / SECOND} s`);
}
