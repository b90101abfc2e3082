// What waits or was given up, newest first, over all destinations.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { deliveryLists } from "../../src/store/delivery-lists.ts";
import { ALERT_AT, openTestOutbox, toHook } from "../support/alerts.ts";

test("the newest of a state are found wherever they go, however many were sent beside them", () => {
  const { database, enqueue } = openTestOutbox();
  const { unsent } = deliveryLists(database);
  const delivery = fc.record({
    destination: fc.constantFrom("a", "b", "c"),
    state: fc.constantFrom("waiting", "given_up", "sent"),
  });
  const deliveries = fc.array(delivery, { maxLength: 30 });
  fc.assert(
    fc.property(deliveries, fc.integer({ min: 1, max: 32 }), fc.integer({ min: 1, max: 12 }), (all, before, limit) => {
      database.run("delete from deliveries");
      database.run("delete from sqlite_sequence where name = 'deliveries'");
      for (const [place, { destination }] of all.entries()) enqueue(place + 1, [toHook(destination)], ALERT_AT);
      for (const [place, { state }] of all.entries())
        if (state !== "waiting")
          database.run("update deliveries set finished_at = 1, outcome = ? where id = ?", [state, place + 1]);
      for (const state of ["waiting", "given_up"] as const) {
        const ids = all.flatMap((one, place) => (one.state === state && place + 1 < before ? [place + 1] : []));
        const found = unsent(state, before, limit);
        expect(found.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, limit));
      }
    }),
  );
});
