// A few hundred of the clients of the part `slow-clients` of `test/task torture` with every `make test-all`.

import { expect, test } from "bun:test";
import { runSample } from "./part.ts";
import { slowClients } from "./slow-clients.ts";

test("R36: clients that hold connections and never finish delay nobody, and where there is too little room every report is answered and every alert leaves", async () => {
  const { faults } = await runSample(slowClients);
  expect(faults).toEqual([]);
}, 300_000);
